#include "trigger/master/ready_queue.hpp"

#include <algorithm>
#include <functional>

namespace baton::trigger {

void ready_queue::put(protocol::service_view service, need const& what, execution_id execution, int priority)
{
    auto& mine = protocol::value_of(lanes_, service);
    auto const [place, fresh] = mine.queues.try_emplace(what);
    if (fresh)
        mine.order.push_back(what);
    place->second[priority].push_back(execution);
    ++mine.size;
    ++size_;
    if (mine.active)
        mine.idle = 0;
    else if (fresh) // behind others that found no room, it would find none either
        activate(service, mine);
}

void ready_queue::activate(protocol::service_view service, lane& which)
{
    which.idle = 0;
    if (std::exchange(which.active, true))
        return;
    turns_.push_back(protocol::key_of(service));
}

// The priorities of the first executions, in their order.
std::vector<int> ready_queue::first_priorities(by_priority const& queue, std::size_t most) const
{
    using head = std::pair<utc_time, int>;
    std::map<int, std::size_t> at;
    std::vector<head> heads;
    auto const push = [&](int priority) {
        auto const& all = queue.at(priority);
        if (auto const i = at[priority]; i < all.size()) {
            heads.emplace_back(place_in_line_(all[i]), priority);
            std::ranges::push_heap(heads, std::greater{});
        }
    };
    for (auto const& [priority, all] : queue)
        push(priority);
    std::vector<int> order;
    while (order.size() < most && !heads.empty()) {
        std::ranges::pop_heap(heads, std::greater{});
        auto const priority = heads.back().second;
        heads.pop_back();
        order.push_back(priority);
        ++at[priority];
        push(priority);
    }
    return order;
}

// Takes out what was placed. `taken` of the answer is never more than there were.
ready_queue::placement ready_queue::place_first(protocol::service_view service, need const& what, by_priority& queue,
                                                std::size_t most, place_function const& place)
{
    if (queue.size() == 1) {
        auto& all = queue.begin()->second;
        auto done = place(service, what, all, most);
        done.taken = std::min(done.taken, all.size());
        all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(done.taken));
        if (all.empty())
            queue.clear();
        return done;
    }
    auto const order = first_priorities(queue, most);
    std::map<int, std::size_t> at;
    std::deque<execution_id> first;
    for (auto const priority : order)
        first.push_back(queue.at(priority)[at[priority]++]);
    auto done = place(service, what, first, most);
    done.taken = std::min(done.taken, first.size());
    for (std::size_t i = 0; i < done.taken; ++i) {
        auto const from = queue.find(order[i]);
        from->second.pop_front();
        if (from->second.empty())
            queue.erase(from);
    }
    return done;
}

std::optional<std::size_t> ready_queue::turn(std::size_t quantum, place_function const& place)
{
    if (turns_.empty())
        return std::nullopt;
    auto const service = std::move(turns_.front());
    turns_.pop_front();
    auto const found = lanes_.find(service);
    if (found == lanes_.end())
        return 0;
    auto& mine = found->second;
    std::optional<instant> again;
    bool any_parked = false;
    std::size_t spent = 0;
    while (spent < quantum && mine.idle < mine.order.size()) {
        auto const what = std::move(mine.order.front());
        mine.order.pop_front();
        auto const queue = mine.queues.find(what);
        auto const done = place_first(service, what, queue->second, quantum - spent, place);
        auto const taken = done.taken;
        mine.size -= taken;
        size_ -= taken;
        spent += std::max<std::size_t>(taken, 1); // a look costs as well
        bool const parked = done.park && !queue->second.empty();
        any_parked = any_parked || parked;
        mine.idle = taken != 0 ? 0 : mine.idle + (parked ? 0 : 1);
        if (done.again)
            again = std::min(again.value_or(*done.again), *done.again);
        if (queue->second.empty())
            mine.queues.erase(queue);
        else if (parked)
            mine.parked[what.instance].push_back(what);
        else
            mine.order.push_back(what);
    }
    bool const may_go_on = mine.idle < mine.order.size();
    mine.active = false;
    if (again && (!may_go_on || any_parked) && (!mine.retry_at || *again < *mine.retry_at)) {
        mine.retry_at = again;
        retries_.emplace(*again, service);
    }
    if (mine.queues.empty())
        lanes_.erase(found);
    else if (may_go_on)
        activate(service, mine);
    return spent;
}

bool ready_queue::unpark(protocol::service_view service, std::string const& instance)
{
    auto const found = lanes_.find(service);
    if (found == lanes_.end())
        return false;
    auto const parked = found->second.parked.find(instance);
    if (parked == found->second.parked.end())
        return false;
    auto& order = found->second.order;
    order.insert(order.end(), parked->second.begin(), parked->second.end());
    found->second.parked.erase(parked);
    activate(service, found->second);
    return true;
}

bool ready_queue::unblock(protocol::service_view service)
{
    auto const found = lanes_.find(service);
    if (found != lanes_.end())
        activate(service, found->second);
    return found != lanes_.end();
}

void ready_queue::unblock_due(instant now)
{
    while (!retries_.empty() && retries_.begin()->first <= now) {
        auto const service = std::move(retries_.begin()->second);
        retries_.erase(retries_.begin());
        auto const found = lanes_.find(service);
        if (found == lanes_.end())
            continue;
        auto& mine = found->second;
        mine.retry_at.reset();
        for (auto const& [instance, needs] : std::exchange(mine.parked, {}))
            mine.order.insert(mine.order.end(), needs.begin(), needs.end());
        activate(service, mine);
    }
}

std::optional<instant> ready_queue::next_unblock() const
{
    return retries_.empty() ? std::nullopt : std::optional(retries_.begin()->first);
}

std::size_t ready_queue::waiting(protocol::service_view service) const
{
    auto const found = lanes_.find(service);
    return found == lanes_.end() ? 0 : found->second.size;
}

} // namespace baton::trigger
