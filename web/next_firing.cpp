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

std::optional<utc_time> next_firing(storage::task_record const& task, utc_time from)
{
    if (!task.definition.enabled)
        return std::nullopt;
    try {
        auto const next = next_firings(task, from, 1);
        if (next.empty())
            return task.next_fire_at;
        return task.next_fire_at ? std::min(next.front(), *task.next_fire_at) : next.front();
    } catch (invalid_input const&) {
        return task.next_fire_at;
    }
}

} // namespace baton::web
