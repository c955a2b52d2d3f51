#include "trigger/settings.hpp"

#include "libs/base/error.hpp"

namespace baton::trigger {

namespace {

void require(bool holds, char const* key, char const* why)
{
    if (!holds)
        throw invalid_input(key, std::string(key) + " " + why);
}

} // namespace

void election_settings::validate() const
{
    require(!name_space.empty() && name_space.size() <= 128, "election.namespace", "must have 1 to 128 characters");
    require(tick >= 50ms, "election.tick", "must be at least 50ms");
    require(margin >= 10ms, "election.margin", "must be at least 10ms");
    require(ttl >= 2 * tick + margin, "election.ttl", "must be at least two ticks and the margin");
    require(initial_delay >= 0s, "election.initial_delay", "must not be negative");
    require(grace >= 100ms, "election.grace", "must be at least 100ms");
}

void guard_settings::validate() const
{
    require(wait >= 50ms && wait <= 10s, "guard.wait", "must be from 50ms to 10s");
    require(margin >= 5ms && margin <= wait / 2, "guard.margin", "must be at least 5ms and at most half of guard.wait");
    require(ping >= 10ms && ping <= (wait - margin) / 2, "guard.ping",
            "must be at least 10ms and at most half of what guard.margin leaves of guard.wait");
    require(silence >= 1s && silence <= 60s && silence % 1s == 0s, "guard.silence",
            "must be from 1s to 60s, in whole seconds");
    require(silence >= 2 * wait, "guard.silence", "must be at least twice guard.wait");
}

void planner_settings::validate() const
{
    require(look_ahead >= 1s && look_ahead <= 60s, "planner.look_ahead", "must be from 1s to 60s");
    require(poll >= 20ms, "planner.poll", "must be at least 20ms");
    require(edit_lead >= 2 * poll + 100ms, "planner.edit_lead", "must be at least two polls and 100ms");
    require(edit_lead <= look_ahead, "planner.edit_lead", "must not be longer than planner.look_ahead");
    require(page >= 1 && page <= 500, "planner.page", "must be from 1 to 500");
    require(firings_of_a_task >= 1, "planner.firings_of_a_task", "must be at least 1");
    require(open_limit >= 1'000, "planner.open_limit", "must be at least 1000");
    require(overdue_limit >= 1, "planner.overdue_limit", "must be at least 1");
    require(sweep >= 100ms, "planner.sweep", "must be at least 100ms");
}

void dispatcher_settings::validate() const
{
    require(group >= 1 && group <= 5'000, "dispatcher.group", "must be from 1 to 5000");
    require(queue_limit >= group, "dispatcher.queue_limit", "must be at least dispatcher.group");
    require(assign_limit >= 100ms, "dispatcher.assign_limit", "must be at least 100ms");
    require(dispatch_limit >= 100ms, "dispatcher.dispatch_limit", "must be at least 100ms");
    require(doubt_after >= 1s, "dispatcher.doubt_after", "must be at least 1s");
    require(retry_pause >= 1ms, "dispatcher.retry_pause", "must be at least 1ms");
}

void client_settings::validate() const
{
    require(heartbeat >= 100ms, "clients.heartbeat", "must be at least 100ms");
    require(missed >= 2, "clients.missed", "must be at least 2");
}

void membership_settings::validate() const
{
    require(heartbeat >= 100ms, "membership.heartbeat", "must be at least 100ms");
    require(ttl >= 3 * heartbeat, "membership.ttl", "must be at least three heartbeats");
}

void results_settings::validate() const
{
    require(group >= 1 && group <= 5'000, "results.group", "must be from 1 to 5000");
    require(queue_limit >= group, "results.queue_limit", "must be at least results.group");
}

void retention_settings::validate() const
{
    // Well beyond what looks back, such as an edit, a client that repeats its results, or two clocks that differ.
    require(keep == 0s || keep >= 1h, "retention.keep", "must be at least 1h, or 0s to keep everything");
    require(piece >= 10 && piece <= 5'000, "retention.piece", "must be from 10 to 5000");
    require(share >= 1 && share <= 50, "retention.share", "must be from 1 to 50");
}

void settings::validate() const
{
    // As long as the columns that hold them: a node that cannot write its row never gets work.
    require(!name.empty() && name.size() <= 100, "name", "must have 1 to 100 bytes");
    require(!address.empty() && address.size() <= 255, "address", "must have 1 to 255 bytes");
    require(drain >= 0s, "drain", "must not be negative");
    election.validate();
    guard.validate();
    planner.validate();
    dispatcher.validate();
    clients.validate();
    membership.validate();
    results.validate();
    retention.validate();
}

} // namespace baton::trigger
