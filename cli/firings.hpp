#pragma once

#include "cli/table.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace baton::cli {

// A firing of REST: its time in the zone of `at`, and beside it the time in the schedule's own zone if that shows
// another one: "2026-03-29 03:00:00.000 UTC, 2026-03-29 05:00:00 in Europe/Berlin (after a clock change)".
std::string firing_text(nlohmann::json const& firing, std::string const& zone, times const& at);

// A firing of a preview: the same, and what a clock change, the jitter and the calendars do to it: "..., due 09:03:12
// (the first of two such times) (5 times before it are left out by holidays)".
std::string preview_text(nlohmann::json const& firing, std::string const& zone, times const& at);

} // namespace baton::cli
