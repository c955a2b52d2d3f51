#pragma once
// Cron expressions: their two dialects, and the readings of a wall clock that they name. Knows no time zones; see
// cron_firings.hpp.

#include "libs/protocol/cron_spec.hpp"
#include "libs/schedule/time_zone.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace baton::schedule {

// A day of the month that is no fixed number or weekday. Quartz only.
struct day_rule {
    enum class kind : std::uint8_t {
        none,             // cron_fields::days and cron_fields::weekdays
        from_end,         // `n` days before the last
        near_day,         // the day from Monday to Friday that is nearest to day `n`, in the same month
        near_end,         // the same for the day that is `n` days before the last
        nth_weekday,      // the n-th `weekday`
        last_of_weekdays, // the last `weekday`
    };
    kind by = kind::none;
    std::uint8_t n = 0;
    std::uint8_t weekday = 0; // Sunday is 0

    friend bool operator==(day_rule const&, day_rule const&) = default;
};

// The years from 1970 to 2099.
struct year_set {
    static constexpr int first = 1970;
    static constexpr int last = 2099;

    std::array<std::uint8_t, 17> bits{};

    bool has(int year) const
    {
        auto const bit = static_cast<unsigned>(year - first);
        return year >= first && year <= last && (bits[bit / 8] >> bit % 8 & 1U) != 0;
    }
    void add(int year)
    {
        auto const bit = static_cast<unsigned>(year - first);
        bits[bit / 8] = static_cast<std::uint8_t>(bits[bit / 8] | 1U << bit % 8);
    }

    friend bool operator==(year_set const&, year_set const&) = default;
};

// The values that each field admits: bit n is set if n is admitted. Sunday is weekday 0.
struct cron_fields {
    std::uint64_t seconds = 0;
    std::uint64_t minutes = 0;
    std::uint32_t hours = 0;
    std::uint32_t days = 0;   // of the month, from bit 1
    std::uint16_t months = 0; // from bit 1
    std::uint8_t weekdays = 0;
    day_rule rule;
    bool either_day : 1 = false;   // a date matches by day or by weekday; otherwise it must match both
    bool starred : 1 = false;      // the minute or the hour field begins with `*`
    bool quartz : 1 = false;       // the dialect
    bool listed_years : 1 = false; // only `years`; otherwise every year
    year_set years;

    friend bool operator==(cron_fields const&, cron_fields const&) = default;
};

// Both policies for the changes of a clock.
struct clock_policy {
    protocol::gap_policy gap;
    protocol::overlap_policy overlap;

    friend bool operator==(clock_policy const&, clock_policy const&) = default;
};

// The dialect `crontab` is that of Debian's cron, with seconds as an option:
//
//     minute hour day-of-month month day-of-week             five fields; seconds are 0
//     second minute hour day-of-month month day-of-week      six fields
//     @hourly @daily @midnight @weekly @monthly @yearly @annually
//
// A field is a list of `*`, `n`, `a-b`, `*/step` and `a-b/step`. Months and weekdays may be names of three letters in
// any case; Sunday is 0, 7 or sun, also at the end of a range (`fri-sun`). `?` means `*` in the two day fields. In the
// six-field form `n/step` means from n to the field's end. With five fields it is refused, since Debian's cron reads it
// as n alone. If neither day field begins with `*` or `?`, a date must match one of the two; otherwise it must match
// both.
//
// The dialect `quartz` is that of Quartz's CronExpression, with seconds first and years from 1970 to 2099 as an option:
//
//     second minute hour day-of-month month day-of-week [year]
//
// Sunday is 1 and Saturday 7. Exactly one of the two day fields is `?`. Ranges may run over the field's end (`22-2`).
// `L`, `L-3`, `15W`, `LW` and `L-3W` are days of the month; `L` (Saturday), `6L` and `6#3` are days of the week.
//
// In both, `H`, `H(a-b)`, `H/step` and `H(a-b)/step` are values that follow from a seed (cron_hash.hpp).
class cron {
public:
    // Throws invalid_input("schedule.cron", why). `why` names the field, the column of the wrong text, and an example
    // that would be right. Refuses an expression that can never fire (30 February), and @reboot, which is no time of
    // the calendar. Throws invalid_input("schedule.hash_seed") for an H without a seed.
    static cron parse(std::string const& text, protocol::cron_dialect dialect = protocol::cron_dialect::crontab,
                      std::optional<std::uint32_t> seed = {});

    // The first reading in [from, until) that the expression names.
    std::optional<local_time> first(local_time from, local_time until) const;

    // The behaviour of Debian's cron, or of Quartz. For Debian an expression whose minute or hour field begins with `*`
    // means "again and again" (skip, both), and any other one means "at these times of the day" (next_valid, first).
    // For Quartz every expression is (skip, second).
    clock_policy usual_policy() const;

    cron_fields const& fields() const { return fields_; }

    friend bool operator==(cron const&, cron const&) = default;

private:
    cron_fields fields_;
};

// The policies that a task names, and the usual ones instead of those that it does not.
clock_policy policy_of(cron const& expression, protocol::cron_rules const& rules);

} // namespace baton::schedule
