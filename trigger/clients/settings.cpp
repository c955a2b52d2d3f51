#include "trigger/clients/settings.hpp"

#include "libs/base/setting.hpp"

namespace baton::trigger {

void client_settings::validate() const
{
    require_setting(heartbeat >= 100ms, "clients.heartbeat", "must be at least 100ms");
    require_setting(missed >= 2, "clients.missed", "must be at least 2");
}

} // namespace baton::trigger
