#include "trigger/master/unsplit_broadcasts.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr duration look_for_client_again = 500ms; // of a line whose need no client meets
}

std::optional<execution_id> unsplit_broadcasts::next(instant now, is_met const& met)
{
    auto at = lines_.upper_bound(last_);
    for (auto left = lines_.size(); left > 0; --left, ++at) {
        if (at == lines_.end())
            at = lines_.begin();
        auto& [needed, here] = *at;
        if (here.not_before > now)
            continue;
        if (met(needed)) {
            last_ = needed;
            return here.waiting.front();
        }
        here.not_before = now + look_for_client_again;
    }
    return std::nullopt;
}

void unsplit_broadcasts::done()
{
    auto const at = lines_.find(last_);
    if (at == lines_.end())
        return;
    at->second.waiting.pop_front();
    if (at->second.waiting.empty())
        lines_.erase(at);
}

std::optional<instant> unsplit_broadcasts::look_at(instant now) const
{
    std::optional<instant> first;
    for (auto const& [needed, here] : lines_)
        first = std::min(first.value_or(instant::max()), std::max(now, here.not_before));
    return first;
}

} // namespace baton::trigger
