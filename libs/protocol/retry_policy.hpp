#pragma once
// The retry policy of a task: how long to wait before a further attempt, and which failures end the execution at once.
// Part of the task's JSON document, beside `max_attempts` and `retry_delay_ms`.

#include "libs/base/id.hpp"
#include "libs/base/time.hpp"
#include "libs/protocol/names.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace baton::protocol {

enum class backoff {
    fixed,       // always the task's retry_delay
    exponential, // doubled with each failure, at most `longest`
};
template <>
inline constexpr std::array<std::string_view, 2> names_of<backoff>{"fixed", "exponential"};

// Which client gets the next attempt.
enum class retry_on {
    any,   // as the routing says
    other, // another client than the last one, if there is one that takes work
    same,  // the last one, if it still takes work
};
template <>
inline constexpr std::array<std::string_view, 3> names_of<retry_on>{"any", "other", "same"};

//   {"backoff": "exponential", "longest_ms": 3600000, "jitter_percent": 20, "final_errors": ["bad_input"], "on":
//   "other"}
struct retry_policy {
    protocol::backoff backoff = protocol::backoff::fixed;
    duration longest = 1h;                 // exponential only
    int jitter_percent = 0;                // up to this share of the pause is added to it
    std::vector<std::string> final_errors; // classes of errors after which no further attempt is made
    retry_on on = retry_on::any;

    friend bool operator==(retry_policy const&, retry_policy const&) = default;
};

inline constexpr std::size_t most_final_errors = 32;
inline constexpr std::size_t longest_error_class = 64;

// Strict: throws invalid_input with the field ("retry.jitter_percent").
retry_policy parse_retry(nlohmann::json const& value);
nlohmann::json to_json(retry_policy const& policy);

// An attempt that has failed.
struct failed_attempt {
    execution_id execution;
    int attempt = 1;
    int failures = 1; // of the handler so far, this one included; attempts lost with a client or node do not count
};

// The pause after this attempt. The jitter depends on the execution and the attempt alone, so a new master computes the
// same pause.
duration pause_before_retry(retry_policy const& policy, duration retry_delay, failed_attempt const& which);

} // namespace baton::protocol
