#pragma once
// Settings of the clients' registrations.

#include "libs/base/setting.hpp"
#include "libs/base/time.hpp"

namespace baton::trigger {

struct client_settings {
    duration heartbeat = 5s; // asked of clients; gone after three
    int missed = 3;

    duration ttl() const { return heartbeat * missed; }
    void check(setting_check& all) const;
};

} // namespace baton::trigger
