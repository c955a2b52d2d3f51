#include "trigger/delivery/reported_times.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

constexpr duration farthest = 100 * 365 * 24h; // so that differences of any two times can be computed

void limit(std::optional<utc_time>& at, known_times const& known)
{
    if (at)
        at = std::clamp(*at, known.reported - farthest, known.reported + farthest);
}

void shift(reported_times& times, duration by)
{
    if (times.started)
        *times.started += by;
    if (times.finished)
        *times.finished += by;
}

} // namespace

reported_times read_times(std::int64_t started, std::int64_t finished)
{
    auto const read = [](std::int64_t micros) {
        return micros > 0 ? std::optional(from_micros(micros)) : std::nullopt;
    };
    return {read(started), read(finished)};
}

reported_times plausible(reported_times times, known_times const& known)
{
    auto const first = std::min(known.created, known.reported); // two machines' clocks
    auto const last = known.reported;
    limit(times.started, known);
    limit(times.finished, known);
    if (times.finished && *times.finished > last)
        shift(times, last - *times.finished);
    if (times.started && *times.started < first)
        shift(times, first - *times.started);
    if (times.started)
        times.started = std::min(*times.started, last);
    if (times.finished)
        times.finished = std::clamp(*times.finished, times.started.value_or(first), last);
    return times;
}

bool is_absurd(reported_times const& times, known_times const& known)
{
    auto const outside = [&](std::optional<utc_time> const& at) {
        return at && (*at < known.created - clock_tolerance || *at > known.reported + clock_tolerance);
    };
    return outside(times.started) || outside(times.finished);
}

} // namespace baton::trigger
