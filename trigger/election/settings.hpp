#pragma once
// Settings of the election and its guard.

#include "libs/base/setting.hpp"
#include "libs/base/time.hpp"
#include "trigger/election/epoch.hpp"

#include <string>

namespace baton::trigger {

// The lease on the lock row (docs/election.md).
struct election_settings {
    std::string name_space = "master"; // of the lock row
    duration tick = 1s;                // from the end of one reading of the row to the next
    duration ttl = 3s;                 // a lease that is not renewed for this time is over
    duration margin = 250ms;           // the master stops this long before the end
    duration initial_delay = 0s;       // before the first reading
    duration grace = 5s;               // a term that has not ended this long after its deadline ends the process
    duration stuck = 5s;               // a node whose working loop stands still for so long does not lead
    epoch_rule epochs = epoch_rule::counted;

    void check(setting_check& all) const;
};

// The guard of the lease, a lock that dies with the master's session: for a quick take-over, never for safety.
struct guard_settings {
    bool enabled = true;
    duration wait = 300ms;  // the master acts for less than this after its last ping; a successor waits as long
    duration ping = 75ms;   // of the master, on the guard's session
    duration margin = 30ms; // the master stops this long before the end
    duration silence = 2s;  // MySQL ends a guard's session that is silent for this time

    void check(setting_check& all) const;
};

// The time that an act of a master may ask for at most. With any settings that validate, that much is left at every
// moment between two acknowledged renewals and pings, so an active master finds room to plan and to fire.
duration room_for_acts(election_settings const& lease, guard_settings const& guard);

} // namespace baton::trigger
