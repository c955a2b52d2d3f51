#pragma once
// When a task fires next, for people. The planner's mark, next_fire_at, is the first firing without an execution, and
// some seconds ahead of the next firing.

#include "libs/storage/tasks.hpp"

#include <optional>
#include <vector>

namespace baton::web {

// The first instant from now on that the present definition governs. `lead`: from an edit to the first such instant.
utc_time governed_from(storage::task_record const& task, utc_time now, duration lead);

// The firings from `from` on, at most `count`. A fixed delay depends on the previous run, so its only known firing is
// the planner's mark. Throws invalid_input for a zone that this machine does not know.
std::vector<utc_time> next_firings(storage::task_record const& task, utc_time from, std::size_t count);

// The earliest firing that has not begun, planned or not: an overdue one if the planner is late or the task is parked.
// Empty for a disabled task. Of a schedule that this machine cannot read, the planner's mark.
std::optional<utc_time> next_firing(storage::task_record const& task, utc_time from);

} // namespace baton::web
