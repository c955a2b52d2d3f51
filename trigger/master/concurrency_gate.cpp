#include "trigger/master/concurrency_gate.hpp"

#include <algorithm>

namespace baton::trigger {

void concurrency_gate::put(line& into, place const& where, candidate const& which, bool holds)
{
    (holds ? into.holders : into.waiting).emplace(which.scheduled_at, which.id);
    if (which.forced)
        (holds ? into.beyond : into.forced).insert(which.id);
    positions_[which.id] = {where, which.scheduled_at, holds};
}

concurrency_gate::ruling concurrency_gate::enter(place const& where, protocol::concurrency_policy const& policy,
                                                 candidate const& which)
{
    if (auto const known = positions_.find(which.id); known != positions_.end())
        return {known->second.holds ? verdict::admitted : verdict::waits, {}, {}};
    auto& here = lines_[where];
    here.limit = policy.limit;
    if (which.forced) {
        bool const admitted = here.running_on.empty();
        put(here, where, which, admitted);
        return {admitted ? verdict::admitted : verdict::waits, {}, {}};
    }
    auto const limit = static_cast<std::size_t>(policy.limit);
    if (here.holders.size() < limit && here.waiting.size() == here.forced.size()) {
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
    if (!in.holders.empty())
        out.cancel.push_back(in.holders.begin()->second);
    return out;
}

void concurrency_gate::runs_on(execution_id id)
{
    if (auto const found = positions_.find(id); found != positions_.end() && found->second.holds)
        lines_.at(found->second.where).running_on.insert(id);
}

void concurrency_gate::hold(place const& where, candidate const& which)
{
    if (holds(which.id))
        return;
    leave(which.id);
    put(lines_[where], where, which, true);
}

std::vector<execution_id> concurrency_gate::release_if_full(execution_id id, int limit)
{
    auto const found = positions_.find(id);
    if (found == positions_.end() || !found->second.holds)
        return {};
    if (under_way(lines_.at(found->second.where), id) <= static_cast<std::size_t>(limit))
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
    auto& here = lines_.at(where);
    here.limit = policy.limit;
    here.holders.erase({found->second.scheduled_at, which.id});
    here.beyond.erase(which.id);
    positions_.erase(found);
    bool const full = here.holders.size() >= static_cast<std::size_t>(policy.limit);
    ruling out{verdict::waits, {}, {}};
    if (policy.when_full == protocol::when_full::replace && (full || here.waiting.size() > here.forced.size()))
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
        bool const room = in.holders.size() < static_cast<std::size_t>(in.limit);
        bool const force = in.running_on.empty();
        if (!room && (!force || in.forced.empty()))
            break;
        auto const [at, id] = *next;
        bool const forced = in.forced.contains(id);
        if (!(forced ? force : room)) {
            ++next;
            continue;
        }
        next = in.waiting.erase(next);
        in.forced.erase(id);
        put(in, where, {id, at, true, forced}, true);
        admitted.push_back(id);
    }
    return admitted;
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
    if (here.holders.empty() && here.waiting.empty())
        lines_.erase(where);
    return admitted;
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
