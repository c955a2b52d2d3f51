#pragma once
// The times of the day that a schedule names, before the changes of the clock act on them. For clock_notes.cpp and
// preview.cpp.

#include "libs/protocol/task.hpp"
#include "libs/schedule/cron.hpp"
#include "libs/schedule/time_zone.hpp"

#include <functional>
#include <optional>

namespace baton::schedule {

// The first reading in [from, until) of a schedule.
using reading_search = std::function<std::optional<local_time>(local_time from, local_time until)>;

struct wall_schedule {
    reading_search first;
    clock_policy policy;
    time_zone zone;
};

// Of a window or a calendar interval.
clock_policy policy_of_kind(protocol::schedule_spec const& spec);

// Empty for kinds without a zone. Throws invalid_input like timetable.
std::optional<wall_schedule> wall_schedule_of(protocol::schedule_spec const& spec, utc_time created_at);

inline utc_time as_if_utc(local_time shown)
{
    return utc_time{shown.time_since_epoch()};
}

} // namespace baton::schedule
