#pragma once
// Limits of a whole execution. `timeout` of a task limits each of its attempts. Part of the task's JSON document.

#include "libs/base/time.hpp"
#include "libs/protocol/names.hpp"

#include <nlohmann/json.hpp>

namespace baton::protocol {

// The end of an execution that no client had in time.
enum class late_start { skip, fail };
template <>
inline constexpr std::array<std::string_view, 2> names_of<late_start>{"skip", "fail"};

// Both count from the instant at which the execution was due: of a firing its own, of a run the request.
//   {"start_within_ms": 60000, "late_start": "skip", "total_ms": 3600000}
struct time_limits {
    duration start_within{}; // until a client has the first attempt; zero: none
    protocol::late_start late_start = protocol::late_start::skip;
    duration total{}; // over all attempts, their pauses included; zero: none

    friend bool operator==(time_limits const&, time_limits const&) = default;
    bool any() const { return start_within > 0s || total > 0s; }
};

// Strict: throws invalid_input with the field ("limits.total_ms").
time_limits parse_time_limits(nlohmann::json const& value);
nlohmann::json to_json(time_limits const& limits);

} // namespace baton::protocol
