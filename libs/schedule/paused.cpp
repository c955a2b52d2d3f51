#include "libs/schedule/paused.hpp"

namespace baton::schedule {

task_plan plan_paused(timetable const& times, utc_time cursor, utc_time until, std::size_t limit)
{
    task_plan plan;
    plan.skipped = times.between(cursor, until, limit);
    plan.next = times.first(plan.skipped.empty() ? cursor : plan.skipped.back() + tick);
    add_left_out(times, {cursor, until, until, limit}, plan);
    return plan;
}

} // namespace baton::schedule
