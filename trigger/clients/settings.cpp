#include "trigger/clients/settings.hpp"

namespace baton::trigger {

void client_settings::check(setting_check& all) const
{
    all.require(heartbeat >= 100ms, "clients.heartbeat", "must be at least 100ms");
    all.require(missed >= 2, "clients.missed", "must be at least 2");
}

} // namespace baton::trigger
