#pragma once
// The differences between two definitions of a task, as REST shows them. Pure functions.

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace baton::cli {

struct difference {
    std::string member;  // "max_attempts", "schedule.cron"
    nlohmann::json from; // null if it is absent
    nlohmann::json to;
};

// Compares the members of `to`, those of the schedule one by one. Members that only `from` has do not count.
std::vector<difference> differences_of(nlohmann::json const& from, nlohmann::json const& to);

// JSON that a terminal may show, a long one cut; "none" for null.
std::string value_text(nlohmann::json const& value);

} // namespace baton::cli
