#pragma once

#include "libs/base/time.hpp"
#include "libs/protocol/names.hpp"

#include <optional>
#include <string>

namespace baton::protocol {

// The state of an execution.
enum class state {
    planned,   // has a row and an instant, not known to be delivered
    waiting,   // due, and kept back by the limit of its task for over a second: no client has the present attempt
    running,   // a client reported it as running (written only for executions longer than about a second)
    stopping,  // its handler was asked to stop (stop_cause), and has not returned
    retrying,  // an attempt failed; the next one is due at `due_at`
    succeeded, // final, as are all that follow
    failed,
    timed_out,
    cancelled, // by a person or program, or because its task was edited before it was sent (the reason tells)
    skipped,   // never sent, because the misfire or the concurrency policy of its task left it out
};
template <>
inline constexpr std::array<std::string_view, 10> names_of<state>{"planned",   "waiting",   "running", "stopping",
                                                                  "retrying",  "succeeded", "failed",  "timed_out",
                                                                  "cancelled", "skipped"};

constexpr bool is_final(state which)
{
    return which >= state::succeeded;
}

// An end that a client may report.
constexpr bool is_reported_end(state which)
{
    return is_final(which) && which != state::skipped;
}

// Why a handler is asked to stop.
enum class stop_cause {
    timeout, // of its task; a further attempt may follow
    cancel,
};
template <>
inline constexpr std::array<std::string_view, 2> names_of<stop_cause>{"timeout", "cancel"};

// Why an execution exists.
enum class cause {
    schedule, // a firing
    manual,   // run now
    shard,    // one part of a broadcast
    rerun,    // a dead letter, run again
    forced,   // run now, whatever the concurrency policy of its task and pauses say
};
template <>
inline constexpr std::array<std::string_view, 5> names_of<cause>{"schedule", "manual", "shard", "rerun", "forced"};

// The state of a dead letter, that is, of an execution that failed or timed out in its last attempt.
enum class resolution {
    open,
    retried,   // a further execution has run it again, or will
    dismissed, // by a person or program
};
template <>
inline constexpr std::array<std::string_view, 3> names_of<resolution>{"open", "retried", "dismissed"};

// Why an attempt exists. The last three replace an attempt that was lost, so they do not count against the task's own
// attempts.
enum class attempt_cause {
    first,
    retry,       // the attempt before it failed
    interrupted, // the client of the attempt before it stopped, and asked the handler to stop; this uses up no retry
    client_gone, // its client is gone
    node_gone,   // the node that was to deliver it is gone
    take_over,   // a new master does not know whether the attempt before it was delivered
};
template <>
inline constexpr std::array<std::string_view, 6> names_of<attempt_cause>{"first",       "retry",     "interrupted",
                                                                         "client_gone", "node_gone", "take_over"};

constexpr bool replaces_lost(attempt_cause which)
{
    return which > attempt_cause::interrupted;
}

// The task does not count such an attempt: it raises the execution's max_attempts.
constexpr bool is_additional(attempt_cause which)
{
    return which > attempt_cause::retry;
}

// The attempt before it has a result, so its handler had begun.
constexpr bool follows_result(attempt_cause which)
{
    return which == attempt_cause::retry || which == attempt_cause::interrupted;
}

// The state of an execution whose attempt has ended as `ended` (succeeded, failed, timed_out or cancelled): the same,
// or `retrying` while attempts are left; a failure after a request to cancel counts as cancelled. The ledger's SQL
// states the same rule, and a test holds the two together.
state after_attempt(state ended, int attempt, int max_attempts, bool cancel_requested);

// The outcome of an attempt whose handler was asked to stop, because its client stops, and returned without success.
// The execution goes out again, and that uses up no attempt of the task; after a request to cancel it is cancelled.
inline constexpr char interrupted[] = "interrupted";

// The attempts that an execution may have in all, once an attempt has failed: none after a failure that is final.
constexpr int attempts_allowed(bool final_failure, int attempt, int max_attempts)
{
    return final_failure ? attempt : max_attempts;
}

// An execution fails with the interruption after so many, so that a client that reports each failure as an interruption
// does not run it for ever. A deployment of a hundred clients one after the other interrupts few executions that often.
inline constexpr int most_interruptions = 20;
std::string reason_of_interruptions();

// A handler may kill its own process. So the deaths of clients are counted for each execution, but only deaths at which
// the execution may have begun. Returns the pause before the next attempt: 1 s, doubled with each death, at most a
// minute. Returns nothing when the execution fails: `deaths` has reached the task's `max_deaths`.
std::optional<duration> pause_after_deaths(int deaths, int max_deaths);

// The pause before the attempt that replaces a lost one, if `lost` attempts of the execution were lost before: none at
// first, then 1 s, doubled each time, at most a minute. So an execution that is lost at once each time does not open
// attempts without end.
duration pause_after_lost(int lost);

// Of an execution that may begin at most once (task_definition::at_most_once): it was sent, and no client has it.
inline constexpr char perhaps_begun[] = "it may begin at most once, and it is not known whether its handler began";

// "its client died 3 times while it may have been running"
std::string reason_of_deaths(int deaths);

// True if the next death is the last. Such an execution is sent alone (trigger::suspect_line).
constexpr bool last_before_failing(int deaths, int max_deaths)
{
    return deaths > 0 && deaths + 1 >= max_deaths;
}

} // namespace baton::protocol
