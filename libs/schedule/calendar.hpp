#pragma once
// Calendar intervals: a time of the day on a day of every n-th day, week, month or year.

#include "libs/protocol/calendar_spec.hpp"
#include "libs/schedule/cron.hpp"
#include "libs/schedule/time_zone.hpp"

#include <cstdint>
#include <optional>

namespace baton::schedule {

// The n days, weeks, months or years are counted from those of `anchor` in the zone.
class calendar {
public:
    // Throws invalid_input("schedule.every").
    explicit calendar(protocol::calendar_spec const& spec);

    // A reading that the clock skips fires at the first moment after the gap, and one that it shows twice at the first.
    static constexpr clock_policy usual_policy{protocol::gap_policy::next_valid, protocol::overlap_policy::first};

    // The first firing at or after `from`, which may lie before `anchor` in the first week, month or year. Empty after
    // the year 9000. The policies are those of cron_firings.hpp.
    std::optional<utc_time> first(time_zone zone, utc_time anchor, utc_time from,
                                  clock_policy policy = usual_policy) const;

private:
    using date = std::chrono::local_days;

    std::int64_t unit_at(date anchor, date day) const;
    date day_in(date anchor, std::int64_t unit) const;

    std::int32_t every_;
    std::int32_t time_; // seconds of the day
    protocol::calendar_unit unit_;
    protocol::calendar_day on_;
    protocol::business_roll roll_;
    std::uint8_t weekdays_; // of a week; 0: that of the anchor
};

// The day of this month that a rule names, before it is moved. `start` is the day for calendar_day::rule::as_start.
std::chrono::local_days day_of_month(protocol::calendar_day const& rule, std::chrono::year_month month,
                                     std::chrono::day start);

// Moves a Saturday or a Sunday.
std::chrono::local_days rolled(std::chrono::local_days day, protocol::business_roll roll);

} // namespace baton::schedule
