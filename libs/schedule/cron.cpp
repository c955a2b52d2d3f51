#include "libs/schedule/cron.hpp"

#include "libs/schedule/cron_dates.hpp"

#include <bit>

namespace baton::schedule {

namespace {

namespace chr = std::chrono;

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

// The first admitted day of the month that is not before `from`.
std::optional<chr::local_days> next_of_month(cron_fields const& fields, chr::year_month month, unsigned from)
{
    auto const day = first_from(days_in(fields, month), from);
    return day < 32 ? std::optional{chr::local_days{month / chr::day{day}}} : std::nullopt;
}

} // namespace

std::optional<local_time> cron::first(local_time from, local_time until) const
{
    auto const today = chr::floor<chr::days>(from);
    chr::year_month_day const date{today};
    auto const this_month = date.year() / date.month();
    auto found = admitted_month(fields_, this_month);
    auto from_day = unsigned{date.day()};
    while (found) {
        auto const day = next_of_month(fields_, *found, *found == this_month ? from_day : 1);
        if (day) {
            if (*day >= until)
                return std::nullopt;
            if (auto const time = next_of_day(fields_, *day == today ? from - today : chr::seconds{0}))
                return *day + *time < until ? std::optional{*day + *time} : std::nullopt;
            ++from_day; // the rest of today has no time
            continue;
        }
        auto const following = *found + chr::months{1};
        if (chr::local_days{following / 1} >= until)
            return std::nullopt;
        found = admitted_month(fields_, following);
    }
    return std::nullopt;
}

clock_policy cron::usual_policy() const
{
    using protocol::gap_policy;
    using protocol::overlap_policy;
    if (fields_.quartz)
        return {gap_policy::skip, overlap_policy::second};
    if (fields_.starred)
        return {gap_policy::skip, overlap_policy::both};
    return {gap_policy::next_valid, overlap_policy::first};
}

clock_policy policy_of(cron const& expression, protocol::cron_rules const& rules)
{
    auto const usual = expression.usual_policy();
    return {rules.gap.value_or(usual.gap), rules.overlap.value_or(usual.overlap)};
}

} // namespace baton::schedule
