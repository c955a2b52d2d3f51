#include "libs/protocol/outcome.hpp"

namespace baton::protocol {

state after_attempt(state ended, int attempt, int max_attempts, bool cancel_requested)
{
    if (ended != state::failed && ended != state::timed_out)
        return ended;
    if (cancel_requested)
        return state::cancelled;
    return attempt < max_attempts ? state::retrying : ended;
}

} // namespace baton::protocol
