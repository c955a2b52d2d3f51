#pragma once
// Limits of attempts in time, and of executions under way, of a task, a service or a project. Parts of their JSON
// documents. The master keeps them: see docs/schedules.md.

#include "libs/base/time.hpp"

#include <nlohmann/json.hpp>

namespace baton::protocol {

// In any span of time at most `limit` / `per` * span + `burst` attempts are sent to clients.
//   {"limit": 100, "per_ms": 60000, "burst": 10}
struct rate_limit {
    int limit = 0; // 0: none
    duration per = 1s;
    int burst = 1;

    bool any() const { return limit != 0; }
    friend bool operator==(rate_limit const&, rate_limit const&) = default;
};

inline constexpr int most_in_a_rate = 1'000'000;
inline constexpr duration shortest_rate_span = 1s;
inline constexpr duration longest_rate_span = std::chrono::days{366};

// Strict: throws invalid_input with the field, below `path` ("rate.limit"). Without `burst`, it is one, and what the
// rate gives in half a second: enough to make up for what a busy machine sends late.
rate_limit parse_rate(nlohmann::json const& value, std::string const& path);
nlohmann::json to_json(rate_limit const& rate);

// Of a service or of a project.
//   {"concurrency": 20, "rate": {"limit": 100, "per_ms": 1000}}
struct scope_limits {
    int concurrency = 0; // executions under way at the same time; 0: no limit
    rate_limit rate;

    bool any() const { return concurrency != 0 || rate.any(); }
    friend bool operator==(scope_limits const&, scope_limits const&) = default;
};

// Strict, as above.
scope_limits parse_scope_limits(nlohmann::json const& value, std::string const& path);
nlohmann::json to_json(scope_limits const& limits);

// "100 in 60 s, burst 10"
std::string to_text(rate_limit const& rate);

} // namespace baton::protocol
