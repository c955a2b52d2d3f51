#include "tests/simulation/year_oracle.hpp"

#include <algorithm>

// What becomes of the firings: policies, edits, tasks after others.

namespace year_oracle {

using namespace std::chrono_literals;

namespace {

constexpr duration hair = 5s; // the master's clock is not that of the test

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

std::uint64_t spread(std::uint64_t value)
{
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
}

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
    of.asked.erase(of.asked.lower_bound(line), of.asked.end()); // of the schedule before
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

void skip_next(task& of, int count, utc_time line)
{
    for (auto at = std::lower_bound(of.firings.begin(), of.firings.end(), line); count > 0 && at != of.firings.end();
         ++at)
        count -= of.asked.insert(*at).second ? 1 : 0;
}

bool is_paused(pauses const& all, int service, utc_time now)
{
    return std::any_of(all.begin(), all.end(),
                       [&](pause const& one) { return one.concerns(service) && !one.ended && one.since <= now; });
}

bool skips(pauses const& all, int service, utc_time firing)
{
    return std::any_of(all.begin(), all.end(),
                       [&](pause const& one) { return one.concerns(service) && one.skips && one.covers(firing); });
}

namespace {

bool is_held(pauses const& all, int service, utc_time now)
{
    return std::any_of(all.begin(), all.end(), [&](pause const& one) {
        return one.concerns(service) && !one.skips && !one.ended && one.since <= now;
    });
}

// The first firing from the cursor on that no pause skips.
utc_time behind_pauses(task const& of, utc_time cursor, utc_time now, pauses const& paused)
{
    while (cursor <= now && skips(paused, of.service, cursor)) {
        auto const next =
            std::find_if(std::lower_bound(of.firings.begin(), of.firings.end(), cursor), of.firings.end(),
                         [&](utc_time at) { return !of.asked.contains(at) && !skips(paused, of.service, at); });
        cursor = next == of.firings.end() ? utc_time::max() : *next;
    }
    return cursor;
}

} // namespace

void pass_outage(task& of, utc_time cursor, utc_time now, pauses const& paused, bool by_edit)
{
    if (of.delay)
        return; // it is never late
    if (!by_edit) {
        cursor = behind_pauses(of, cursor, now, paused);
        if (cursor > now || is_held(paused, of.service, now))
            return;
    }
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
        if (of.asked.contains(*at))
            continue;
        auto const age = now - of.due_at(*at);
        if (is_near(age, after) || is_near(age, 0s) || (within > 0s && is_near(age, within)))
            of.unsure.insert(first, last);
        if (age > after && (successors >= limit || (within > 0s && age > within)))
            of.skipped.insert(*at);
        successors += age >= 0s ? 1 : 0;
    }
}

void leave_out(task& of, pauses const& paused)
{
    std::int64_t count = 0;
    for (auto const at : of.firings) {
        if (of.most != 0 && count == of.most)
            return; // nothing is planned any more
        auto const started = of.started.find(at);
        auto const due = started == of.started.end() ? at : started->second;
        if (of.asked.contains(at) || (!of.delay && skips(paused, of.service, due)))
            of.skipped.insert(at);
        count += of.skipped.contains(at) ? 0 : 1;
    }
}

namespace {

// The instant, or the first minute behind it in which the calendar lets the task fire.
utc_time allowed_from(delay_chain const& chain, utc_time at, utc_time begin)
{
    if (chain.within == nullptr)
        return at;
    auto const& minutes = chain.within->zone->minutes;
    bool const wanted = chain.within->mode == "allow";
    for (;; at = std::chrono::floor<std::chrono::minutes>(at) + 1min) {
        auto const minute = static_cast<std::size_t>((at - begin) / 1min);
        if (minute >= minutes.size() || chain.within->contains(minutes[minute]) == wanted)
            return at;
    }
}

} // namespace

void begin_delay(task& of, utc_time begin)
{
    if (of.delay)
        of.delay->next = allowed_from(*of.delay, begin, begin);
}

void plan_delay(task& of, utc_time until, utc_time now, pauses const& paused)
{
    if (of.delay && of.delay->next && *of.delay->next < until && !is_paused(paused, of.service, now))
        of.delay->planned = true;
}

void end_delay(task& of, utc_time now, utc_time begin, pauses const& paused)
{
    auto& chain = of.delay;
    if (!chain || !chain->planned || *chain->next > now || is_paused(paused, of.service, now))
        return;
    of.firings.push_back(*chain->next);
    chain->planned = false;
    auto const next = allowed_from(*chain, now + chain->pause, begin);
    chain->next = next;
    if (next >= of.end || (of.most != 0 && of.firings.size() >= static_cast<std::size_t>(of.most)))
        chain->next.reset();
}

} // namespace year_oracle
