#include "tests/simulation/year_oracle.hpp"

#include <algorithm>

// What becomes of the firings: policies, edits, tasks after others.

namespace year_oracle {

using namespace std::chrono_literals;

namespace {

constexpr duration hair = 5s; // the master's clock is not that of the test

// The output function of SplitMix64.
std::uint64_t spread(std::uint64_t value)
{
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
}

bool is_near(duration one, duration other)
{
    return one - other < hair && other - one < hair;
}

void cut(std::vector<utc_time>& firings, utc_time line)
{
    firings.erase(std::lower_bound(firings.begin(), firings.end(), line), firings.end());
}

void go_on(std::vector<utc_time>& firings, std::vector<utc_time> const& with, utc_time line)
{
    firings.insert(firings.end(), std::lower_bound(with.begin(), with.end(), line), with.end());
}

} // namespace

bool calendar::contains(local_minute const& at) const
{
    int const now = 60 * at.hour + at.minute;
    for (auto const& each : weekly) {
        bool const over_midnight = each.until <= each.from;
        if (each.days.contains(at.weekday) && now >= each.from && (over_midnight || now < each.until))
            return true;
        if (over_midnight && each.days.contains((at.weekday + 6) % 7) && now < each.until)
            return true;
    }
    int const date = 100 * at.month + at.day;
    if (yearly.contains(date))
        return true;
    return std::any_of(dates.begin(), dates.end(), [&](auto const& span) {
        return 10'000 * at.year + date >= span.first && 10'000 * at.year + date <= span.second;
    });
}

utc_time task::due_at(utc_time firing) const
{
    auto const behind = [](utc_time at, jitter const& one) { return at < one.from; };
    auto const& rule = *(std::upper_bound(jitters.begin(), jitters.end(), firing, behind) - 1);
    if (rule.most == 0s)
        return firing;
    auto const drawn =
        spread(spread(rule.seed + 0x9e3779b97f4a7c15) + static_cast<std::uint64_t>(firing.time_since_epoch() / 1us));
    return firing + static_cast<std::int64_t>(drawn % static_cast<std::uint64_t>(rule.most / 1us + 1)) * 1us;
}

std::vector<utc_time> task::runs() const
{
    std::vector<utc_time> out;
    std::set_difference(firings.begin(), firings.end(), skipped.begin(), skipped.end(), std::back_inserter(out));
    if (most != 0 && out.size() > static_cast<std::size_t>(most))
        out.resize(static_cast<std::size_t>(most));
    return out;
}

bool succeeds(utc_time firing)
{
    return firing.time_since_epoch() / 1min % 3 != 0;
}

std::vector<utc_time> runs_after(task const& parent)
{
    auto out = parent.runs();
    std::erase_if(out, [](utc_time at) { return !succeeds(at); });
    return out;
}

void replace(task& of, task const& by, utc_time line)
{
    cut(of.firings, line);
    go_on(of.firings, by.firings, line);
    of.schedule = by.schedule;
    of.misfire = by.misfire;
    of.all_firings = by.firings;
    of.jitters.push_back(by.jitters.front());
    of.jitters.back().from = line;
    of.enabled = true;
}

void enable(task& of, bool on, utc_time line)
{
    if (on == of.enabled)
        return;
    if (!on)
        of.all_firings = of.firings;
    cut(of.firings, line);
    if (on)
        go_on(of.firings, of.all_firings, line);
    of.enabled = on;
}

void pass_outage(task& of, utc_time cursor, utc_time now)
{
    auto const action = of.misfire.is_null() ? "fire_once" : of.misfire.at("action").get<std::string>();
    auto const number = [&](char const* name, int otherwise) {
        return of.misfire.is_null() ? otherwise : of.misfire.value(name, otherwise);
    };
    auto const after = number("after_ms", 60'000) * 1ms;
    auto const within = number("within_ms", 0) * 1ms;
    auto const limit = action == "skip" ? 0 : action == "fire_once" ? 1 : number("limit", 100);
    auto const first = std::lower_bound(of.firings.begin(), of.firings.end(), cursor);
    auto const last = std::upper_bound(first, of.firings.end(), now);
    int successors = 0; // later firings that are due
    for (auto at = last; at != first;) {
        --at;
        auto const age = now - of.due_at(*at);
        if (is_near(age, after) || is_near(age, 0s) || (within > 0s && is_near(age, within)))
            of.unsure.insert(first, last);
        if (age > after && (successors >= limit || (within > 0s && age > within)))
            of.skipped.insert(*at);
        successors += age >= 0s ? 1 : 0;
    }
}

} // namespace year_oracle
