#include "libs/schedule/schedule.hpp"

#include "libs/base/error.hpp"
#include "libs/schedule/next.hpp"

#include <algorithm>

namespace baton::schedule {

namespace {

// Instants of tasks lie in the years from 1970 to 9999, so that adding a period cannot overflow.
constexpr utc_time earliest_instant{};
constexpr utc_time latest_instant = std::chrono::sys_days{std::chrono::year{10'000} / 1 / 1};

void require_period(kind what, duration period)
{
    if (what == kind::fixed_rate && period < shortest_rate)
        throw invalid_input("schedule.every_ms", "a task at a fixed rate fires at most every 100 ms");
    if (period < shortest_delay)
        throw invalid_input("schedule.every_ms", "a period is at least 1 ms");
    if (period > longest_period)
        throw invalid_input("schedule.every_ms", "a period is at most 36525 days");
}

void require_instant(std::optional<utc_time> at, char const* field)
{
    if (at && (*at < earliest_instant || *at >= latest_instant))
        throw invalid_input(field, "it must lie in the years from 1970 to 9999");
}

} // namespace

compiled compile(definition const& from)
{
    bool const has_period = from.what == kind::fixed_rate || from.what == kind::fixed_delay;
    char const* const start_field = from.what == kind::once ? "schedule.at" : "schedule.start_at";
    if (has_period)
        require_period(from.what, from.period);
    if (from.what == kind::once && !from.start_at)
        throw invalid_input("schedule.at", "a task that fires once needs the instant");
    require_instant(from.start_at, start_field);
    require_instant(from.end_at, "schedule.end_at");
    if (from.start_at && from.end_at && *from.end_at <= *from.start_at)
        throw invalid_input("schedule.end_at", "it must come after the start");

    bool const is_cron = from.what == kind::cron;
    auto const expression = is_cron ? cron::parse(from.cron) : cron{};
    compiled result(from.what, expression, time_zone(is_cron ? from.zone : "UTC"));
    if (has_period)
        result.period_ = from.period;
    if (from.start_at)
        result.start_ = *from.start_at;
    else if (from.what == kind::fixed_rate)
        result.start_ = utc_time{};
    if (from.end_at)
        result.end_ = *from.end_at;
    return result;
}

std::optional<utc_time> compiled::before_end(utc_time at) const
{
    return at < end_ ? std::optional{at} : std::nullopt;
}

std::optional<utc_time> compiled::next_at_rate(utc_time after) const
{
    if (after < start_)
        return before_end(start_);
    if (after >= latest_instant)
        return std::nullopt;
    return before_end(start_ + ((after - start_) / period_ + 1) * period_);
}

std::optional<utc_time> compiled::next(utc_time after) const
{
    switch (what_) {
    case kind::cron: {
        // One microsecond back, since start_at itself may be a firing.
        auto const from = start_ == utc_time::min() ? after : std::max(after, start_ - duration{1});
        auto const found = next_cron(expression_, zone_, from);
        return found ? before_end(*found) : std::nullopt;
    }
    case kind::fixed_rate:
        return next_at_rate(after);
    case kind::once:
        return after < start_ ? before_end(start_) : std::nullopt;
    case kind::fixed_delay:
    case kind::api:
        break;
    }
    return std::nullopt;
}

std::optional<utc_time> compiled::first(utc_time created) const
{
    return what_ == kind::fixed_delay ? before_end(std::max(created, start_)) : next(created);
}

std::optional<utc_time> compiled::next_after_completion(utc_time finished) const
{
    if (what_ != kind::fixed_delay || finished >= latest_instant)
        return std::nullopt;
    return before_end(std::max(finished + period_, start_));
}

std::vector<utc_time> compiled::between(utc_time after, utc_time until, std::size_t limit) const
{
    std::vector<utc_time> found;
    while (found.size() < limit) {
        auto const at = next(after);
        if (!at || *at > until)
            break;
        found.push_back(*at);
        after = *at;
    }
    return found;
}

} // namespace baton::schedule
