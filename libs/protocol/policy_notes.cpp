#include "libs/protocol/policy_notes.hpp"

#include <algorithm>

namespace baton::protocol {

namespace {

// From the due instant until a client has an execution. Most take a few milliseconds; under load, one in a thousand
// takes longer than this.
constexpr duration sending = 100ms;
// Handlers that do anything at all take longer.
constexpr duration shortest_handler = 10ms;

std::string millis(duration span)
{
    return std::to_string(span / 1ms) + " ms";
}

std::string too_soon(std::string const& outcome, std::string const& remedy)
{
    return outcome + ", and sending one may take " + millis(sending) + ": few or none will run; set " + remedy;
}

// A policy skips firings that have a later one, or all that are late. Only the latter leaves nothing.
void note_misfire(task_definition const& task, std::vector<policy_note>& found)
{
    auto const& policy = task.misfire;
    if (!has_known_firings(task.schedule.kind) || policy.after >= sending)
        return;
    auto const outcome = [](duration span) {
        return "a firing that is not sent within " + millis(span) + " is skipped";
    };
    if (policy.action == misfire_action::skip)
        found.push_back({"misfire.after_ms", too_soon(outcome(policy.after), "misfire.after_ms to 1000 or more")});
    if (policy.action == misfire_action::fire_all && policy.within > 0s && policy.within < sending)
        found.push_back({"misfire.within_ms", too_soon(outcome(std::max(policy.after, policy.within)),
                                                       "misfire.within_ms to 1000 or more, or to 0 for no bound")});
}

void note_retries(task_definition const& task, std::vector<policy_note>& found)
{
    auto const& total = task.limits.total;
    if (task.max_attempts > 1 && total > 0s && task.retry_delay >= total)
        found.push_back({"retry_delay_ms", "an execution ends " + millis(total) +
                                               " after it was due (limits.total_ms), before the pause of " +
                                               millis(task.retry_delay) +
                                               " is over: no second attempt will run; lower retry_delay_ms, or set "
                                               "max_attempts to 1"});
}

void note_timeout(task_definition const& task, std::vector<policy_note>& found)
{
    if (task.timeout > 0s && task.timeout < shortest_handler)
        found.push_back({"timeout_ms", "a handler is asked to stop " + millis(task.timeout) +
                                           " after its start, and few return so soon: nearly every attempt will time "
                                           "out; set timeout_ms to 1000 or more, or to 0 for none"});
}

void note_limits(task_definition const& task, std::vector<policy_note>& found)
{
    auto const& limits = task.limits;
    if (limits.start_within > 0s && limits.start_within < sending) {
        auto const* const fate = limits.late_start == late_start::skip ? " is skipped" : " fails";
        auto const outcome = "an execution that no client has " + millis(limits.start_within) + " after it was due";
        found.push_back({"limits.start_within_ms",
                         too_soon(outcome + fate, "limits.start_within_ms to 1000 or more, or to 0 for no limit")});
    }
    if (limits.total > 0s && limits.total < sending)
        found.push_back(
            {"limits.total_ms", too_soon("an execution ends as timed_out " + millis(limits.total) + " after it was due",
                                         "limits.total_ms to 1000 or more, or to 0 for no limit")});
}

} // namespace

std::vector<policy_note> policy_notes(task_definition const& task)
{
    std::vector<policy_note> found;
    note_misfire(task, found);
    note_retries(task, found);
    note_timeout(task, found);
    note_limits(task, found);
    return found;
}

} // namespace baton::protocol
