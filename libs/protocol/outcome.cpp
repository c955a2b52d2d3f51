#include "libs/protocol/outcome.hpp"

#include <algorithm>

namespace baton::protocol {

state after_attempt(state ended, int attempt, int max_attempts, bool cancel_requested)
{
    if (ended != state::failed && ended != state::timed_out)
        return ended;
    if (cancel_requested)
        return state::cancelled;
    return attempt < max_attempts ? state::retrying : ended;
}

std::optional<duration> pause_after_deaths(int deaths, int max_deaths)
{
    if (deaths >= max_deaths)
        return std::nullopt;
    return pause_after_lost(deaths);
}

duration pause_after_lost(int lost)
{
    if (lost <= 0)
        return 0s;
    auto const doublings = std::min(lost - 1, 6);
    return std::min<duration>(1s * (1 << doublings), 60s);
}

std::string reason_of_interruptions()
{
    return "its client stopped " + std::to_string(most_interruptions) + " times while it was running";
}

std::string reason_of_deaths(int deaths)
{
    auto const times = deaths == 1 ? std::string("once") : std::to_string(deaths) + " times";
    return "its client died " + times + " while it may have been running";
}

} // namespace baton::protocol
