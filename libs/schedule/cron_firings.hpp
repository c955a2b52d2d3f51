#pragma once
// The firings of a cron expression in a time zone.

#include "libs/schedule/cron.hpp"
#include "libs/schedule/time_zone.hpp"

#include <optional>

namespace baton::schedule {

// The first firing at or after `from`, at a whole second. Empty if there is none within 48 years (no expression needs
// longer: 29 February falls on a given weekday every 40 years at the latest), or in the years that the expression
// lists, or before the year 9000.
//
// Where the zone's clock changes, the policies hold, for changes of any size:
//
//     gap: the clock is put forward, and skips readings      overlap: it is put back, and shows readings twice
//     skip        no firing                                  first     fires at the first of the two
//     next_valid  one at the end of the gap for all of them  second    fires at the second
//     shift       each as much later as the gap is long      both      fires at both
//
// Readings that fall on the same moment have one firing.
std::optional<utc_time> first_firing(cron const& expression, time_zone zone, utc_time from, clock_policy policy);

// With the policy that is usual for the expression.
std::optional<utc_time> first_firing(cron const& expression, time_zone zone, utc_time from);

} // namespace baton::schedule
