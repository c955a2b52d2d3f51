#include "trigger/master/quota.hpp"

#include <algorithm>

namespace baton::trigger {

std::size_t backlog_bound(planner_settings const& settings, std::size_t open)
{
    auto const free = settings.open_limit - std::min(open, settings.open_limit);
    auto const reserve = settings.open_limit / 100;
    return std::min(settings.overdue_limit, std::max(free / 4, reserve));
}

bool is_over_bound(planner_settings const& settings, open_set const& open, protocol::service_view service)
{
    return open.backlog(service) > backlog_bound(settings, open.size());
}

std::string reason_at_bound(std::string const& service)
{
    return "service '" + service + "' has as many open executions as it may have";
}

std::size_t page_room::left(protocol::service_view service) const
{
    auto const here = taken_.find(service);
    auto const backlog = open_.backlog(service) + (here == taken_.end() ? 0 : here->second);
    auto const bound = backlog_bound(settings_, open_.size() + all_taken_) / parts_;
    return bound - std::min(backlog, bound);
}

void page_room::take(protocol::service_view service, std::size_t executions)
{
    protocol::value_of(taken_, service) += executions;
    all_taken_ += executions;
}

} // namespace baton::trigger
