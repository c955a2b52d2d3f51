#pragma once
// When a cron expression fires in a time zone.

#include "libs/schedule/cron.hpp"

#include <optional>

namespace baton::schedule {

// The first firing strictly after `after`, at a whole second; nothing if there is none within the next 48 years (no
// expression needs longer: 29 February falls on a given weekday every 40 years at the latest) or after the year 9000.
//
// Where the zone's clock is changed, Vixie cron's rules hold, for changes of any size:
//
//     the expression          put forward (readings that do not exist)     put back (readings that come twice)
//     repeats (cron::repeats) fires only at readings that exist            fires at both
//     names times of the day  fires once, at the first moment after the    fires at the first
//                             gap, for all readings in it together
//
// So in Europe/Berlin `30 2 * * *` fires at 03:00 on 29 March 2026 and once on 25 October; `*/5 * * * *` never pauses
// and never fires twice at one moment.
std::optional<utc_time> next_cron(cron const& expression, time_zone zone, utc_time after);

} // namespace baton::schedule
