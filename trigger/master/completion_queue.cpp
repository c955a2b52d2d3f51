#include "trigger/master/completion_queue.hpp"

#include "libs/protocol/offers.hpp"

#include <algorithm>

namespace baton::trigger {

void completion_queue::ended(execution_id id)
{
    end(id, true);
}

void completion_queue::ended_without_handler(execution_id id)
{
    end(id, false);
}

void completion_queue::end(execution_id id, bool resumes)
{
    auto const* one = open_.find(id);
    if (one == nullptr)
        return;
    if (one->parent)
        parents_.insert(*one->parent);
    else if (resumes && one->task->definition.schedule.kind == protocol::schedule_kind::fixed_delay)
        delayed_.push_back(id);
    bool const work = one->parent || !delayed_.empty();
    open_.erase(id);
    if (work)
        bell_.wake();
}

void completion_queue::broadcast(std::vector<execution_id> ids)
{
    for (auto const id : ids)
        if (auto* one = open_.find(id)) {
            auto const& task = one->task->definition;
            auto demand = task.route.shards != 0 ? std::string() : protocol::demand_for(task.handler, task.route.tag);
            unsplit_.add({protocol::key_of(protocol::service_of(task)), std::move(demand)}, id);
        }
    bell_.wake();
}

duration completion_queue::split_after(instant now) const
{
    auto const at = unsplit_.look_at(now);
    return at ? std::max<duration>(*at - now, 1ms) : duration::max();
}

void completion_queue::add_parents()
{
    open_.each_under_way([&](open_execution& one) {
        if (one.phase == phase::parent)
            parents_.insert(one.id);
    });
}

std::vector<execution_id> completion_queue::delayed(std::size_t most) const
{
    return {delayed_.begin(), delayed_.begin() + static_cast<std::ptrdiff_t>(std::min(most, delayed_.size()))};
}

void completion_queue::were_resumed(std::size_t count)
{
    delayed_.erase(delayed_.begin(), delayed_.begin() + static_cast<std::ptrdiff_t>(count));
}

void completion_queue::add_later()
{
    delayed_.insert(delayed_.end(), later_.begin(), later_.end());
    later_.clear();
}

std::vector<execution_id> completion_queue::take_parents()
{
    std::vector<execution_id> taken(parents_.begin(), parents_.end());
    parents_.clear();
    return taken;
}

awaitable<void> completion_queue::wait_until(time_source& time, instant at)
{
    co_await bell_.wait_until(time, at);
}

} // namespace baton::trigger
