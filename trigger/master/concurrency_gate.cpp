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
    auto const limit = static_cast<std::size_t>(policy.limit);
    if (here.holders.size() < limit && here.waiting.empty()) {
        put(here, where, which, true);
        return {};
    }
    bool const queue_full = policy.queue != 0 && here.waiting.size() >= static_cast<std::size_t>(policy.queue);
    if (which.may_skip && (policy.when_full == protocol::when_full::skip || queue_full))
        return {verdict::skipped, {}, {}};
    ruling out{verdict::waits, {}, {}};
    if (policy.when_full == protocol::when_full::replace && which.may_skip) {
        for (auto const& [at, id] : std::exchange(here.waiting, {})) {
            out.skip.push_back(id);
            positions_.erase(id);
        }
        if (!here.holders.empty())
            out.cancel.push_back(here.holders.begin()->second);
    }
    put(here, where, which, false);
    return out;
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
    while (!in.waiting.empty() && in.holders.size() < static_cast<std::size_t>(in.limit)) {
        auto const [at, id] = *in.waiting.begin();
        in.waiting.erase(in.waiting.begin());
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
