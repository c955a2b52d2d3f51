#include "libs/schedule/next.hpp"

#include <algorithm>

namespace baton::schedule {

namespace {

namespace chr = std::chrono;
using namespace std::chrono_literals;

constexpr chr::years horizon{48};
constexpr utc_time earliest = chr::sys_days{chr::year{1800} / 1 / 1};
constexpr utc_time latest = chr::sys_days{chr::year{9'000} / 1 / 1};

utc_time at_reading(zone_period const& period, local_time shown)
{
    return utc_time{shown.time_since_epoch() - period.offset};
}

} // namespace

std::optional<utc_time> next_cron(cron const& expression, time_zone zone, utc_time after)
{
    if (after >= latest)
        return std::nullopt;
    after = std::max(after, earliest);
    auto const stop = std::min<utc_time>(after + horizon, latest);
    auto period = zone.at(after);
    auto from = period.local(after) + 1s;
    if (!expression.repeats()) // what the clock showed before it was put back has had its firing
        from = std::max(from, zone.at(period.begin - 1s).local(period.begin));

    for (;;) {
        if (auto const shown = expression.next(from, std::min(period.local_end(), period.local(stop))))
            return at_reading(period, *shown);
        if (period.end >= stop)
            return std::nullopt;
        auto const following = zone.at(period.end);
        auto const reached = period.local_end();
        if (expression.repeats()) {
            from = following.local_begin();
        } else {
            if (expression.next(std::max(from, reached), following.local_begin()))
                return following.begin;
            from = std::max({from, reached, following.local_begin()});
        }
        period = following;
    }
}

} // namespace baton::schedule
