#include "trigger/master/sent_attempts.hpp"

namespace baton::trigger {

namespace {
constexpr duration slice_span = 100ms;
}

void sent_attempts::add(utc_time due, protocol::attempt_key which)
{
    slices_[due.time_since_epoch() / slice_span].push_back(which);
}

std::optional<sent_attempts::slice> sent_attempts::take(utc_time until)
{
    if (slices_.empty())
        return std::nullopt;
    auto const first = slices_.begin();
    utc_time const begin{first->first * slice_span};
    if (begin > until)
        return std::nullopt;
    slice found{begin + slice_span - 1us, std::move(first->second)};
    slices_.erase(first);
    return found;
}

} // namespace baton::trigger
