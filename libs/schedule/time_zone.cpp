#include "libs/schedule/time_zone.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"

#include <boost/algorithm/string/predicate.hpp>
#include <date/tz.h>

#include <algorithm>
#include <locale>
#include <stdexcept>

namespace baton::schedule {

namespace {

namespace chr = std::chrono;
using namespace std::chrono_literals;

constexpr chr::year last_year_in_table{2037};
constexpr chr::year first_year_to_borrow{2027};

chr::year year_of(utc_time at)
{
    return chr::year_month_day{chr::floor<chr::days>(at)}.year();
}

date::time_zone const* find(std::string const& name)
{
    try {
        return date::locate_zone(name);
    } catch (std::runtime_error const&) {
        return nullptr;
    }
}

zone_period look_up(date::time_zone const& zone, utc_time when)
{
    auto const info = zone.get_info(chr::floor<chr::seconds>(when));
    // The table's outer ends are so far away that later additions would overflow.
    auto const bounded = [](chr::seconds at) {
        auto const far = chr::duration_cast<chr::seconds>(chr::years{20'000});
        return chr::sys_seconds{std::clamp(at, -far, far)};
    };
    return {bounded(info.begin.time_since_epoch()), bounded(info.end.time_since_epoch()), info.offset};
}

// January and February, or the rest of a year: the weekday of its first day gives the weekdays of all its dates, in
// leap years too.
struct year_part {
    chr::sys_days begin;
    chr::sys_days end;
};

year_part part_of(chr::year year, bool from_march)
{
    if (from_march)
        return {year / chr::March / 1, (year + chr::years{1}) / chr::January / 1};
    return {year / chr::January / 1, year / chr::March / 1};
}

// Years from 2027 to 2037 that are not leap years begin on every day of the week.
zone_period borrow(date::time_zone const& zone, utc_time when)
{
    chr::year_month_day const date{chr::floor<chr::days>(when)};
    bool const from_march = date.month() >= chr::March;
    auto const wanted = part_of(date.year(), from_march);
    auto year = last_year_in_table;
    while (year > first_year_to_borrow &&
           (year.is_leap() || chr::weekday{part_of(year, from_march).begin} != chr::weekday{wanted.begin}))
        year -= chr::years{1};
    auto const shift = wanted.begin - part_of(year, from_march).begin;
    auto const found = look_up(zone, when - shift);
    return {std::max<utc_time>(found.begin + shift, wanted.begin), std::min<utc_time>(found.end + shift, wanted.end),
            found.offset};
}

// The zone whose name differs only in upper and lower case, or an example.
std::string proposal(std::string const& name)
{
    for (auto const& zone : date::get_tzdb().zones)
        if (boost::algorithm::iequals(zone.name(), name, std::locale::classic()))
            return "did you mean " + zone.name() + "?";
    return "write an IANA name such as Europe/Berlin or UTC";
}

} // namespace

local_time zone_period::local(utc_time at) const
{
    return local_time{chr::floor<chr::seconds>(at).time_since_epoch() + offset};
}

bool zone_exists(std::string const& name)
{
    return find(name) != nullptr;
}

time_zone::time_zone(std::string const& name) : zone_(find(name))
{
    if (zone_ == nullptr)
        throw invalid_input("schedule.zone", in_quotes(name) + " is not a time zone; " + proposal(name));
}

std::string const& time_zone::name() const
{
    return zone_->name();
}

zone_period time_zone::at(utc_time when) const
{
    auto found = look_up(*zone_, when);
    bool const table_ended = year_of(found.begin) == last_year_in_table && year_of(found.end) > chr::year{9'999};
    if (!table_ended)
        return found;
    if (year_of(when) > last_year_in_table)
        return borrow(*zone_, when);
    found.end = chr::sys_days{(last_year_in_table + chr::years{1}) / chr::January / 1};
    return found;
}

moments time_zone::to_utc(local_time shown) const
{
    utc_time const as_if_utc{shown.time_since_epoch()};
    // No zone is a day and two hours away from UTC.
    auto const last = as_if_utc + 26h;
    auto period = at(as_if_utc - 26h);
    moments found{moments::count::none, {}, {}};
    for (;;) {
        if (period.local_begin() > shown && found.shown == moments::count::none)
            return {moments::count::none, period.begin, period.begin};
        utc_time const moment = as_if_utc - period.offset;
        if (moment >= period.begin && moment < period.end) {
            bool const again = found.shown == moments::count::one;
            found = {again ? moments::count::two : moments::count::one, again ? found.first : moment, moment};
        }
        if (period.end > last)
            return found;
        period = at(period.end);
    }
}

} // namespace baton::schedule
