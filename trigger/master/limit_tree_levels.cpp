#include "trigger/master/limit_tree.hpp"

#include <algorithm>
#include <set>

namespace baton::trigger {

// The levels of the tree, their limits, and what the ledger knows of them.

namespace {

constexpr duration recorded_ahead = 1s; // a state in the ledger holds for the tokens that are taken until then

// A second node with the rate of a task has no more tokens than the first.
void take_over_tokens(gcra& rate, gcra const& from, utc_time now)
{
    if (!rate.limits())
        return;
    auto empty = rate;
    empty.empty_at(now);
    rate.restore(std::min(std::max(rate.full_at(), from.full_at()), empty.full_at()));
}

constexpr int of_shards = 2; // the last kind

int kind_of(limit_tree::member const& which)
{
    return which.shard ? of_shards : which.broadcast ? 1 : 0;
}

} // namespace

void limit_tree::begin(utc_time now, std::vector<storage::limit_state> const& kept)
{
    began_ = now;
    for (auto const& each : kept)
        recorded_[{each.task, each.of}] = each.full_at;
}

protocol::scope_limits const* limit_tree::limits_of(protocol::service_view which) const
{
    auto const found = limits_.find(which);
    return found == limits_.end() ? nullptr : &found->second;
}

bool limit_tree::concerns(member const& which) const
{
    if (which.rate.any() && !which.shard)
        return true;
    return !which.broadcast && any_service_limited() &&
           (limits_of(which.service) != nullptr || limits_of({which.service.project, {}}) != nullptr);
}

void limit_tree::set_limits(std::vector<protocol::scope_settings> const& all, utc_time now)
{
    limits_.clear();
    for (auto const& each : all)
        if (each.settings.limits.any())
            limits_.emplace(each.of, each.settings.limits);
    for (auto& [key, scope] : scopes_) {
        auto const* limits = limits_of(key);
        scope.slots = limits == nullptr ? 0 : limits->concurrency;
        scope.rate.change(limits == nullptr ? protocol::rate_limit{} : limits->rate, now);
        settle(scope, now);
    }
}

// A rate of which the ledger knows nothing begins without tokens at the beginning of the term, or if it is slow with
// all of them: then no token was taken for long.
void limit_tree::begin_rate(node& which, protocol::rate_limit const& rate)
{
    which.rate = gcra(rate);
    if (!which.rate.slow())
        return which.rate.empty_at(began_);
    auto const known = recorded_.find({which.task.task, which.of});
    if (known == recorded_.end())
        return;
    which.rate.empty_at(began_); // an edit may have made the rate faster since its state was recorded
    which.rate.restore(std::min(known->second, which.rate.full_at()));
    recorded_.erase(known);
}

limit_tree::node& limit_tree::scope_node(protocol::service_view which)
{
    if (auto const found = scopes_.find(which); found != scopes_.end())
        return found->second;
    bool const project = which.service.empty();
    auto* const parent = project ? nullptr : &scope_node({which.project, {}});
    auto& made = scopes_[protocol::key_of(which)];
    made.parent = parent;
    made.level = project ? level::project : level::service;
    made.serial = ++serial_;
    made.of = protocol::key_of(which);
    if (auto const* limits = limits_of(which)) {
        made.slots = limits->concurrency;
        begin_rate(made, limits->rate);
    }
    return made;
}

limit_tree::node& limit_tree::task_node(member const& which, utc_time now)
{
    static protocol::rate_limit const none;
    auto const& rate = which.shard ? none : which.rate;
    task_key key{which.task, kind_of(which), {}};
    if (!which.broadcast)
        key.service = protocol::key_of(which.service);
    auto const [found, made] = tasks_.try_emplace(std::move(key));
    auto& task = found->second;
    if (made) {
        task.parent = which.broadcast ? nullptr : &scope_node(which.service);
        task.serial = ++serial_;
        task.task = found->first;
        begin_rate(task, rate);
        for (auto const* other : twins_of(task))
            take_over_tokens(task.rate, other->rate, now);
    } else if (which.version > task.rate_version) {
        task.rate.change(rate, now);
    }
    task.rate_version = std::max(task.rate_version, which.version);
    return task;
}

bool limit_tree::knows(task_id task) const
{
    auto const first = tasks_.lower_bound({task, 0, {}});
    return first != tasks_.end() && first->first.task == task && first->first.kind != of_shards;
}

std::optional<task_id> limit_tree::next_task(task_id last) const
{
    auto const next = tasks_.lower_bound({task_id{last.value() + 1}, 0, {}});
    return next == tasks_.end() ? std::nullopt : std::optional(next->first.task);
}

void limit_tree::edit(task_id task, int version, protocol::rate_limit const& rate, utc_time now)
{
    auto at = tasks_.lower_bound({task, 0, {}});
    for (; at != tasks_.end() && at->first.task == task && at->first.kind != of_shards; ++at) { // shards have no rate
        auto& each = at->second;
        if (each.rate_version >= version)
            continue;
        each.rate_version = version;
        each.rate.change(rate, now);
        settle(each, now);
    }
}

// An edit has made its executions broadcasts, or ordinary ones, or has given the task to another service.
std::vector<limit_tree::node const*> limit_tree::twins_of(node const& which) const
{
    std::vector<node const*> twins;
    if (which.level != level::task || which.task.kind == of_shards)
        return twins;
    auto const task = which.task.task;
    auto at = tasks_.lower_bound({task, 0, {}});
    for (; at != tasks_.end() && at->first.task == task && at->first.kind != of_shards; ++at)
        if (&at->second != &which)
            twins.push_back(&at->second);
    return twins;
}

limit_tree::position& limit_tree::position_of(member const& which, utc_time now)
{
    auto const [found, made] = positions_.try_emplace(which.id);
    if (made) {
        found->second.leaf = &task_node(which, now);
        ++found->second.leaf->members;
    }
    return found->second;
}

// A task without executions here is forgotten when it has all its tokens again.
void limit_tree::drop_if_unused(node& which, utc_time now)
{
    if (which.level != level::task || which.members != 0)
        return;
    if (which.rate.full_at() > now) // an edit that takes its limit away and gives it again must not fill it
        return arm(which, which.rate.full_at());
    if (which.timer)
        timers_.erase({*which.timer, which.serial});
    tasks_.erase(task_key(which.task));
}

bool limit_tree::must_record(execution_id id, utc_time now) const
{
    auto const found = positions_.find(id);
    if (found == positions_.end() || found->second.stage != stage::promised)
        return false;
    for (auto const* each = found->second.leaf; each != nullptr; each = each->parent)
        if (each->rate.slow() && each->rate.full_at_after(1, now) > each->recorded)
            return true;
    return false;
}

std::vector<storage::limit_state> limit_tree::states_to_record(std::vector<execution_id> const& ids, utc_time now) const
{
    std::vector<storage::limit_state> states;
    std::set<std::uint64_t> seen;
    for (auto const id : ids) {
        if (!must_record(id, now))
            continue;
        for (auto const* each = positions_.at(id).leaf; each != nullptr; each = each->parent) {
            if (!each->rate.slow() || !seen.insert(each->serial).second)
                continue;
            auto const until = now + std::max(each->ahead, recorded_ahead);
            auto full_at = each->rate.full_at_after(each->promised, until);
            for (auto const* other : twins_of(*each))
                if (other->rate.slow())
                    full_at = std::max(full_at, other->rate.full_at_after(other->promised, until));
            states.push_back({each->task.task, each->of, full_at});
        }
    }
    return states;
}

void limit_tree::recorded(std::vector<storage::limit_state> const& states)
{
    for (auto const& [task, of, full_at] : states) {
        if (task == task_id{}) {
            if (auto const found = scopes_.find(of); found != scopes_.end())
                record(found->second, full_at);
            continue;
        }
        auto at = tasks_.lower_bound({task, 0, {}});
        for (; at != tasks_.end() && at->first.task == task && at->first.kind != of_shards; ++at)
            record(at->second, full_at);
    }
}

// A busy service may take so long for a place that what was recorded covers the start no more: then it would be
// recorded again and again, while others take each place that becomes free.
void limit_tree::record(node& which, utc_time full_at)
{
    which.recorded = full_at;
    which.ahead = std::min(2 * std::max(which.ahead, recorded_ahead), which.rate.interval());
}

} // namespace baton::trigger
