#pragma once
// The misfire policy of a task: which of its late firings run. Part of the task's JSON document.

#include "libs/base/time.hpp"
#include "libs/protocol/names.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <string_view>

namespace baton::protocol {

enum class misfire_action {
    fire_once, // the latest firing that is due; the late ones before it are skipped
    fire_all,  // the latest `limit` firings, and only those of the last `within`
    skip,      // no late firing
};
template <>
inline constexpr std::array<std::string_view, 3> names_of<misfire_action>{"fire_once", "fire_all", "skip"};

// A firing is late if more than `after` has passed since its instant and it has not been sent.
//   {"action": "fire_once", "after_ms": 60000}
//   {"action": "fire_all", "after_ms": 60000, "limit": 100, "within_ms": 3600000}
struct misfire_policy {
    misfire_action action = misfire_action::fire_once;
    duration after = 60s;
    int limit = 100;   // fire_all only
    duration within{}; // fire_all only; zero: no bound

    friend bool operator==(misfire_policy const&, misfire_policy const&) = default;
};

inline constexpr duration longest_misfire_after = 24h;
inline constexpr int most_fire_all = 1'000;

// Strict: throws invalid_input with the field ("misfire.limit").
misfire_policy parse_misfire(nlohmann::json const& value);
nlohmann::json to_json(misfire_policy const& policy);

} // namespace baton::protocol
