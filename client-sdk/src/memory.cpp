#include "client-sdk/src/memory.hpp"

namespace baton::client {

void memory::remember(execution_id execution, ended what)
{
    order_.emplace_back(what.at, execution);
    ended_[execution] = what;
    while (order_.size() > most_)
        drop_oldest();
}

memory::ended const* memory::find(execution_id execution, instant now) const
{
    auto const found = ended_.find(execution);
    return found == ended_.end() || now - found->second.at > span_ ? nullptr : &found->second;
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
    if (auto const found = ended_.find(execution); found != ended_.end() && found->second.at == at)
        ended_.erase(found);
}

} // namespace baton::client
