#pragma once
// Time zones of the IANA database. Hides the date library from all other headers. Every function may be called from any
// thread.

#include "libs/base/time.hpp"

#include <chrono>
#include <string>

namespace date {
class time_zone;
}

namespace baton::schedule {

// No schedule that is read in a zone fires at or after this.
inline constexpr utc_time latest_firing = std::chrono::sys_days{std::chrono::year{9'000} / 1 / 1};

// A reading of the clock and the calendar on the wall. The context tells the zone.
using local_time = std::chrono::local_time<std::chrono::seconds>;

// A span of time, [begin, end), in which a zone keeps one offset from UTC. The next period may have the same offset.
struct zone_period {
    utc_time begin;
    utc_time end;
    std::chrono::seconds offset; // local time minus UTC

    local_time local(utc_time at) const;
    local_time local_begin() const { return local(begin); }
    local_time local_end() const { return local(end); }
};

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

// True for a name in the system's database, with the same letters ("Europe/Berlin", "UTC").
bool zone_exists(std::string const& name);

// A handle on a zone, as cheap as a pointer. The database lives as long as the process.
//
// Debian's build of the date library reads compiled zone files. Their tables end with the year 2037, and the library
// does not read the rule for later years. For zones whose table ends there, later years borrow the offsets of a year
// from 2027 to 2037 with the same weekdays, which gives the same result as the rule.
class time_zone {
public:
    // Throws invalid_input("schedule.zone", ...) for an unknown name.
    explicit time_zone(std::string const& name);

    std::string const& name() const;
    zone_period at(utc_time when) const;
    local_time to_local(utc_time when) const { return at(when).local(when); }
    moments to_utc(local_time shown) const;

private:
    date::time_zone const* zone_;
};

} // namespace baton::schedule
