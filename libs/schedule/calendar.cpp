#include "libs/schedule/calendar.hpp"

#include "libs/base/error.hpp"

#include <algorithm>

namespace baton::schedule {

namespace {

namespace chr = std::chrono;
using protocol::business_roll;
using protocol::calendar_day;
using protocol::calendar_unit;

constexpr chr::days margin{4}; // a zone and a weekend move a firing by less

std::int64_t floor_div(std::int64_t value, std::int64_t by)
{
    return value / by - (value % by < 0 ? 1 : 0);
}

std::int64_t month_number(chr::local_days date)
{
    chr::year_month_day const day{date};
    return std::int64_t{int{day.year()}} * 12 + unsigned{day.month()} - 1;
}

chr::year_month month_of(std::int64_t number)
{
    return chr::year{static_cast<int>(floor_div(number, 12))} /
           chr::month{static_cast<unsigned>(number - floor_div(number, 12) * 12) + 1};
}

chr::local_days monday_of(chr::local_days day)
{
    return day - (chr::weekday{day} - chr::Monday);
}

bool is_weekend(chr::local_days day)
{
    auto const weekday = chr::weekday{day};
    return weekday == chr::Saturday || weekday == chr::Sunday;
}

chr::local_days last_day_of(chr::year_month month)
{
    return chr::local_days{month / chr::last};
}

// The first firing at or after `from` of this reading alone.
std::optional<utc_time> first_of_reading(time_zone const& zone, local_time shown, utc_time from, clock_policy policy)
{
    using protocol::gap_policy;
    using protocol::overlap_policy;
    auto found = zone.to_utc(shown);
    if (found.shown == moments::count::none) {
        if (policy.gap == gap_policy::skip)
            return std::nullopt;
        if (policy.gap == gap_policy::shift)
            found.first += shown - zone.at(found.first - chr::seconds{1}).local_end();
        found.second = found.first;
    }
    auto const first = policy.overlap == overlap_policy::second ? found.second : found.first;
    auto const last = policy.overlap == overlap_policy::first ? found.first : found.second;
    return first >= from ? std::optional{first} : last >= from ? std::optional{last} : std::nullopt;
}

} // namespace

chr::local_days day_of_month(calendar_day const& rule, chr::year_month month, chr::day start)
{
    auto const last = last_day_of(month);
    auto const numbered = [&](chr::day day) {
        return std::min(last, chr::local_days{month / 1} + chr::days{unsigned{day} - 1});
    };
    switch (rule.by) {
    case calendar_day::rule::as_start:
        return numbered(start);
    case calendar_day::rule::number:
        return numbered(chr::day{rule.n});
    case calendar_day::rule::last_day:
        break;
    case calendar_day::rule::last_business_day:
        return rolled(last, business_roll::previous_business_day);
    case calendar_day::rule::weekday:
        if (rule.n == protocol::last_of_month)
            return chr::local_days{month / chr::weekday{rule.weekday}[chr::last]};
        return chr::local_days{month / chr::weekday{rule.weekday}[rule.n]};
    }
    return last;
}

chr::local_days rolled(chr::local_days day, business_roll roll)
{
    auto const step = chr::days{roll == business_roll::next_business_day ? 1 : -1};
    while (roll != business_roll::none && is_weekend(day))
        day += step;
    return day;
}

calendar::calendar(protocol::calendar_spec const& spec)
    : every_(spec.every),
      time_(static_cast<std::int32_t>(spec.time.count())),
      unit_(spec.unit),
      on_(spec.on),
      roll_(spec.roll),
      weekdays_(spec.weekdays)
{
    if (every_ < 1 || every_ > protocol::most_units)
        throw invalid_input("schedule.every", "it must be a whole number from 1 to 1000");
}

// The number of the day, week, month or year that holds `day`; the anchor is in number 0.
std::int64_t calendar::unit_at(date anchor, date day) const
{
    switch (unit_) {
    case calendar_unit::days:
        return (day - anchor).count();
    case calendar_unit::weeks:
        return (monday_of(day) - monday_of(anchor)).count() / 7;
    case calendar_unit::months:
        return month_number(day) - month_number(anchor);
    case calendar_unit::years:
        break;
    }
    return floor_div(month_number(day) - month_number(anchor), 12);
}

// The first day of this unit on which the schedule may be due.
calendar::date calendar::day_in(date anchor, std::int64_t unit) const
{
    if (unit_ == calendar_unit::days)
        return anchor + chr::days{unit};
    if (unit_ == calendar_unit::weeks)
        return monday_of(anchor) + chr::days{7 * unit};
    auto const months = unit_ == calendar_unit::years ? unit * 12 : unit;
    auto const start = chr::year_month_day{anchor}.day();
    return rolled(day_of_month(on_, month_of(month_number(anchor) + months), start), roll_);
}

std::optional<utc_time> calendar::first(time_zone zone, utc_time anchor, utc_time from, clock_policy policy) const
{
    if (std::max(anchor, from) >= latest_firing)
        return std::nullopt;
    auto const origin = chr::floor<chr::days>(zone.to_local(anchor));
    auto const near = std::max(chr::floor<chr::days>(zone.to_local(from)) - margin, origin);
    auto const weekdays = weekdays_ != 0 ? weekdays_ : 1u << chr::weekday{origin}.c_encoding();
    auto const days = unit_ == calendar_unit::weeks ? 7 : 1;
    for (auto count = unit_at(origin, near) / every_;; ++count) {
        auto const begin = day_in(origin, count * every_);
        for (auto day = begin; day < begin + chr::days{days}; day += chr::days{1}) {
            if (days == 7 && (weekdays >> chr::weekday{day}.c_encoding() & 1u) == 0)
                continue;
            auto const at = first_of_reading(zone, local_time{day} + chr::seconds{time_}, from, policy);
            if (at)
                return *at < latest_firing ? at : std::nullopt;
        }
    }
}

} // namespace baton::schedule
