#include "libs/schedule/time_zone.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"
#include "libs/schedule/zones.hpp"

#include <boost/algorithm/string/predicate.hpp>

#include <locale>

namespace baton::schedule {

namespace {

using namespace std::chrono_literals;

// The zone whose name differs only in upper and lower case, or an example.
std::string proposal(std::string const& name)
{
    auto const known = zones().database;
    for (auto const& other : known->names())
        if (boost::algorithm::iequals(other, name, std::locale::classic()) && known->find(other))
            return "did you mean " + other + "?";
    return "write an IANA name such as Europe/Berlin or UTC";
}

} // namespace

bool zone_exists(std::string const& name)
{
    return zones().database->find(name) != nullptr;
}

time_zone::time_zone(std::string const& name) : rules_(zones().database->find(name))
{
    if (rules_ == nullptr)
        throw invalid_input("schedule.zone", in_quotes(name) + " is not a time zone; " + proposal(name));
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
