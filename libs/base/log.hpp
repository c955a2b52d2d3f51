#pragma once
// Logging is spdlog: one line an event, to standard error, with level, process name and time in UTC.
// Use it as baton::log::info("promoted epoch={} reason={}", epoch, reason).

#include <spdlog/spdlog.h>

#include <string>

namespace baton::log {

using spdlog::debug;
using spdlog::error;
using spdlog::info;
using spdlog::warn;

// Once in main. `level` is trace, debug, info, warn, error or off; throws std::invalid_argument for another.
void start(std::string const& process, std::string const& level);

} // namespace baton::log
