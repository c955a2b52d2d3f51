#include "trigger/master/concurrency_gate.hpp"

namespace baton::trigger {

void concurrency_gate::put(line& into, place const& where, candidate const& which, bool holds)
{
    (holds ? into.holders : into.waiting).emplace(which.scheduled_at, which.id);
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
        if (!admitted)
            here.forced.insert(which.id);
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
    if (policy.when_full == protocol::when_full::replace && which.may_skip) {
        out.skip = take_replaced(here);
        for (auto const id : out.skip)
            positions_.erase(id);
        if (!here.holders.empty())
            out.cancel.push_back(here.holders.begin()->second);
    }
    put(here, where, which, false);
    return out;
}

// Removes the waiting executions, except the forced ones.
std::vector<execution_id> concurrency_gate::take_replaced(line& in)
{
    std::vector<execution_id> taken;
    std::erase_if(in.waiting, [&](auto const& one) {
        bool const replaced = !in.forced.contains(one.second);
        if (replaced)
            taken.push_back(one.second);
        return replaced;
    });
    return taken;
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
    if (lines_.at(found->second.where).holders.size() <= static_cast<std::size_t>(limit))
        return {};
    return leave(id);
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
        if (!(in.forced.contains(id) ? force : room)) {
            ++next;
            continue;
        }
        next = in.waiting.erase(next);
        in.forced.erase(id);
        put(in, where, {id, at}, true);
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
