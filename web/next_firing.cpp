#include "web/next_firing.hpp"

#include "libs/base/error.hpp"
#include "libs/schedule/schedule.hpp"

#include <algorithm>

namespace baton::web {

utc_time governed_from(storage::task_record const& task, utc_time now, duration lead)
{
    return std::max(now, task.updated_at + lead);
}

std::vector<utc_time> next_firings(storage::task_record const& task, utc_time from, std::size_t count)
{
    schedule::timetable const times(task.definition.schedule, task.created_at);
    if (times.kind() != protocol::schedule_kind::fixed_delay)
        return times.between(from, utc_time::max(), count);
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
