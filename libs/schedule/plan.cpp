#include "libs/schedule/plan.hpp"

#include <algorithm>
#include <set>

namespace baton::schedule {

namespace {

using protocol::schedule_kind;
using protocol::task_definition;
using protocol::task_progress;

// The firings in [cursor, until) that get an execution. Every late firing fires: a misfire policy would decide here
// which of them are skipped or merged.
std::vector<utc_time> due_firings(timetable const& times, utc_time cursor, utc_time until, std::size_t limit)
{
    if (times.kind() == schedule_kind::fixed_delay)
        return cursor < until ? std::vector{cursor} : std::vector<utc_time>{};
    return times.between(cursor, until, limit);
}

// Firings of the old definition before the line that have no row yet. Empty if there are more than most_overdue.
std::optional<std::vector<utc_time>> overdue_firings(task_definition const* before, task_progress const& progress,
                                                     utc_time line)
{
    auto const cursor = progress.next_fire_at;
    if (before == nullptr || !cursor || *cursor >= line)
        return std::vector<utc_time>{};
    auto firings = due_firings(timetable(before->schedule, progress.created_at), *cursor, line, most_overdue + 1);
    if (firings.size() > most_overdue)
        return std::nullopt;
    std::set<utc_time> recorded;
    for (auto const& firing : progress.recorded)
        recorded.insert(firing.scheduled_at);
    std::erase_if(firings, [&](utc_time at) { return recorded.contains(at); });
    return firings;
}

std::vector<execution_id> planned_from(task_progress const& progress, utc_time line)
{
    std::vector<execution_id> found;
    for (auto const& firing : progress.recorded)
        if (firing.planned && firing.scheduled_at >= line)
            found.push_back(firing.id);
    return found;
}

bool is_fixed_delay(task_definition const* task)
{
    return task != nullptr && task->schedule.kind == schedule_kind::fixed_delay;
}

// Whether an execution stays open that a fixed delay has to wait for.
bool has_open_execution(protocol::edit_plan const& plan, task_progress const& progress)
{
    if (!plan.insert.empty())
        return true;
    return progress.waiting_for && std::ranges::find(plan.cancel, *progress.waiting_for) == plan.cancel.end();
}

} // namespace

task_plan plan_task(timetable const& times, utc_time cursor, utc_time until, std::size_t limit)
{
    task_plan plan;
    plan.firings = due_firings(times, cursor, until, limit);
    plan.waits = times.kind() == schedule_kind::fixed_delay && !plan.firings.empty();
    if (!plan.waits)
        plan.next = times.first(plan.firings.empty() ? cursor : plan.firings.back() + tick);
    return plan;
}

std::optional<protocol::edit_plan> plan_edit(task_definition const* before, task_definition const* after,
                                             task_progress const& progress, utc_time line)
{
    auto overdue = overdue_firings(before, progress, line);
    if (!overdue)
        return std::nullopt;
    protocol::edit_plan plan;
    plan.insert = std::move(*overdue);
    plan.cancel = planned_from(progress, line);
    if (after == nullptr || !after->enabled)
        return plan;
    plan.waits = is_fixed_delay(before) && is_fixed_delay(after) && has_open_execution(plan, progress);
    if (!plan.waits)
        plan.next = timetable(after->schedule, progress.created_at).first(line);
    return plan;
}

} // namespace baton::schedule
