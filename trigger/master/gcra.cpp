#include "trigger/master/gcra.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

// Longer spans count as this one, so that no sum overflows.
constexpr std::int64_t longest_ns = std::int64_t{100} * 366 * 86'400 * 1'000'000'000;

std::int64_t to_ns(utc_time at)
{
    return to_micros(at) * 1'000;
}

utc_time from_ns(std::int64_t ns)
{
    return from_micros(ns / 1'000 + (ns % 1'000 > 0 ? 1 : 0));
}

} // namespace

std::int64_t gcra::times(std::int64_t count) const
{
    return count > longest_ns / interval_ ? longest_ns : count * interval_;
}

duration gcra::interval() const
{
    return interval_ / 1'000 * 1us;
}

std::optional<utc_time> gcra::free_at(int promised) const
{
    if (!limits())
        return utc_time{};
    if (promised >= burst_)
        return std::nullopt;
    return from_ns(full_at_ - times(burst_ - 1) + times(promised));
}

void gcra::take(utc_time now)
{
    if (limits())
        full_at_ = std::max(full_at_, to_ns(now)) + interval_;
}

void gcra::change(protocol::rate_limit const& rate, utc_time now)
{
    auto const before = *this;
    auto const per_ns = rate.per / 1us * 1'000;
    interval_ = rate.any() ? (per_ns + rate.limit - 1) / rate.limit : 0;
    burst_ = rate.burst;
    if (!limits())
        return;
    auto missing = std::max<std::int64_t>(before.full_at_ - to_ns(now), 0);
    if (before.interval_ == interval_) // keeps the part of a token that has come, too
        missing += burst_ > before.burst_ ? times(burst_ - before.burst_) : -times(before.burst_ - burst_);
    else if (before.limits())
        missing = times(
            std::max<std::int64_t>(burst_ - before.burst_ + (missing + before.interval_ - 1) / before.interval_, 0));
    full_at_ = to_ns(now) + std::clamp<std::int64_t>(missing, 0, times(burst_));
}

void gcra::empty_at(utc_time now)
{
    if (limits())
        full_at_ = to_ns(now) + times(burst_);
}

utc_time gcra::full_at() const
{
    return from_ns(full_at_);
}

utc_time gcra::full_at_after(int count, utc_time until) const
{
    return from_ns(std::max(full_at_, to_ns(until)) + times(count));
}

void gcra::restore(utc_time full_at)
{
    full_at_ = to_ns(full_at);
}

} // namespace baton::trigger
