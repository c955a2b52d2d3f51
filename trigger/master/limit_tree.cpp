#include "trigger/master/limit_tree.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

constexpr duration first_closed = 1s; // a task whose execution found no client
constexpr duration longest_closed = 1min;

} // namespace

limit_tree::stage limit_tree::at(execution_id id) const
{
    auto const found = positions_.find(id);
    return found == positions_.end() ? stage::unknown : found->second.stage;
}

// --- Lines

// True if the limits of this level alone let one go on.
bool limit_tree::lets(node const& which, bool fresh, utc_time now) const
{
    if (fresh && which.slots != 0 && which.used >= which.slots)
        return false;
    auto const free = which.rate.free_at(which.promised);
    return free && *free <= now;
}

// The first of the line, if it may go on here. If only time keeps it back, a timer looks again.
std::optional<limit_tree::rank> limit_tree::offer_of(node& which, utc_time now)
{
    if (which.line.empty())
        return std::nullopt;
    auto const& first = which.line.begin()->first;
    if (which.closing.keeps_back(first, now)) {
        arm(which, which.closing.until);
        return std::nullopt;
    }
    if (lets(which, first.fresh, now))
        return first;
    if (auto const free = which.rate.free_at(which.promised); free && *free > now)
        arm(which, *free);
    return std::nullopt;
}

// Puts what the level offers into the line above it.
void limit_tree::settle(node& which, utc_time now)
{
    auto const offer = offer_of(which, now);
    if (offer == which.offer)
        return;
    auto& above = which.parent != nullptr ? which.parent->line : ready_;
    if (which.offer)
        above.erase(*which.offer);
    which.offer = offer;
    if (offer)
        above.emplace(*offer, &which);
    if (which.parent != nullptr)
        settle(*which.parent, now);
}

void limit_tree::settle_path(node* leaf, utc_time now)
{
    for (auto* each = leaf; each != nullptr; each = each->parent)
        settle(*each, now);
}

void limit_tree::arm(node& which, utc_time at)
{
    if (which.timer && *which.timer <= at)
        return;
    if (which.timer)
        timers_.erase({*which.timer, which.serial});
    which.timer = at;
    timers_.emplace(std::pair{at, which.serial}, &which);
}

void limit_tree::fire_timers(utc_time now, std::size_t most)
{
    for (std::size_t i = 0; i < most && !timers_.empty() && timers_.begin()->first.first <= now; ++i) {
        auto& which = *timers_.begin()->second;
        timers_.erase(timers_.begin());
        which.timer.reset();
        settle(which, now);
        drop_if_unused(which, now);
    }
}

std::vector<execution_id> limit_tree::wake(utc_time now, std::size_t most)
{
    std::vector<execution_id> granted;
    fire_timers(now, most);
    while (!ready_.empty() && granted.size() < most)
        granted.push_back(grant(*ready_.begin()->second, now));
    return granted;
}

std::optional<utc_time> limit_tree::next() const
{
    if (!ready_.empty())
        return utc_time{};
    return timers_.empty() ? std::nullopt : std::optional(timers_.begin()->first.first);
}

// The first of the line at the top, down to the execution, has its place at all levels.
execution_id limit_tree::grant(node& top, utc_time now)
{
    auto* leaf = &top;
    while (auto* below = leaf->line.begin()->second)
        leaf = below;
    auto const first = leaf->line.begin()->first;
    leaf->line.erase(leaf->line.begin());
    auto& which = positions_.at(first.id);
    which.stage = stage::promised;
    for (auto* each = leaf; each != nullptr; each = each->parent) {
        each->used += which.holds ? 0 : 1;
        ++each->promised;
    }
    which.holds = true;
    settle_path(leaf, now);
    return first.id;
}

// --- Executions

void limit_tree::enter(member const& asked, utc_time now)
{
    auto& which = position_of(asked, now);
    if (which.stage == stage::waits || which.stage == stage::promised)
        return;
    if (which.stage == stage::idle) {
        which.leaf->closing.partly = true;
        no_longer_idle(which);
    }
    which.stage = stage::waits;
    which.place = {!which.holds, asked.place, asked.id};
    which.leaf->line.emplace(which.place, nullptr);
    settle(*which.leaf, now);
}

void limit_tree::unpromise(position& which)
{
    for (auto* each = which.leaf; each != nullptr; each = each->parent)
        --each->promised;
}

void limit_tree::release(position& which)
{
    for (auto* each = which.leaf; each != nullptr && which.holds; each = each->parent)
        --each->used;
    which.holds = false;
}

void limit_tree::start(execution_id id, utc_time now)
{
    auto const found = positions_.find(id);
    if (found == positions_.end() || found->second.stage != stage::promised)
        return;
    auto& which = found->second;
    unpromise(which);
    for (auto* each = which.leaf; each != nullptr; each = each->parent) {
        each->rate.take(now);
        each->ahead = {};
    }
    which.stage = stage::sent;
    which.took = true;
    auto& closing = which.leaf->closing;
    closing.lasts = {};
    closing.until = std::min(closing.until, now + first_closed); // a client is there: the others have time to enter
    settle_path(which.leaf, now);
}

void limit_tree::step_back(execution_id id, utc_time now)
{
    auto const found = positions_.find(id);
    if (found == positions_.end() || found->second.stage != stage::promised)
        return;
    auto& which = found->second;
    auto& leaf = *which.leaf;
    unpromise(which);
    if (which.place.fresh)
        release(which);
    which.stage = stage::idle;
    auto& closing = leaf.closing;
    if (closing.until <= now) {
        auto const lasts = std::clamp(2 * closing.lasts, first_closed, longest_closed);
        closing = {now + lasts, lasts, {}, which.place};
    }
    closing.idle.insert(which.place);
    closing.last = std::max(closing.last, which.place);
    settle_path(&leaf, now);
}

// An idle execution of an earlier closing does not count for the present one.
void limit_tree::no_longer_idle(position& which)
{
    auto& closing = which.leaf->closing;
    closing.idle.erase(which.place);
    if (closing.idle.empty())
        closing.until = {};
}

void limit_tree::hold(member const& asked, utc_time now)
{
    if (auto const before = at(asked.id); before == stage::waits || before == stage::promised)
        leave(asked.id, now);
    auto& which = position_of(asked, now);
    if (which.stage == stage::idle)
        no_longer_idle(which);
    which.stage = stage::sent;
    if (which.holds)
        return settle_path(which.leaf, now);
    which.holds = true;
    for (auto* each = which.leaf; each != nullptr; each = each->parent)
        ++each->used;
    settle_path(which.leaf, now);
}

void limit_tree::release_if_over(execution_id id, utc_time now)
{
    auto const found = positions_.find(id);
    if (found == positions_.end() || !found->second.holds)
        return;
    bool over = false;
    for (auto const* each = found->second.leaf; each != nullptr; each = each->parent)
        over = over || (each->slots != 0 && each->used > each->slots);
    if (over)
        leave(id, now);
}

void limit_tree::give_back(member const& asked, utc_time now)
{
    auto const found = positions_.find(asked.id);
    if (found == positions_.end() || found->second.stage != stage::sent)
        return;
    release(found->second);
    settle_path(found->second.leaf, now);
    enter(asked, now);
}

void limit_tree::put_back_tokens(execution_id id, utc_time now)
{
    auto const found = positions_.find(id);
    if (found == positions_.end() || found->second.stage != stage::sent || !std::exchange(found->second.took, false))
        return;
    for (auto* each = found->second.leaf; each != nullptr; each = each->parent)
        each->rate.put_back();
    settle_path(found->second.leaf, now);
}

void limit_tree::leave(execution_id id, utc_time now)
{
    auto const found = positions_.find(id);
    if (found == positions_.end())
        return;
    auto& which = found->second;
    auto& leaf = *which.leaf;
    if (which.stage == stage::waits)
        leaf.line.erase(which.place);
    if (which.stage == stage::promised)
        unpromise(which);
    if (which.stage == stage::idle)
        no_longer_idle(which);
    release(which);
    positions_.erase(found);
    --leaf.members;
    settle_path(&leaf, now);
    drop_if_unused(leaf, now);
}

protocol::blocker limit_tree::blocker_of(execution_id id, utc_time now) const
{
    using protocol::blocker;
    constexpr blocker rates[] = {blocker::task_rate, blocker::service_rate, blocker::project_rate};
    constexpr blocker slots[] = {blocker::task_concurrency, blocker::service_concurrency, blocker::project_concurrency};
    auto const found = positions_.find(id);
    auto in_line = blocker::task_rate; // behind others that are about to go on
    if (found == positions_.end())
        return in_line;
    auto const& which = found->second;
    bool any = false;
    for (auto const* each = which.leaf; each != nullptr; each = each->parent) {
        auto const here = static_cast<std::size_t>(each->level);
        if (which.place.fresh && each->slots != 0 && each->used >= each->slots)
            return slots[here];
        if (!lets(*each, false, now))
            return rates[here];
        if (!std::exchange(any, any || each->slots != 0 || each->rate.limits()))
            in_line = each->rate.limits() ? rates[here] : slots[here];
    }
    return in_line;
}

} // namespace baton::trigger
