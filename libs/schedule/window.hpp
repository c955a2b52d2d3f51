#pragma once
// Daily windows: a grid of times from one time of the day to another, on some days of the week.

#include "libs/protocol/wall_spec.hpp"
#include "libs/schedule/cron.hpp"
#include "libs/schedule/time_zone.hpp"

#include <cstdint>
#include <optional>

namespace baton::schedule {

// The readings `from`, `from` + every, `from` + 2 every, ... up to `to`, which is one of them if it is on this grid. A
// window over midnight belongs to the day on which it begins.
class window {
public:
    // Throws invalid_input("schedule.every_ms" or "schedule.days").
    window(protocol::window_spec const& spec, duration every);

    // The first reading in [from, until).
    std::optional<local_time> first(local_time from, local_time until) const;

private:
    std::int32_t from_; // seconds of the day
    std::int32_t length_;
    std::int32_t every_;
    std::uint8_t weekdays_;
};

// Readings that the clock skips are left out, and those that it shows twice fire at the first.
inline constexpr clock_policy usual_of_windows{protocol::gap_policy::skip, protocol::overlap_policy::first};

// The first firing at or after `from`. Empty after the year 9000, and if there is none within two years. The policies
// are those of cron_firings.hpp.
std::optional<utc_time> first_firing(window const& times, time_zone zone, utc_time from,
                                     clock_policy policy = usual_of_windows);

} // namespace baton::schedule
