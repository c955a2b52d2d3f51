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

int kind_of(limit_tree::member const& which)
{
    return which.shard ? 2 : which.broadcast ? 1 : 0;
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
    auto const known = recorded_.find({which.task.first, which.of});
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
    auto const [found, made] = tasks_.try_emplace(task_key{which.task, kind_of(which)});
    auto& task = found->second;
    if (made) {
        task.parent = which.broadcast ? nullptr : &scope_node(which.service);
        task.serial = ++serial_;
        task.task = found->first;
        begin_rate(task, rate);
        if (auto const* other = twin_of(task))
            take_over_tokens(task.rate, other->rate, now);
    } else if (which.version > task.rate_version) {
        task.rate.change(rate, now);
    }
    task.rate_version = std::max(task.rate_version, which.version);
    if (!made && !which.broadcast && which.version > task.version)
        if (auto& scope = scope_node(which.service); &scope != task.parent)
            move_below(task, scope, now);
    task.version = std::max(task.version, which.version);
    return task;
}

std::optional<task_id> limit_tree::next_task(task_id last) const
{
    auto const next = tasks_.lower_bound({task_id{last.value() + 1}, 0});
    return next == tasks_.end() ? std::nullopt : std::optional(next->first.first);
}

void limit_tree::edit(task_id task, int version, protocol::rate_limit const& rate, utc_time now)
{
    for (int const kind : {0, 1}) { // shards have no rate
        auto const found = tasks_.find({task, kind});
        if (found == tasks_.end() || found->second.rate_version >= version)
            continue;
        found->second.rate_version = version;
        found->second.rate.change(rate, now);
        settle(found->second, now);
    }
}

// The other node with the rate of the task: an edit has made its executions broadcasts, or made them ordinary ones.
limit_tree::node const* limit_tree::twin_of(node const& which) const
{
    auto const [id, kind] = which.task;
    if (which.level != level::task || kind == 2)
        return nullptr;
    auto const found = tasks_.find({id, 1 - kind});
    return found == tasks_.end() ? nullptr : &found->second;
}

// An edit has given the task to another service, for whose limits all its executions count from now on.
void limit_tree::move_below(node& task, node& parent, utc_time now)
{
    if (task.offer)
        task.parent->line.erase(*std::exchange(task.offer, std::nullopt));
    auto* const before = std::exchange(task.parent, &parent);
    for (auto* each = before; each != nullptr; each = each->parent) {
        each->used -= task.used;
        each->promised -= task.promised;
    }
    for (auto* each = task.parent; each != nullptr; each = each->parent) {
        each->used += task.used;
        each->promised += task.promised;
    }
    settle_path(before, now);
    settle_path(&task, now);
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
    if (found->second.recorded_until && *found->second.recorded_until >= now)
        return false;
    for (auto const* each = found->second.leaf; each != nullptr; each = each->parent)
        if (each->rate.slow())
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
            auto full_at = each->rate.full_at_after(each->promised, now + recorded_ahead);
            if (auto const* other = twin_of(*each); other != nullptr && other->rate.slow())
                full_at = std::max(full_at, other->rate.full_at_after(other->promised, now + recorded_ahead));
            states.push_back({each->task.first, each->of, full_at});
        }
    }
    return states;
}

void limit_tree::recorded(std::vector<execution_id> const& ids, utc_time now)
{
    for (auto const id : ids)
        if (auto const found = positions_.find(id); found != positions_.end())
            if (found->second.stage == stage::promised)
                found->second.recorded_until = now + recorded_ahead;
}

} // namespace baton::trigger
