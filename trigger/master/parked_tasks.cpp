#include "trigger/master/parked_tasks.hpp"

#include "libs/base/log.hpp"
#include "trigger/master/quota.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

constexpr std::size_t taken_back_at_once = 2'000; // of all services in a round, so that a round stays short

storage::parked_task make_parked(storage::due_task const& due, protocol::service_view service, std::string reason)
{
    storage::parked_task task;
    task.id = due.id;
    task.version = due.version;
    task.seen = due.next_fire_at;
    task.service = protocol::key_of(service);
    task.reason = std::move(reason);
    return task;
}

} // namespace

bool may_take_back(std::size_t backlog, std::size_t bound)
{
    return backlog < bound && backlog <= bound / 2;
}

awaitable<void> parked_tasks::find_services()
{
    auto const found = co_await ledger_.parked_services();
    services_.insert(found.begin(), found.end());
}

storage::parked_task parked_tasks::make(storage::due_task const& due, protocol::service_view service) const
{
    auto const bound = std::to_string(backlog_bound(settings_, open_.size()));
    return make_parked(due, service,
                       "clients have not taken the " + bound + " executions that service '" + to_text(service) +
                           "' may have open");
}

storage::parked_task parked_tasks::make(storage::due_task const& due, protocol::service_view service,
                                        protocol::pause const& why)
{
    return make_parked(due, service, to_text(why));
}

awaitable<void> parked_tasks::park(std::vector<storage::parked_task> const& tasks)
{
    co_await term_.until_active(transaction_need);
    // Before the write, whose answer may be lost: tasks of a service that is not in the list would stay parked.
    for (auto const& task : tasks)
        if (services_.insert(task.service).second)
            log::warn("planner", "the firings of a service's tasks are not planned for the time being",
                      {log::reason(task.reason), {"service", to_text(task.service)}});
    co_await ledger_.park(term_.fence, tasks);
}

// The services behind the last one come first, so that none starves when the bound for all is reached.
std::vector<protocol::service_key> parked_tasks::in_turn() const
{
    std::vector<protocol::service_key> order(services_.upper_bound(last_), services_.end());
    order.insert(order.end(), services_.begin(), services_.upper_bound(last_));
    return order;
}

awaitable<std::optional<utc_time>> parked_tasks::take_back(pause_book const& paused)
{
    std::optional<utc_time> first;
    if (!loaded_)
        co_return first;
    auto left = taken_back_at_once;
    auto const order = in_turn();
    for (auto const& service : order) {
        if (paused.in_force(service) != nullptr)
            continue;
        if (!may_take_back(open_.backlog(service), backlog_bound(settings_, open_.size())))
            continue;
        auto const most = std::min(settings_.page, left);
        if (most == 0)
            break;
        co_await term_.until_active(transaction_need);
        auto const taken = co_await ledger_.unpark(term_.fence, service, static_cast<int>(most));
        last_ = service;
        left -= taken.instants.size();
        if (!taken.instants.empty())
            first = std::min(first.value_or(taken.instants.front()), taken.instants.front());
        if (taken.more)
            continue;
        services_.erase(service);
        log::info("planner", "the tasks of a service are planned again", {{"service", to_text(service)}});
    }
    co_return first;
}

} // namespace baton::trigger
