#include "libs/base/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>

#include <stdexcept>

namespace baton::log {

void start(std::string const& process, std::string const& level)
{
    auto const parsed = spdlog::level::from_str(level);
    if (parsed == spdlog::level::off && level != "off")
        throw std::invalid_argument("unknown log level '" + level + "'");
    auto logger = std::make_shared<spdlog::logger>(process, std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    logger->set_pattern("%Y-%m-%dT%H:%M:%S.%fZ %^%L%$ %n: %v", spdlog::pattern_time_type::utc);
    logger->set_level(parsed);
    spdlog::set_default_logger(std::move(logger));
}

} // namespace baton::log
