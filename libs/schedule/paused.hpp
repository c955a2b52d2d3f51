#pragma once
// Firings of a task whose service is paused and skips them.

#include "libs/schedule/plan.hpp"

namespace baton::schedule {

// The firings in [cursor, until) as skipped ones, up to `limit`, and the first firing behind them. `cursor` is the
// task's next_fire_at.
task_plan plan_paused(timetable const& times, utc_time cursor, utc_time until, std::size_t limit);

} // namespace baton::schedule
