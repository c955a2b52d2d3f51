#pragma once
// Cron expressions: their language, and the readings of a wall clock that they name. Knows no time zones; see
// cron_firings.hpp.

#include "libs/schedule/time_zone.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace baton::schedule {

// The values that each field admits: bit n is set if n is admitted. Sunday is weekday 0.
struct cron_fields {
    std::uint64_t seconds = 0;
    std::uint64_t minutes = 0;
    std::uint32_t hours = 0;
    std::uint32_t days = 0;   // of the month, from bit 1
    std::uint16_t months = 0; // from bit 1
    std::uint8_t weekdays = 0;
    bool either_day = false; // a date matches by day or by weekday; otherwise it must match both
    bool repeats = false;    // see cron::repeats
    bool starred = false;    // the minute or the hour field begins with `*`

    friend bool operator==(cron_fields const&, cron_fields const&) = default;
};

// The language is that of Vixie cron, with seconds as an option:
//
//     minute hour day-of-month month day-of-week             five fields; seconds are 0
//     second minute hour day-of-month month day-of-week      six fields
//     @hourly @daily @midnight @weekly @monthly @yearly @annually
//
// A field is a list of `*`, `n`, `a-b`, `*/step` and `a-b/step`. Months and weekdays may be names of three letters in
// any case; Sunday is 0, 7 or sun, also at the end of a range (`fri-sun`). `?` means `*` in the two day fields. In the
// six-field form, known from Quartz, `n/step` means from n to the field's end. With five fields it is refused, since
// Vixie cron reads it as n alone. Both forms number weekdays alike: 1 is Monday.
//
// If neither day field begins with `*` or `?`, a date must match one of the two; otherwise it must match both.
class cron {
public:
    // Throws invalid_input("schedule.cron", why); `why` names the field and the wrong text. Refuses an expression that
    // can never fire (30 February), and @reboot, which is no time of the calendar.
    static cron parse(std::string const& text);

    // The first reading in [from, until) that the expression names.
    std::optional<local_time> first(local_time from, local_time until) const;

    // True if the expression means "again and again", false if it means "at these times of the day". It repeats if the
    // minute or the hour field begins with `*`, admits every value, or is `n/step`. The two differ where the clock
    // changes.
    bool repeats() const { return fields_.repeats; }

    cron_fields const& fields() const { return fields_; }

    friend bool operator==(cron const&, cron const&) = default;

private:
    bool admits(std::chrono::year_month_day date) const;

    cron_fields fields_;
};

} // namespace baton::schedule
