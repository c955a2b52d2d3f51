#include "libs/schedule/plan.hpp"

#include "libs/schedule/jitter.hpp"
#include "libs/schedule/misfire.hpp"
#include "libs/schedule/zones.hpp"

#include <algorithm>
#include <set>

namespace baton::schedule {

namespace {

using protocol::schedule_kind;
using protocol::task_definition;
using protocol::task_progress;

std::int64_t firings_left(task_definition const& task, std::int64_t firings)
{
    auto const most = task.schedule.firing.max_firings;
    return most == 0 ? no_maximum : std::max<std::int64_t>(most - firings, 0);
}

struct overdue_firings {
    std::vector<utc_time> insert;
    std::vector<utc_time> skipped;
    std::vector<utc_time> left_out;
    std::optional<utc_time> rest; // the first firing before the line that was not looked at, if there are too many

    std::size_t size() const { return insert.size() + skipped.size() + left_out.size(); }
};

// The firings of the old definition before the line, divided by its misfire policy. Stops behind most_overdue.
overdue_firings divide_overdue(task_definition const& before, task_progress const& progress, utc_time line)
{
    overdue_firings found;
    timetable const times(before.schedule, progress.created_at);
    auto cursor = progress.next_fire_at;
    while (cursor && *cursor < line && found.size() < most_overdue) {
        plan_bounds bounds{*cursor, progress.now, line, most_overdue - found.size()};
        bounds.by_instant = true;
        bounds.left = firings_left(before, progress.firings + static_cast<std::int64_t>(found.insert.size()));
        auto const plan = plan_task(times, before.misfire, bounds);
        found.insert.insert(found.insert.end(), plan.firings.begin(), plan.firings.end());
        found.skipped.insert(found.skipped.end(), plan.skipped.begin(), plan.skipped.end());
        found.left_out.insert(found.left_out.end(), plan.left_out.begin(), plan.left_out.end());
        cursor = plan.next;
    }
    if (cursor && *cursor < line)
        found.rest = cursor;
    return found;
}

// Those that have no row yet.
overdue_firings find_overdue(task_definition const* before, task_progress const& progress, utc_time line)
{
    if (before == nullptr || !progress.next_fire_at || *progress.next_fire_at >= line)
        return {};
    auto found = divide_overdue(*before, progress, line);
    std::set<utc_time> recorded;
    for (auto const& firing : progress.recorded)
        recorded.insert(firing.scheduled_at);
    auto const has_row = [&](utc_time at) { return recorded.contains(at); };
    std::erase_if(found.insert, has_row);
    std::erase_if(found.skipped, has_row);
    std::erase_if(found.left_out, has_row);
    return found;
}

using firing_state = protocol::recorded_firing::state;

std::vector<execution_id> recorded_from(task_progress const& progress, firing_state in, utc_time line)
{
    std::vector<execution_id> found;
    for (auto const& firing : progress.recorded)
        if (firing.is == in && firing.scheduled_at >= line)
            found.push_back(firing.id);
    return found;
}

std::optional<utc_time> earlier(std::optional<utc_time> one, std::optional<utc_time> other)
{
    return one && other ? std::min(*one, *other) : one ? one : other;
}

// The first firing from the line on, skipped or not: the planner records a skipped one as well.
std::optional<utc_time> first_to_plan(timetable const& times, utc_time line)
{
    auto const skips = times.skips_between(line, utc_time::max());
    return earlier(times.first(line), skips.empty() ? std::nullopt : std::optional{skips.front()});
}

bool is_fixed_delay(task_definition const* task)
{
    return task != nullptr && task->schedule.kind == schedule_kind::fixed_delay;
}

// Whether a firing stays open that a fixed delay has to wait for.
bool has_open_firing(protocol::edit_plan const& plan, task_progress const& progress)
{
    return !plan.insert.empty() || (progress.last && progress.last->runs);
}

// The first firing that has no row, or whose row the edit cancels.
std::optional<utc_time> first_unfired(protocol::edit_plan const& plan, task_progress const& progress)
{
    auto first = progress.next_fire_at;
    for (auto const& firing : progress.recorded)
        if (std::ranges::find(plan.cancel, firing.id) != plan.cancel.end())
            first = std::min(first.value_or(firing.scheduled_at), firing.scheduled_at);
    return first;
}

// From when on a fixed delay that waits for nothing fires.
utc_time delayed_from(task_definition const* before, task_definition const& after, protocol::edit_plan const& plan,
                      task_progress const& progress, utc_time line)
{
    bool const same = is_fixed_delay(before) && before->enabled && before->schedule.every == after.schedule.every;
    if (auto const next = same ? first_unfired(plan, progress) : std::nullopt)
        return std::max(*next, line);
    return progress.last ? std::max(progress.last->ended_at + after.schedule.every, line) : line;
}

bool has_maximum(task_definition const* task)
{
    return task != nullptr && task->schedule.firing.max_firings != 0;
}

// The schedule has named calendars, and was not as it is now or the task was off.
bool is_new_with_calendars(task_definition const* before, task_definition const& after)
{
    if (after.schedule.calendars.empty())
        return false;
    return before == nullptr || before->enabled != after.enabled ||
           before->schedule.calendars != after.schedule.calendars ||
           protocol::to_json(*before)["schedule"] != protocol::to_json(after)["schedule"];
}

bool never_fires_by_calendars(task_definition const* before, task_definition const* after,
                              task_progress const& progress, utc_time line)
{
    return after != nullptr && is_new_with_calendars(before, *after) &&
           !timetable(after->schedule, progress.created_at).first(line);
}

// The firings that count for the maximum after the edit. A task that had none begins to count.
std::int64_t count_firings(task_definition const* before, task_definition const* after, task_progress const& progress,
                           protocol::edit_plan const& plan)
{
    if (!has_maximum(before) || !has_maximum(after))
        return 0;
    auto const made = static_cast<std::int64_t>(plan.insert.size()) - static_cast<std::int64_t>(plan.cancel.size());
    return std::max<std::int64_t>(progress.firings + made, 0);
}

task_plan plan_in_order(timetable const& times, protocol::misfire_policy const& policy, plan_bounds const& bounds)
{
    task_plan plan;
    if (times.kind() == schedule_kind::fixed_delay) {
        if (bounds.cursor < bounds.until)
            plan.firings.push_back(bounds.cursor);
        plan.waits = !plan.firings.empty();
        if (!plan.waits)
            plan.next = times.first(bounds.cursor);
        return plan;
    }
    auto cursor = bounds.cursor;
    if (is_late(policy, cursor, bounds.now)) {
        auto late = divide_late(times, policy, {cursor, bounds.now, bounds.until});
        plan.skipped = std::move(late.skipped);
        plan.firings = std::move(late.due);
        plan.next = late.rest;
        if (plan.firings.size() > bounds.limit) {
            plan.next = plan.firings[bounds.limit];
            plan.firings.resize(bounds.limit);
        }
        if (plan.next)
            return plan;
        cursor = std::min(bounds.now + tick, bounds.until);
    }
    auto const ahead = times.between(cursor, bounds.until, bounds.limit - plan.firings.size());
    plan.firings.insert(plan.firings.end(), ahead.begin(), ahead.end());
    plan.next = times.first(ahead.empty() ? cursor : ahead.back() + tick);
    return plan;
}

std::optional<utc_time> look_at(timetable const& times, std::optional<utc_time> next)
{
    bool const jitters = times.has_jitter() && times.kind() != schedule_kind::fixed_delay;
    return next && jitters ? std::optional{earliest_due(times, *next)} : next;
}

// The old definition goes on behind the firings of the plan.
protocol::edit_plan unfinished(protocol::edit_plan plan, task_definition const& before, task_progress const& progress,
                               utc_time rest)
{
    plan.unfinished = true;
    plan.next = rest;
    plan.look = look_at(timetable(before.schedule, progress.created_at), plan.next);
    plan.firings = count_firings(&before, &before, progress, plan);
    return plan;
}

task_plan at_maximum(task_plan plan, std::optional<utc_time> next)
{
    plan.resume = next;
    plan.next.reset();
    plan.look.reset();
    return plan;
}

} // namespace

void add_left_out(timetable const& times, plan_bounds const& bounds, task_plan& plan)
{
    bool const at_maximum = static_cast<std::int64_t>(plan.firings.size()) == bounds.left;
    for (auto const at : times.skips_between(bounds.cursor, utc_time::max())) {
        if (plan.next && *plan.next < at)
            return;
        bool const behind = at_maximum && (plan.firings.empty() || plan.firings.back() < at);
        if (at >= bounds.until || behind) {
            plan.next = at;
            return;
        }
        plan.left_out.push_back(at);
    }
}

task_plan plan_task(timetable const& times, protocol::misfire_policy const& policy, plan_bounds bounds)
{
    if (bounds.left <= 0)
        return at_maximum({}, bounds.cursor);
    bounds.limit =
        static_cast<std::size_t>(std::min<std::int64_t>(static_cast<std::int64_t>(bounds.limit), bounds.left));
    bool const jitters = times.has_jitter() && times.kind() != schedule_kind::fixed_delay;
    auto plan = jitters ? plan_with_jitter(times, policy, bounds) : plan_in_order(times, policy, bounds);
    add_left_out(times, bounds, plan);
    if (static_cast<std::int64_t>(plan.firings.size()) == bounds.left && !plan.waits) {
        auto const next = plan.next;
        return at_maximum(std::move(plan), next);
    }
    plan.look = look_at(times, plan.next);
    return plan;
}

protocol::edit_plan plan_edit(task_definition const* before, task_definition const* after,
                              task_progress const& progress, utc_time line)
{
    auto const zone_version = zones().version; // read first: one that is too low is only computed anew
    auto overdue = find_overdue(before, progress, line);
    protocol::edit_plan plan;
    plan.zone_version = zone_version;
    plan.insert = std::move(overdue.insert);
    plan.skipped = std::move(overdue.skipped);
    plan.left_out = std::move(overdue.left_out);
    if (!plan.skipped.empty())
        plan.skip_reason = reason_of_skip(before->misfire);
    plan.never_fires = never_fires_by_calendars(before, after, progress, line);
    if (overdue.rest)
        return unfinished(std::move(plan), *before, progress, *overdue.rest);
    plan.cancel = recorded_from(progress, firing_state::planned, line);
    plan.replan = recorded_from(progress, firing_state::skipped, line);
    plan.firings = count_firings(before, after, progress, plan);
    plan.waits = is_fixed_delay(after) && has_open_firing(plan, progress);
    if (plan.waits || after == nullptr || !after->enabled)
        return plan;
    timetable const times(after->schedule, progress.created_at);
    auto const from = is_fixed_delay(after) ? delayed_from(before, *after, plan, progress, line) : line;
    auto const next = first_to_plan(times, from);
    bool const more = firings_left(*after, plan.firings) > 0;
    (more ? plan.next : plan.resume) = next;
    plan.look = look_at(times, plan.next);
    return plan;
}

zone_course follow_zones(timetable const& times, zone_progress const& progress)
{
    auto const position = progress.cursor ? progress.cursor : progress.resume_at;
    if (!position || (progress.line && *position < *progress.line))
        return {};
    auto from = std::max(progress.line.value_or(progress.valid_from), progress.valid_from);
    if (progress.recorded)
        from = std::max(from, *progress.recorded + tick);
    if (times.kind() == schedule_kind::fixed_delay)
        from = *position; // it counts from the end of its last run, which is the same by any rules
    auto const found = times.first(from);
    zone_course course;
    course.changes = found != position;
    (progress.cursor ? course.next : course.resume) = found;
    course.look = look_at(times, course.next);
    return course;
}

} // namespace baton::schedule
