#include "tests/simulation/year_draw.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>

// Draws schedules, and finds their firings in the minutes of the year.

namespace year_oracle {

using namespace std::chrono_literals;

std::vector<utc_time> firings_of(zone_year const& zone, utc_time begin, clock_rule rule, match const& matches)
{
    std::vector<utc_time> out;
    for (std::size_t i = 0; i < zone.minutes.size(); ++i) {
        auto const& now = zone.minutes[i];
        bool const other_pass = (rule.twice == clock_rule::overlap::first && now.second_pass) ||
                                (rule.twice == clock_rule::overlap::second && now.comes_again);
        if (!other_pass && matches(now))
            out.push_back(begin + i * 1min);
    }
    for (auto const& [i, left_out] : zone.gaps)
        for (std::size_t behind = 0; behind < left_out.size(); ++behind)
            if (rule.left_out != clock_rule::gap::skip && matches(left_out[behind]))
                out.push_back(begin + (i + (rule.left_out == clock_rule::gap::shift ? behind : 0)) * 1min);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

clock_rule draw_clock_rule(draw& random, clock_rule usual, nlohmann::json& schedule)
{
    constexpr std::array gaps{"skip", "next_valid", "shift"};
    constexpr std::array overlaps{"first", "second", "both"};
    if (random.percent(30)) {
        usual.left_out = static_cast<clock_rule::gap>(random.below(3));
        schedule["gap"] = gaps[static_cast<std::size_t>(usual.left_out)];
    }
    if (random.percent(30)) {
        usual.twice = static_cast<clock_rule::overlap>(random.below(3));
        schedule["overlap"] = overlaps[static_cast<std::size_t>(usual.twice)];
    }
    return usual;
}

namespace {

constexpr clock_rule usual_of_calendars{clock_rule::gap::next_valid, clock_rule::overlap::first};
constexpr std::array day_names{"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

task window(draw& random, zone_year const& zone, utc_time begin)
{
    int const pause = random.one_of<int>({30, 45, 60, 120});
    int const from = 60 * (random.percent(40) ? random.below(24) : 8 + random.below(4)) + 15 * random.below(4);
    int const length = 60 * (2 + random.below(6)); // perhaps over midnight
    nlohmann::json days = nlohmann::json::array();
    std::set<int> open;
    for (int day = 0; day < 7; ++day)
        if (random.percent(60) || (day == 6 && open.empty())) {
            open.insert(day);
            days.push_back(day_names[static_cast<std::size_t>(day)]);
        }
    auto const matches = [&](local_minute const& at) {
        int const behind = 60 * at.hour + at.minute - from;
        bool const of_yesterday = behind < 0;
        int const passed = of_yesterday ? behind + 24 * 60 : behind;
        return open.contains((at.weekday + (of_yesterday ? 6 : 0)) % 7) && passed <= length && passed % pause == 0;
    };
    auto const time = [](int minute) { return fmt::format("{:02}:{:02}", minute / 60 % 24, minute % 60); };
    nlohmann::json schedule{{"kind", "window"},   {"every_ms", pause * 60'000},
                            {"from", time(from)}, {"to", time(from + length)},
                            {"days", days},       {"zone", zone.name}};
    auto const rule = draw_clock_rule(random, {clock_rule::gap::skip, clock_rule::overlap::first}, schedule);
    return {schedule, {}, firings_of(zone, begin, rule, matches)};
}

task calendar_interval(draw& random, zone_year const& zone, utc_time begin)
{
    int const every = random.one_of<int>({1, 2, 3});
    int const hour = random.below(18);
    int const minute = random.one_of<int>({0, 0, 15, 30});
    auto const on = random.one_of<std::string>({"15", "31", "last_day", "last_business_day", "second tuesday"});
    auto const& first = zone.minutes.front();
    auto const matches = [&](local_minute const& at) {
        if (at.hour != hour || at.minute != minute ||
            ((at.year - first.year) * 12 + at.month - first.month) % every != 0)
            return false;
        if (on == "second tuesday")
            return at.weekday == 2 && at.day >= 8 && at.day <= 14;
        if (on == "last_business_day")
            return at.day == last_weekday(at) && on_weekday(at);
        return at.day == (on == "15" ? 15 : at.last_day);
    };
    nlohmann::json schedule{{"kind", "calendar"},
                            {"every", every},
                            {"unit", "months"},
                            {"on", on},
                            {"time", fmt::format("{:02}:{:02}", hour, minute)},
                            {"zone", zone.name}};
    auto const rule = draw_clock_rule(random, usual_of_calendars, schedule);
    return {schedule, {}, firings_of(zone, begin, rule, matches)};
}

// Every so many days, or on days of every so many weeks, which begin on Monday.
task day_interval(draw& random, zone_year const& zone, utc_time begin)
{
    bool const weeks = random.percent(50);
    int const every = weeks ? 1 + random.below(3) : 2 + random.below(9);
    int const hour = random.below(24);
    auto const days = random.some(0, 6, 2).values;
    nlohmann::json schedule{{"kind", "calendar"},
                            {"every", every},
                            {"unit", weeks ? "weeks" : "days"},
                            {"time", fmt::format("{:02}:30", hour)},
                            {"zone", zone.name}};
    if (weeks)
        for (auto const day : days)
            schedule["days"].push_back(day_names[static_cast<std::size_t>(day)]);
    auto const day_of = [](local_minute const& at) {
        return std::chrono::sys_days{std::chrono::year{at.year} / at.month / at.day}.time_since_epoch().count();
    };
    auto const& first = zone.minutes.front();
    auto const monday = day_of(first) - (first.weekday + 6) % 7;
    auto const matches = [&](local_minute const& at) {
        if (at.hour != hour || at.minute != 30)
            return false;
        return weeks ? days.contains(at.weekday) && (day_of(at) - monday) / 7 % every == 0
                     : (day_of(at) - day_of(first)) % every == 0;
    };
    auto const rule = draw_clock_rule(random, usual_of_calendars, schedule);
    return {schedule, {}, firings_of(zone, begin, rule, matches)};
}

task fixed_rate(draw& random, std::size_t minutes, utc_time begin)
{
    int const period = random.one_of<int>({90, 360, 420, 1440, 10'000});
    auto const start = begin + random.below(2'000) * 1min;
    task out{{{"kind", "fixed_rate"}, {"every_ms", period * 60'000}, {"start_at", baton::to_rfc3339(start)}}, {}, {}};
    for (auto at = start; at < begin + minutes * 1min; at += period * 1min)
        out.firings.push_back(at);
    return out;
}

task once(draw& random, std::size_t minutes, utc_time begin)
{
    auto const at = begin + random.below(static_cast<int>(minutes)) * 1min;
    return {{{"kind", "once"}, {"at", baton::to_rfc3339(at)}}, {}, {at}};
}

// Its firings follow from the ends of its runs.
task fixed_delay(draw& random)
{
    auto const delay = random.one_of<int>({20, 95, 600, 3'000}) * 1min + 13s; // never at the look of a master
    task out{{{"kind", "fixed_delay"}, {"every_ms", delay / 1ms}}, {}, {}};
    out.delay.emplace();
    out.delay->pause = delay;
    return out;
}

nlohmann::json draw_misfire(draw& random)
{
    return random.one_of<nlohmann::json>({nullptr,
                                          {{"action", "fire_once"}, {"after_ms", 300'000}},
                                          {{"action", "skip"}},
                                          {{"action", "fire_all"}, {"limit", 5}},
                                          {{"action", "fire_all"}, {"limit", 3}, {"within_ms", 7'200'000}}});
}

// A start and an end of validity.
void draw_validity(draw& random, utc_time begin, task& into)
{
    auto const kind = into.schedule.at("kind");
    if (random.percent(50) && kind != "fixed_rate" && kind != "calendar" &&
        kind != "fixed_delay") { // these count from it
        auto const start = begin + random.below(100 * 24 * 60) * 1min;
        into.schedule["start_at"] = baton::to_rfc3339(start);
        std::erase_if(into.firings, [&](utc_time at) { return at < start; });
    }
    auto const end = begin + (120 + random.below(200)) * 24h + random.below(24 * 60) * 1min;
    into.schedule["end_at"] = baton::to_rfc3339(end);
    std::erase_if(into.firings, [&](utc_time at) { return at >= end; });
    into.end = end;
}

// A jitter, a maximum of firings or a calendar, each for some of the tasks. The effect of a jitter on a maximum depends
// on the planner's pages, so no task has both.
void draw_rules(draw& random, std::vector<calendar> const& calendars, utc_time begin, task& into)
{
    if (into.schedule.at("kind") == "once")
        return;
    if (random.percent(12))
        draw_validity(random, begin, into);
    bool const delayed = into.delay.has_value();
    if (random.percent(20) && !delayed) {
        into.jitters.front().most = random.one_of<int>({60, 600, 5'400}) * 1s;
        into.jitters.front().seed = static_cast<std::uint32_t>(random.below(1'000'000));
        into.schedule["jitter_ms"] = into.jitters.front().most / 1ms;
        into.schedule["jitter_seed"] = into.jitters.front().seed;
    } else if (random.percent(15)) {
        into.most = 1 + random.below(400);
        into.schedule["max_firings"] = into.most;
    }
    if (random.percent(20)) {
        auto const& chosen = calendars[static_cast<std::size_t>(random.below(static_cast<int>(calendars.size())))];
        into.schedule["calendars"] = {{{"name", chosen.name}, {"mode", chosen.mode}}};
        if (delayed)
            into.delay->within = &chosen;
        std::erase_if(into.firings, [&](utc_time at) {
            auto const minute = static_cast<std::size_t>((at - begin) / 1min);
            return chosen.contains(chosen.zone->minutes.at(minute)) != (chosen.mode == "allow");
        });
    }
}

} // namespace

task draw_task(std::mt19937_64& chance, std::vector<zone_year> const& zones, std::vector<calendar> const& calendars,
               utc_time begin)
{
    draw random{chance};
    auto const& zone = zones[static_cast<std::size_t>(random.below(static_cast<int>(zones.size())))];
    auto const minutes = zone.minutes.size();
    auto const kind = random.below(100);
    task out = kind < 54   ? crontab(random, zone, begin)
               : kind < 69 ? quartz(random, zone, begin)
               : kind < 77 ? window(random, zone, begin)
               : kind < 83 ? calendar_interval(random, zone, begin)
               : kind < 87 ? day_interval(random, zone, begin)
               : kind < 94 ? fixed_rate(random, minutes, begin)
               : kind < 98 ? fixed_delay(random)
                           : once(random, minutes, begin);
    out.misfire = draw_misfire(random);
    draw_rules(random, calendars, begin, out);
    begin_delay(out, begin);
    out.service = random.below(service_count);
    return out;
}

} // namespace year_oracle
