#include "trigger/membership/settings.hpp"

namespace baton::trigger {

void membership_settings::check(setting_check& all) const
{
    all.require(heartbeat >= 100ms, "membership.heartbeat", "must be at least 100ms");
    all.require(ttl >= 3 * heartbeat, "membership.ttl", "must be at least three heartbeats");
}

} // namespace baton::trigger
