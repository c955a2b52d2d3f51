#include "trigger/delivery/known_attempts.hpp"

namespace baton::trigger {

known_attempt const* known_attempts::find(execution_id execution) const
{
    auto const found = known_.find(execution);
    return found == known_.end() ? nullptr : &found->second;
}

void known_attempts::waits_in(execution_id execution, std::uint64_t lane)
{
    if (auto const found = known_.find(execution); found != known_.end())
        found->second.lane = lane;
}

bool known_attempts::superseded(protocol::dispatch const& one) const
{
    auto const* latest = find(one.execution);
    return latest != nullptr && latest->attempt > one.attempt;
}

void known_attempts::forget_settled()
{
    auto const end = acknowledged_.upper_bound(window_.settled());
    for (auto each = acknowledged_.begin(); each != end; ++each) {
        auto const* latest = find(each->second.execution);
        if (latest != nullptr && latest->attempt == each->second.attempt && latest->fate >= fate::delivered)
            forget(each->second.execution);
    }
    acknowledged_.erase(acknowledged_.begin(), end);
}

} // namespace baton::trigger
