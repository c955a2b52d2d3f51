#pragma once
// Time zones of the IANA database, as this process knows it at present (zones.hpp). Every function may be called from
// any thread.

#include "libs/base/time.hpp"
#include "libs/schedule/zone_database.hpp"

#include <string>

namespace baton::schedule {

// The moments at which a wall clock shows a given reading.
struct moments {
    enum class count {
        one,
        none, // the clock was put forward over the reading: both moments are the first one after the gap
        two,  // the clock was put back
    };
    count shown;
    utc_time first;
    utc_time second;
};

// True for a name in the database, with the same letters ("Europe/Berlin", "UTC").
bool zone_exists(std::string const& name);

// A handle on the rules that the zone has when the handle is made. They stay when the process takes another database.
class time_zone {
public:
    // Throws invalid_input("schedule.zone", ...) for an unknown name.
    explicit time_zone(std::string const& name);

    std::string const& name() const { return rules_->name(); }
    zone_period at(utc_time when) const { return rules_->at(when); }
    local_time to_local(utc_time when) const { return at(when).local(when); }
    moments to_utc(local_time shown) const;

private:
    zone_pointer rules_;
};

} // namespace baton::schedule
