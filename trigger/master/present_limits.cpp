#include "trigger/master/present_limits.hpp"

#include <iterator>
#include <utility>

namespace baton::trigger {

namespace {

constexpr int forgotten_tries = 4;     // tasks, when one comes: more than come
constexpr int versions_looked_at = 50; // executions of a task: they are of few versions

bool has_waiting(open_set& open, task_id task)
{
    bool found = false;
    open.each_waiting_of(task, [&](open_execution const&) {
        found = true;
        return false;
    });
    return found;
}

} // namespace

bool has_limited_waiting(open_set& open, task_id task)
{
    bool found = false;
    int left = versions_looked_at;
    open.each_waiting_of(task, [&](open_execution const& one) {
        auto const& definition = one.task->definition;
        found = definition.concurrency.limit != 0 || definition.rate.any();
        return !found && --left > 0;
    });
    return found;
}

void present_limits::learn(std::shared_ptr<known_task const> present)
{
    auto& known = present_[present->id];
    if (known == nullptr || known->version < present->version)
        known = std::move(present);
    forget_some();
}

void present_limits::forget_some()
{
    auto at = present_.upper_bound(looked_at_);
    for (int left = forgotten_tries; left > 0 && !present_.empty(); --left) {
        if (at == present_.end())
            at = present_.begin();
        looked_at_ = at->first;
        at = has_waiting(open_, at->first) ? std::next(at) : present_.erase(at);
    }
}

known_task const& present_limits::holding(open_execution const& one) const
{
    auto const found = present_.empty() ? present_.end() : present_.find(one.task->id);
    return found != present_.end() && found->second->version > one.task->version ? *found->second : *one.task;
}

protocol::concurrency_policy present_limits::concurrency(open_execution const& one) const
{
    auto policy = one.task->definition.concurrency;
    policy.limit = holding(one).definition.concurrency.limit;
    return policy;
}

} // namespace baton::trigger
