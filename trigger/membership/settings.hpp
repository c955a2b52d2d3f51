#pragma once
// Settings of the membership.

#include "libs/base/setting.hpp"
#include "libs/base/time.hpp"

namespace baton::trigger {

struct membership_settings {
    duration heartbeat = 1s;
    duration ttl = 4s; // a node that is silent for this time is gone

    void check(setting_check& all) const;
};

} // namespace baton::trigger
