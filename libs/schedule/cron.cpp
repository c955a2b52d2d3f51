#include "libs/schedule/cron.hpp"

#include <bit>

namespace baton::schedule {

namespace {

namespace chr = std::chrono;

bool has(std::uint64_t set, unsigned value)
{
    return (set >> value & 1U) != 0;
}

// The smallest value of the set that is not less than `from`; 64 if there is none.
unsigned first_from(std::uint64_t set, unsigned from)
{
    return from >= 64 ? 64 : static_cast<unsigned>(std::countr_zero(set >> from << from));
}

// The first time of the day, in seconds since midnight, that is not before `from`.
std::optional<chr::seconds> next_of_day(cron_fields const& fields, chr::seconds from)
{
    auto const total = static_cast<unsigned>(from.count());
    unsigned const start_hour = total / 3'600;
    unsigned const start_minute = total / 60 % 60;
    unsigned const start_second = total % 60;
    for (unsigned hour = first_from(fields.hours, start_hour); hour < 24; hour = first_from(fields.hours, hour + 1)) {
        bool const same_hour = hour == start_hour;
        unsigned minute = first_from(fields.minutes, same_hour ? start_minute : 0);
        for (; minute < 60; minute = first_from(fields.minutes, minute + 1)) {
            bool const same_minute = same_hour && minute == start_minute;
            unsigned const second = first_from(fields.seconds, same_minute ? start_second : 0);
            if (second < 60)
                return chr::hours{hour} + chr::minutes{minute} + chr::seconds{second};
        }
    }
    return std::nullopt;
}

chr::local_days first_of_next_month(chr::year_month_day date)
{
    return chr::local_days{(date.year() / date.month() + chr::months{1}) / 1};
}

} // namespace

bool cron::admits(chr::year_month_day date) const
{
    bool const day = has(fields_.days, unsigned{date.day()});
    bool const weekday = has(fields_.weekdays, chr::weekday{chr::local_days{date}}.c_encoding());
    return fields_.either_day ? day || weekday : day && weekday;
}

std::optional<local_time> cron::first(local_time from, local_time until) const
{
    auto day = chr::floor<chr::days>(from);
    chr::seconds time = from - day;
    while (day < until) {
        chr::year_month_day const date{day};
        if (!has(fields_.months, unsigned{date.month()})) {
            day = first_of_next_month(date);
        } else {
            if (admits(date))
                if (auto const found = next_of_day(fields_, time))
                    return day + *found < until ? std::optional{day + *found} : std::nullopt;
            day += chr::days{1};
        }
        time = chr::seconds{0};
    }
    return std::nullopt;
}

} // namespace baton::schedule
