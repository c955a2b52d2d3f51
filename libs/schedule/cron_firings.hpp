#pragma once
// The firings of a cron expression in a time zone.

#include "libs/schedule/cron.hpp"
#include "libs/schedule/time_zone.hpp"

#include <optional>

namespace baton::schedule {

// The first firing at or after `from`, at a whole second. Empty if there is none within 48 years (no expression needs
// longer: 29 February falls on a given weekday every 40 years at the latest) or after the year 9000.
//
// Where the zone's clock changes, the rules of Vixie cron hold, for changes of any size:
//
//     the expression          clock put forward (readings are skipped)     clock put back (readings come twice)
//     repeats (cron::repeats) fires only at readings that exist            fires at both
//     names times of the day  fires once, at the first moment after the    fires at the first
//                             gap, for all readings in it together
//
// So in Europe/Berlin `30 2 * * *` fires at 03:00 on 29 March 2026 and once on 25 October; `*/5 * * * *` never pauses
// and never fires twice at one moment.
std::optional<utc_time> first_firing(cron const& expression, time_zone zone, utc_time from);

} // namespace baton::schedule
