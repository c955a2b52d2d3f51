#pragma once
// Which late firings of a task run, and which its misfire policy skips. The master's planner and edits use divide_late
// for firings without a row in the ledger; the master's assigner uses is_skipped for executions that were planned in
// time and could not be sent, for instance because the service had no client.
//
// Both look at firings that are due, not only at late ones: the latest firing that is due takes the place of the late
// ones before it. So after a night without a master or without clients, a task that fires every minute runs once.

#include "libs/protocol/misfire.hpp"
#include "libs/schedule/schedule.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace baton::schedule {

inline constexpr std::size_t most_skipped = 10'000; // firings of a task that one call of divide_late looks at

struct late_firings {
    std::vector<utc_time> skipped; // in order
    std::vector<utc_time> due;     // those behind them, which run
    std::optional<utc_time> rest;  // the first firing up to `now` that was not looked at, if there are too many
};

struct due_span {
    utc_time cursor; // the task's next_fire_at
    utc_time now;
    utc_time until; // no firing at or after this
};
// The firings of a task from the cursor to now, at most most_skipped of them.
late_firings divide_late(timetable const& times, protocol::misfire_policy const& policy, due_span span);

bool is_late(protocol::misfire_policy const& policy, utc_time firing, utc_time now);

// The number of later firings that have to be due for a late firing to be skipped; with 0 it is skipped in any case.
std::size_t successors_to_skip(protocol::misfire_policy const& policy, utc_time firing, utc_time now);

// The most that successors_to_skip answers for this policy.
std::size_t most_successors(protocol::misfire_policy const& policy);

// For people: why a late firing was skipped.
std::string reason_of_skip(protocol::misfire_policy const& policy);

} // namespace baton::schedule
