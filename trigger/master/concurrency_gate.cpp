#include "trigger/master/concurrency_gate.hpp"

#include <algorithm>
#include <iterator>

namespace baton::trigger {

void concurrency_gate::put(line& into, place const& where, candidate const& which, bool holds)
{
    (holds ? into.holders : into.waiting).emplace(which.scheduled_at, which.id);
    if (which.forced)
        (holds ? into.beyond : into.forced).insert(which.id);
    positions_[which.id] = {where, which.scheduled_at, holds};
}

concurrency_gate::line& concurrency_gate::line_at(place const& where, protocol::concurrency_policy const& policy,
                                                  int version)
{
    auto& limit = limits_[where.task];
    if (limit.lines == 0 || version >= limit.version) {
        limit.version = version;
        limit.most = static_cast<std::size_t>(policy.limit);
    }
    auto const [found, made] = lines_.try_emplace(where);
    if (made) {
        found->second.of = &limit;
        ++limit.lines;
    }
    return found->second;
}

void concurrency_gate::drop_if_unused(place const& where)
{
    auto const found = lines_.find(where);
    if (!found->second.holders.empty() || !found->second.waiting.empty())
        return;
    lines_.erase(found);
    if (auto const limit = limits_.find(where.task); --limit->second.lines == 0) {
        limits_.erase(limit);
        raised_.erase(where.task);
    }
}

concurrency_gate::ruling concurrency_gate::enter(place const& where, protocol::concurrency_policy const& policy,
                                                 candidate const& which)
{
    if (auto const known = positions_.find(which.id); known != positions_.end())
        return {known->second.holds ? verdict::admitted : verdict::waits, {}, {}};
    auto& here = line_at(where, policy, which.version);
    auto admitted = promote(where, here); // it may have brought a higher limit
    auto out = enter(here, where, policy, which);
    out.admitted = std::move(admitted);
    return out;
}

concurrency_gate::ruling concurrency_gate::enter(line& here, place const& where,
                                                 protocol::concurrency_policy const& policy, candidate const& which)
{
    if (which.forced) {
        bool const admitted = here.running_on.empty();
        put(here, where, which, admitted);
        return {admitted ? verdict::admitted : verdict::waits, {}, {}};
    }
    if (here.admits()) {
        put(here, where, which, true);
        return {};
    }
    bool const queue_full = policy.queue != 0 && here.waiting.size() >= static_cast<std::size_t>(policy.queue);
    if (which.may_skip && (policy.when_full == protocol::when_full::skip || queue_full))
        return {verdict::skipped, {}, {}};
    ruling out{verdict::waits, {}, {}};
    if (policy.when_full == protocol::when_full::replace)
        out = replace(here, which);
    if (!out.outdated)
        put(here, where, which, false);
    return out;
}

std::optional<task_id> concurrency_gate::next_task(task_id last) const
{
    auto const next = limits_.upper_bound(last);
    return next == limits_.end() ? std::nullopt : std::optional(next->first);
}

void concurrency_gate::edit(task_id task, int version, int limit)
{
    auto const found = limits_.find(task);
    if (found == limits_.end() || version <= found->second.version)
        return;
    found->second.version = version;
    found->second.most = static_cast<std::size_t>(limit);
    raised_[task] = 0;
}

std::vector<execution_id> concurrency_gate::admit_more()
{
    std::vector<execution_id> admitted;
    if (raised_.empty())
        return admitted;
    auto const [task, from] = *raised_.begin();
    raised_.erase(raised_.begin());
    auto left = most_at_once;
    for (auto at = lines_.lower_bound({task, from}); at != lines_.end() && at->first.task == task; ++at) {
        if (left-- == 0 || admitted.size() >= most_at_once) {
            raised_[task] = at->first.key;
            break;
        }
        auto const some = promote(at->first, at->second);
        admitted.insert(admitted.end(), some.begin(), some.end());
        if (raised_.contains(task)) // it has more than can be admitted at once
            break;
    }
    return admitted;
}

// Removes the waiting executions, except the forced ones. The newest counts, and not the last to enter: those that a
// former master may have sent enter when the clients have been asked.
concurrency_gate::ruling concurrency_gate::replace(line& in, candidate const& by)
{
    ruling out{verdict::waits, {}, {}};
    std::pair const mine{by.scheduled_at, by.id};
    auto const is_newer = [&](auto const& one) { return mine < one && !in.forced.contains(one.second); };
    // A forced execution replaces no other.
    auto const first = std::find_if(in.holders.begin(), in.holders.end(),
                                    [&](auto const& one) { return !in.beyond.contains(one.second); });
    out.outdated =
        std::any_of(in.waiting.begin(), in.waiting.end(), is_newer) || (first != in.holders.end() && mine < *first);
    if (out.outdated)
        return out;
    std::erase_if(in.waiting, [&](auto const& one) {
        bool const replaced = !in.forced.contains(one.second);
        if (replaced)
            out.skip.push_back(one.second);
        return replaced;
    });
    for (auto const id : out.skip)
        positions_.erase(id);
    auto const open = std::find_if(in.holders.begin(), in.holders.end(), [&](auto const& one) {
        return !in.beyond.contains(one.second) && !in.running_on.contains(one.second);
    });
    if (open != in.holders.end())
        out.cancel.push_back(open->second);
    return out;
}

void concurrency_gate::runs_on(execution_id id)
{
    if (auto const found = positions_.find(id); found != positions_.end() && found->second.holds)
        lines_.at(found->second.where).running_on.insert(id);
}

std::vector<execution_id> concurrency_gate::hold(place const& where, protocol::concurrency_policy const& policy,
                                                 candidate const& which)
{
    if (holds(which.id))
        return {};
    auto admitted = leave(which.id);
    put(line_at(where, policy, which.version), where, which, true);
    return admitted;
}

std::vector<execution_id> concurrency_gate::release_if_full(execution_id id)
{
    auto const found = positions_.find(id);
    if (found == positions_.end() || !found->second.holds)
        return {};
    auto const& here = lines_.at(found->second.where);
    if (here.of->most == 0 || under_way(here, id) <= here.of->most)
        return {};
    return leave(id);
}

// As one of the holders counts them.
std::size_t concurrency_gate::under_way(line const& in, execution_id one)
{
    return in.holders.size() - (in.beyond.contains(one) ? 0 : in.beyond.size());
}

concurrency_gate::ruling concurrency_gate::give_back(protocol::concurrency_policy const& policy, candidate const& which)
{
    auto const found = positions_.find(which.id);
    if (found == positions_.end() || !found->second.holds)
        return {};
    auto const where = found->second.where;
    auto& here = line_at(where, policy, which.version);
    here.holders.erase({found->second.scheduled_at, which.id});
    here.beyond.erase(which.id);
    positions_.erase(found);
    ruling out{verdict::waits, {}, {}};
    if (policy.when_full == protocol::when_full::replace &&
        (!here.has_room() || here.waiting.size() > here.forced.size()))
        out = replace(here, which);
    if (!out.outdated)
        put(here, where, which, false);
    out.admitted = promote(where, here);
    return out;
}

std::vector<execution_id> concurrency_gate::promote(place const& where, line& in)
{
    std::vector<execution_id> admitted;
    for (auto next = in.waiting.begin(); next != in.waiting.end();) {
        bool const room = in.has_room();
        bool const force = in.running_on.empty();
        if (!room && (!force || in.forced.empty()))
            break;
        auto const [at, id] = *next;
        bool const forced = in.forced.contains(id);
        if (!(forced ? force : room)) {
            ++next;
            continue;
        }
        if (admitted.size() == most_at_once) {
            auto const [more, made] = raised_.try_emplace(where.task, where.key);
            more->second = std::min(more->second, where.key);
            break;
        }
        next = in.waiting.erase(next);
        in.forced.erase(id);
        put(in, where, {id, at, true, forced}, true);
        admitted.push_back(id);
    }
    return admitted;
}

void concurrency_gate::hand_over(execution_id from, candidate const& to)
{
    auto const found = positions_.find(from);
    if (found == positions_.end() || !found->second.holds || positions_.contains(to.id))
        return;
    auto const [where, at, held] = found->second;
    positions_.erase(found);
    auto& here = lines_.at(where);
    here.holders.erase({at, from});
    bool const beyond = here.beyond.erase(from) != 0;
    if (!beyond || here.has_room())
        put(here, where, to, true);
}

std::vector<execution_id> concurrency_gate::leave(execution_id id)
{
    auto const found = positions_.find(id);
    if (found == positions_.end())
        return {};
    auto const [where, at, held] = found->second;
    positions_.erase(found);
    auto& here = lines_.at(where);
    (held ? here.holders : here.waiting).erase({at, id});
    here.forced.erase(id);
    here.beyond.erase(id);
    here.running_on.erase(id);
    auto admitted = promote(where, here);
    drop_if_unused(where);
    return admitted;
}

std::optional<execution_id> concurrency_gate::holder_if_full(place const& where,
                                                             std::function<bool(execution_id)> const& which) const
{
    auto const here = lines_.find(where);
    if (here == lines_.end() || here->second.admits())
        return std::nullopt;
    auto const& all = here->second.holders;
    auto const end = std::ranges::next(all.begin(), most_looked_at, all.end());
    auto const found = std::find_if(all.begin(), end, [&](auto const& one) { return which(one.second); });
    return found == end ? std::nullopt : std::optional(found->second);
}

std::vector<concurrency_gate::waiting_one> concurrency_gate::waiting_behind(place const& where, waiting_one const& last,
                                                                            std::size_t most) const
{
    std::vector<waiting_one> some;
    auto const here = lines_.find(where);
    if (here == lines_.end())
        return some;
    auto const& all = here->second.waiting;
    auto const first = last == waiting_one{} ? all.begin() : all.upper_bound(last);
    std::copy(first, std::ranges::next(first, static_cast<std::ptrdiff_t>(most), all.end()), std::back_inserter(some));
    return some;
}

std::optional<concurrency_gate::place> concurrency_gate::place_blocking_others(execution_id id) const
{
    auto const found = positions_.find(id);
    bool const keeps =
        found != positions_.end() && found->second.holds && !lines_.at(found->second.where).waiting.empty();
    return keeps ? std::optional(found->second.where) : std::nullopt;
}

std::optional<concurrency_gate::place> concurrency_gate::next_line(place const& from) const
{
    auto const next = lines_.lower_bound(from);
    return next == lines_.end() ? std::nullopt : std::optional(next->first);
}

bool concurrency_gate::holds(execution_id id) const
{
    auto const found = positions_.find(id);
    return found != positions_.end() && found->second.holds;
}

bool concurrency_gate::waits(execution_id id) const
{
    auto const found = positions_.find(id);
    return found != positions_.end() && !found->second.holds;
}

} // namespace baton::trigger
