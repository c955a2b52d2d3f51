#include "libs/schedule/window.hpp"

#include "libs/base/error.hpp"
#include "libs/schedule/period_search.hpp"

#include <algorithm>

namespace baton::schedule {

namespace {

namespace chr = std::chrono;
using namespace std::chrono_literals;

constexpr std::int32_t day_length = 86'400;
constexpr chr::years search_span{2}; // the clock skips a reading on a few days of a year
constexpr utc_time first_searched = chr::sys_days{chr::year{1800} / 1 / 1};

std::int32_t checked_pause(duration every)
{
    if (every < 1s || every > 24h || every % 1s != 0s)
        throw invalid_input("schedule.every_ms",
                            "the pause in a window is a number of whole seconds from 1000 to 86400000, such as 900000");
    return static_cast<std::int32_t>(every / 1s);
}

// A time of the day, or how far one is behind another.
std::int32_t seconds_of_day(chr::seconds time)
{
    return static_cast<std::int32_t>(((time.count() % day_length) + day_length) % day_length);
}

} // namespace

window::window(protocol::window_spec const& spec, duration every)
    : from_(seconds_of_day(spec.from)),
      length_(seconds_of_day(spec.to - spec.from)),
      every_(checked_pause(every)),
      weekdays_(spec.weekdays)
{
    if ((weekdays_ & protocol::all_weekdays) == 0)
        throw invalid_input("schedule.days", "a window needs at least one day of the week");
}

std::optional<local_time> window::first(local_time from, local_time until) const
{
    // The window of the day before may reach over midnight.
    for (auto day = chr::floor<chr::days>(from) - chr::days{1}; day < until; day += chr::days{1}) {
        if ((weekdays_ >> chr::weekday{day}.c_encoding() & 1u) == 0)
            continue;
        auto const begin = local_time{day} + chr::seconds{from_};
        auto const passed = std::max<std::int64_t>((from - begin).count(), 0);
        auto const step = (passed + every_ - 1) / every_ * every_;
        if (step <= length_)
            return begin + chr::seconds{step} < until ? std::optional{begin + chr::seconds{step}} : std::nullopt;
    }
    return std::nullopt;
}

std::optional<utc_time> first_firing(window const& times, time_zone zone, utc_time from, clock_policy policy)
{
    if (from >= latest_firing)
        return std::nullopt;
    from = chr::ceil<chr::seconds>(std::max(from, first_searched));
    auto const stop = std::min<utc_time>(from + search_span, latest_firing);
    return period_search<window>(times, zone, policy).first(from, stop);
}

} // namespace baton::schedule
