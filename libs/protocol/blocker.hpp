#pragma once
// The limits that keep a due execution from being sent, and the order in which such executions wait.

#include "libs/base/time.hpp"
#include "libs/protocol/names.hpp"

#include <array>
#include <string>
#include <string_view>

namespace baton::protocol {

// The limit for which an execution waits.
enum class blocker {
    task_concurrency, // of its task, or of its key
    task_rate,
    service_concurrency,
    service_rate,
    project_concurrency,
    project_rate,
};
template <>
inline constexpr std::array<std::string_view, 6> names_of<blocker>{
    "task_concurrency", "task_rate", "service_concurrency", "service_rate", "project_concurrency", "project_rate"};

// For people: "the rate limit of its service is reached".
inline std::string to_text(blocker what)
{
    switch (what) {
    case blocker::task_concurrency:
        return "as many executions of its task as may be under way at a time are";
    case blocker::service_concurrency:
        return "as many executions of its service as may be under way at a time are";
    case blocker::project_concurrency:
        return "as many executions of its project as may be under way at a time are";
    case blocker::task_rate:
        return "the rate limit of its task is reached";
    case blocker::service_rate:
        return "the rate limit of its service is reached";
    case blocker::project_rate:
        break;
    }
    return "the rate limit of its project is reached";
}

inline constexpr int highest_priority = 100; // and, negative, the lowest

// One step of priority is worth so much waiting: an execution goes before those of the next lower priority that were
// due up to so long before it. So each one grows older than all that come later, and none waits for ever.
inline constexpr duration priority_step = 10s;

// Executions that wait go in the order of this time. It does not change while they wait.
inline utc_time place_in_line(utc_time due, int priority)
{
    return due - priority * priority_step;
}

} // namespace baton::protocol
