#include "libs/schedule/cron_firings.hpp"

#include <algorithm>

namespace baton::schedule {

namespace {

namespace chr = std::chrono;
using namespace std::chrono_literals;

constexpr chr::years horizon{48};
constexpr utc_time earliest = chr::sys_days{chr::year{1800} / 1 / 1};

utc_time at_reading(zone_period const& period, local_time shown)
{
    return utc_time{shown.time_since_epoch() - period.offset};
}

} // namespace

std::optional<utc_time> first_firing(cron const& expression, time_zone zone, utc_time from)
{
    if (from >= latest_firing)
        return std::nullopt;
    from = chr::ceil<chr::seconds>(std::max(from, earliest));
    auto const stop = std::min<utc_time>(from + horizon, latest_firing);
    // The period just before `from`: at the end of a gap, the readings in the gap fire.
    auto period = zone.at(from - 1s);
    auto reading = period.local(from);
    if (!expression.repeats()) // readings that the clock showed before it was put back have had their firing
        reading = std::max(reading, zone.at(period.begin - 1s).local(period.begin));

    for (;;) {
        if (auto const shown = expression.first(reading, std::min(period.local_end(), period.local(stop))))
            return at_reading(period, *shown);
        if (period.end >= stop)
            return std::nullopt;
        auto const following = zone.at(period.end);
        auto const reached = period.local_end();
        if (expression.repeats()) {
            reading = following.local_begin();
        } else {
            if (expression.first(std::max(reading, reached), following.local_begin()))
                return following.begin;
            reading = std::max({reading, reached, following.local_begin()});
        }
        period = following;
    }
}

} // namespace baton::schedule
