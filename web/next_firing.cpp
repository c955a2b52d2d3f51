#include "web/next_firing.hpp"

#include "libs/base/error.hpp"
#include "libs/schedule/schedule.hpp"

#include <algorithm>

namespace baton::web {

utc_time governed_from(storage::task_record const& task, utc_time now, duration lead)
{
    return std::max(now, task.updated_at + lead);
}

namespace {

// Those of the firings that the maximum of the task lets happen. What is planned counts already.
std::size_t within_maximum(storage::task_record const& task, std::vector<utc_time> const& firings)
{
    auto const most = task.definition.schedule.firing.max_firings;
    auto const unplanned = task.next_fire_at ? task.next_fire_at : task.resume_at;
    if (most == 0 || !unplanned)
        return firings.size();
    auto const planned = std::ranges::lower_bound(firings, *unplanned) - firings.begin();
    return std::min(firings.size(), static_cast<std::size_t>(planned + std::max<std::int64_t>(most - task.firings, 0)));
}

} // namespace

std::vector<utc_time> next_firings(storage::task_record const& task, utc_time from, std::size_t count)
{
    schedule::timetable const times(task.definition.schedule, task.created_at);
    if (times.kind() != protocol::schedule_kind::fixed_delay) {
        auto firings = times.between(from, utc_time::max(), count);
        firings.resize(within_maximum(task, firings));
        return firings;
    }
    return task.next_fire_at ? std::vector<utc_time>{*task.next_fire_at} : std::vector<utc_time>{};
}

namespace {

// The first firing that is not planned, behind those that people asked to skip.
std::optional<utc_time> first_unplanned(storage::task_record const& task)
{
    auto const mark = task.next_fire_at;
    if (!mark || protocol::skip_of(task.definition.schedule.skips, *mark) == nullptr)
        return mark;
    return schedule::timetable(task.definition.schedule, task.created_at).first(*mark);
}

} // namespace

std::optional<utc_time> next_firing(storage::task_record const& task, utc_time from)
{
    if (!task.definition.enabled)
        return std::nullopt;
    try {
        auto const unplanned = first_unplanned(task);
        auto const next = next_firings(task, from, 1);
        if (next.empty())
            return unplanned;
        return unplanned ? std::min(next.front(), *unplanned) : next.front();
    } catch (invalid_input const&) {
        return task.next_fire_at;
    }
}

} // namespace baton::web
