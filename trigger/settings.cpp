#include "trigger/settings.hpp"

namespace baton::trigger {

void settings::check(setting_check& all) const
{
    // As long as the columns that hold them: a node that cannot write its row never gets work.
    all.require(!name.empty() && name.size() <= 100, "name", "must have 1 to 100 bytes");
    all.require(!address.empty() && address.size() <= 255, "address", "must have 1 to 255 bytes");
    all.require(drain >= 0s, "drain", "must not be negative");
    election.check(all);
    guard.check(all);
    planner.check(all);
    dispatcher.check(all);
    clients.check(all);
    membership.check(all);
    results.check(all);
    retention.check(all);
    zones.check(all);
}

} // namespace baton::trigger
