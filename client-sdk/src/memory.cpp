#include "client-sdk/src/memory.hpp"

namespace baton::client {

void memory::remember(execution_id execution, ended what)
{
    ended_[execution] = what;
    if (!what.recorded)
        return;
    order_.emplace_back(what.at, execution);
    while (order_.size() > most_)
        drop_oldest();
}

void memory::recorded(execution_id execution, int attempt, instant now)
{
    auto const found = ended_.find(execution);
    if (found == ended_.end() || found->second.attempt != attempt || found->second.recorded)
        return; // a later attempt has ended since
    auto what = found->second;
    what.recorded = true;
    what.at = now;
    remember(execution, what);
}

memory::ended const* memory::find(execution_id execution, instant now) const
{
    auto const found = ended_.find(execution);
    if (found == ended_.end())
        return nullptr;
    auto const& one = found->second;
    return one.recorded && now - one.at > span_ ? nullptr : &one;
}

void memory::forget(instant now)
{
    while (!order_.empty() && now - order_.front().first > span_)
        drop_oldest();
}

void memory::drop_oldest()
{
    auto const [at, execution] = order_.front();
    order_.pop_front();
    // A later attempt may have ended since, under an entry of its own.
    if (auto const found = ended_.find(execution);
        found != ended_.end() && found->second.recorded && found->second.at == at)
        ended_.erase(found);
}

} // namespace baton::client
