#pragma once

#include "cli/table.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace baton::cli {

// A firing of REST: its time in the zone of `at`, and beside it the time in the schedule's own zone if that shows
// another one: "2026-03-29 03:00:00.000 UTC, 2026-03-29 05:00:00 in Europe/Berlin (after a clock change)".
std::string firing_text(nlohmann::json const& firing, std::string const& zone, times const& at);

} // namespace baton::cli
