#pragma once
// Where the firings of a cron expression differ from those of Debian's cron.

#include "libs/schedule/time_zone.hpp"

#include <string>
#include <vector>

namespace baton::schedule {

// Sentences for people, each about the first clock change in the ten years after `from` at which the expression fires
// otherwise than Debian's cron would have it. Empty for most expressions, for six fields, which Debian does not have,
// and for zones whose clock never changes. There are two differences:
//
//     `15 0-23 * * *`, `0-59 2 * * *`: a minute or hour field with every value counts as a wildcard (cron::repeats),
//     for
//         Debian only one that begins with `*`. Where the clock is put forward, a wildcard is not caught up; where it
//         is put back, a wildcard fires twice.
//     `0,30 2 * * *`, `0 2,3 * * *`: all readings that the clock skips have one firing together at the end of the gap,
//         which is also that of the reading there. Debian fires once for each.
//
// Throws invalid_input as cron::parse does.
std::vector<std::string> differences_from_debian(std::string const& expression, time_zone zone, utc_time from);

} // namespace baton::schedule
