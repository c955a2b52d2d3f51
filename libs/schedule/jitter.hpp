#pragma once
// The plan of a task whose firings are moved by a jitter. Firings are counted, ended and edited by their instants; they
// are planned by the later instants at which they are due, whose order may differ. For plan.cpp.

#include "libs/schedule/plan.hpp"

namespace baton::schedule {

// No firing at or after `firing`, which is one of the timetable, is due before this instant.
utc_time earliest_due(timetable const& times, utc_time firing);

// As plan_task, for a timetable with a jitter that is no fixed delay. Plans the firings that are due before the end,
// and those before them that are due later.
task_plan plan_with_jitter(timetable const& times, protocol::misfire_policy const& policy, plan_bounds bounds);

} // namespace baton::schedule
