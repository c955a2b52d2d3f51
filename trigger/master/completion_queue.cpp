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
    auto const parent = one->parent;
    bool const delayed =
        !parent && resumes && one->task->definition.schedule.kind == protocol::schedule_kind::fixed_delay;
    open_.erase(id);
    if (parent) {
        parents_.insert(*parent);
        parents_bell_.wake();
    } else if (delayed) {
        delayed_.push_back(id);
        delayed_bell_.wake();
    }
}

void completion_queue::broadcast(std::vector<execution_id> ids)
{
    for (auto const id : ids)
        if (auto* one = open_.find(id)) {
            auto const& task = one->task->definition;
            auto demand = task.route.shards != 0 ? std::string() : protocol::demand_for(task.handler, task.route.tag);
            unsplit_.add({protocol::key_of(protocol::service_of(task)), std::move(demand)}, id);
        }
    unsplit_bell_.wake();
}

awaitable<void> completion_queue::wait_for_broadcasts(time_source& time, instant at)
{
    co_await unsplit_bell_.wait_until(time, at);
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

std::vector<execution_id> completion_queue::parents(std::size_t most) const
{
    auto const count = static_cast<std::ptrdiff_t>(std::min(most, parents_.size()));
    return {parents_.begin(), std::next(parents_.begin(), count)};
}

void completion_queue::were_looked_at(std::vector<execution_id> const& broadcasts)
{
    for (auto const id : broadcasts)
        parents_.erase(id);
}

awaitable<void> completion_queue::wait_for_shards(time_source& time, instant at)
{
    co_await parents_bell_.wait_until(time, at);
}

awaitable<void> completion_queue::wait_for_delayed(time_source& time, instant at)
{
    co_await delayed_bell_.wait_until(time, at);
}

} // namespace baton::trigger
