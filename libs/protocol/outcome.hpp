#pragma once

#include <string>
#include <string_view>

namespace baton::protocol {

// Where an execution stands. The text of each is what is stored, sent and shown.
enum class state {
    planned,   // has a row and an instant, not known to be delivered
    running,   // a client reported it as running (written only for what runs longer than about a second)
    retrying,  // an attempt failed; the next one is due at `due_at`
    succeeded, // final, as are all that follow
    failed,
    timed_out,
    cancelled, // by a person or program, or because its task was edited before it was sent (the reason tells)
};

std::string_view to_string(state which);
state parse_state(std::string_view text); // throws invalid_input("state")
constexpr bool is_final(state which)
{
    return which >= state::succeeded;
}

// Why an execution exists.
enum class cause {
    schedule, // a firing
    manual,   // run now
    shard,    // one part of a broadcast
};

std::string_view to_string(cause which);
cause parse_cause(std::string_view text);

// What follows when an attempt ends with `ended` (succeeded, failed, timed_out or cancelled): the same, or `retrying`
// while attempts are left; a failure after cancellation was requested counts as cancelled. The one rule for it; the
// ledger's SQL says the same and a test holds the two together.
state after_attempt(state ended, int attempt, int max_attempts, bool cancel_requested);

} // namespace baton::protocol
