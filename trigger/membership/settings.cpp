#include "trigger/membership/settings.hpp"

#include "libs/base/setting.hpp"

namespace baton::trigger {

void membership_settings::validate() const
{
    require_setting(heartbeat >= 100ms, "membership.heartbeat", "must be at least 100ms");
    require_setting(ttl >= 3 * heartbeat, "membership.ttl", "must be at least three heartbeats");
}

} // namespace baton::trigger
