#include "trigger/election/settings.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr duration least_room = 50ms;
}

duration room_for_acts(election_settings const& lease, guard_settings const& guard)
{
    auto left = lease.ttl - lease.ttl / 1'000 - lease.margin - lease.tick;
    if (guard.enabled)
        left = std::min(left, guard.wait - guard.wait / 1'000 - guard.margin - guard.ping);
    return left * 3 / 4; // the answer to a ping or a renewal takes time too
}

void election_settings::check(setting_check& all) const
{
    all.require(!name_space.empty() && name_space.size() <= 128, "election.namespace", "must have 1 to 128 characters");
    all.require(tick >= 50ms, "election.tick", "must be at least 50ms");
    all.require(margin >= 10ms, "election.margin", "must be at least 10ms");
    all.require(ttl >= 2 * tick + margin, "election.ttl", "must be at least two ticks and the margin");
    all.require(initial_delay >= 0s, "election.initial_delay", "must not be negative");
    all.require(grace >= 100ms, "election.grace", "must be at least 100ms");
    all.require(stuck >= 1s, "election.stuck", "must be at least 1s");
}

void guard_settings::check(setting_check& all) const
{
    all.require(wait >= 100ms && wait <= 10s, "guard.wait", "must be from 100ms to 10s");
    all.require(margin >= 5ms && margin <= wait / 2, "guard.margin",
                "must be at least 5ms and at most half of guard.wait");
    all.require(ping >= 10ms && ping <= (wait - margin) / 2, "guard.ping",
                "must be at least 10ms and at most half of what guard.margin leaves of guard.wait");
    all.require(wait - margin - ping >= least_room, "guard.wait",
                "must leave at least 50ms after guard.margin and guard.ping, so that a master can act between pings");
    all.require(silence >= 1s && silence <= 60s && silence % 1s == 0s, "guard.silence",
                "must be from 1s to 60s, in whole seconds");
    all.require(silence >= 2 * wait, "guard.silence", "must be at least twice guard.wait");
}

} // namespace baton::trigger
