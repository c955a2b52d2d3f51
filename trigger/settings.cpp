#include "trigger/settings.hpp"

#include "libs/base/setting.hpp"

namespace baton::trigger {

void settings::validate() const
{
    // As long as the columns that hold them: a node that cannot write its row never gets work.
    require_setting(!name.empty() && name.size() <= 100, "name", "must have 1 to 100 bytes");
    require_setting(!address.empty() && address.size() <= 255, "address", "must have 1 to 255 bytes");
    require_setting(drain >= 0s, "drain", "must not be negative");
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
