#include "trigger/master/doubt.hpp"

#include <algorithm>

namespace baton::trigger {

doubt::doubt(std::vector<protocol::attempt_key> asked) : asked_(std::move(asked))
{
    for (auto const& one : asked_)
        attempts_.emplace(one.execution, one.attempt);
}

void doubt::answered(std::string const& instance, std::vector<protocol::held_execution> const& held)
{
    answered_.insert(instance);
    for (auto const& one : held) {
        auto const found = attempts_.find(one.execution);
        bool const is_void = !one.finished && given_back_.contains({one.execution, instance});
        if (found == attempts_.end() || is_void)
            continue;
        holder const at{instance, std::chrono::milliseconds{std::max<std::int64_t>(one.run_ms, 0)}, one.attempt,
                        one.finished, one.succeeded};
        // A client that remembers that an earlier attempt failed does not have the attempt in question.
        if (one.attempt >= found->second || one.succeeded)
            holders_[one.execution] = at;
        else if (!one.finished)
            earlier_[one.execution] = at;
    }
}

void doubt::given_back(execution_id execution, std::string const& instance)
{
    given_back_.emplace(execution, instance);
    auto const found = holders_.find(execution);
    if (found != holders_.end() && found->second.client == instance && !found->second.finished)
        holders_.erase(found);
}

doubt_finding doubt::finding(execution_id execution, bool complete) const
{
    if (auto const found = holders_.find(execution); found != holders_.end())
        return {doubt_finding::kind::held, found->second.client, found->second.ran, found->second.attempt,
                found->second.finished && !found->second.succeeded};
    if (auto const found = earlier_.find(execution); found != earlier_.end())
        return {doubt_finding::kind::runs_earlier, found->second.client, found->second.ran, found->second.attempt};
    return {complete ? doubt_finding::kind::absent : doubt_finding::kind::open};
}

std::vector<execution_id> next_in_turn(std::set<execution_id> const& in_doubt, execution_id after, std::size_t most)
{
    std::vector<execution_id> next;
    auto from = in_doubt.upper_bound(after);
    if (from == in_doubt.end())
        from = in_doubt.begin();
    for (; from != in_doubt.end() && next.size() < most; ++from)
        next.push_back(*from);
    return next;
}

} // namespace baton::trigger
