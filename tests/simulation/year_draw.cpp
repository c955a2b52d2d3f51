#include "tests/simulation/year_oracle.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <functional>

// Draws schedules, and finds their firings in the minutes of the year.

namespace year_oracle {

using namespace std::chrono_literals;

namespace {

constexpr std::array day_names{"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

// The values that a field admits, with the text that says so.
struct field {
    std::string text = "*";
    std::set<int> values{}; // empty: all
    bool starred() const { return text.front() == '*'; }
    bool admits(int value) const { return values.empty() || values.contains(value); }
};

struct draw {
    std::mt19937_64& chance;
    int below(int count) { return static_cast<int>(chance() % static_cast<std::uint64_t>(count)); }
    bool percent(int share) { return below(100) < share; }
    template <class Value>
    Value one_of(std::vector<Value> const& all)
    {
        return all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
    }
    field some(int least, int most, int count)
    {
        field out{"", {}};
        while (static_cast<int>(out.values.size()) < count)
            out.values.insert(least + below(most - least + 1));
        for (auto const value : out.values)
            out.text += (out.text.empty() ? "" : ",") + std::to_string(value);
        return out;
    }
    static field every(int step, int least, int most)
    {
        field out{"*/" + std::to_string(step), {}};
        for (int value = least; value <= most; value += step)
            out.values.insert(value);
        return out;
    }
};

using match = std::function<bool(local_minute const&)>;

// `fixed`: the rule of Debian's cron for jobs at fixed times. One whose time the clock leaves out runs once after the
// gap, and one whose time comes twice runs the first time.
std::vector<utc_time> firings_of(zone_year const& zone, utc_time begin, bool fixed, match const& matches)
{
    std::vector<utc_time> out;
    for (std::size_t i = 0; i < zone.minutes.size(); ++i) {
        auto const& now = zone.minutes[i];
        bool fires = matches(now) && !(fixed && now.second_pass);
        if (fixed && !fires)
            if (auto const gap = zone.gaps.find(i); gap != zone.gaps.end())
                fires = std::any_of(gap->second.begin(), gap->second.end(), matches);
        if (fires)
            out.push_back(begin + i * 1min);
    }
    return out;
}

task crontab(draw& random, zone_year const& zone, utc_time begin)
{
    auto const minute = random.percent(85) ? random.some(0, 59, 1 + random.below(2))
                                           : draw::every(random.one_of<int>({15, 20, 30}), 0, 59);
    auto hour = random.percent(50) ? random.some(0, 3, 1 + random.below(2)) : random.some(0, 23, 1 + random.below(3));
    if (random.percent(8))
        hour = random.percent(50) ? field{} : draw::every(random.one_of<int>({6, 8, 12}), 0, 23);
    auto const day = random.percent(70) ? field{} : random.percent(50) ? random.some(1, 31, 3) : draw::every(2, 1, 31);
    auto const month = random.percent(80) ? field{} : random.some(1, 12, 6);
    auto const weekday = random.percent(70) ? field{} : random.some(0, 6, 2);
    bool const either = !day.starred() && !weekday.starred();
    auto const matches = [&](local_minute const& at) {
        bool const by_day = day.admits(at.day);
        bool const by_weekday = weekday.admits(at.weekday);
        return minute.admits(at.minute) && hour.admits(at.hour) && month.admits(at.month) &&
               (either ? by_day || by_weekday : by_day && by_weekday);
    };
    auto const text = fmt::format("{} {} {} {} {}", minute.text, hour.text, day.text, month.text, weekday.text);
    return {{{"kind", "cron"}, {"cron", text}, {"zone", zone.name}},
            {},
            firings_of(zone, begin, !minute.starred() && !hour.starred(), matches)};
}

bool on_weekday(local_minute const& at)
{
    return at.weekday != 0 && at.weekday != 6;
}

// The weekday of another day of the same month.
int weekday_of(local_minute const& at, int day)
{
    return (((at.weekday + day - at.day) % 7) + 7) % 7;
}

// W of Quartz: the day from Monday to Friday that is nearest, in the same month.
int nearest_weekday(local_minute const& at, int day)
{
    auto const falls_on = weekday_of(at, day);
    if (falls_on == 6)
        return day > 1 ? day - 1 : day + 2;
    if (falls_on == 0)
        return day < at.last_day ? day + 1 : day - 2;
    return day;
}

int last_weekday(local_minute const& at)
{
    auto const falls_on = weekday_of(at, at.last_day);
    return at.last_day - (falls_on == 6 ? 1 : falls_on == 0 ? 2 : 0);
}

task quartz(draw& random, zone_year const& utc, utc_time begin)
{
    int const minute = random.below(60);
    int const hour = random.below(24);
    int const weekday = random.below(7);
    int const which = 1 + random.below(4);
    std::string days;
    std::string weekdays = "?";
    match fits;
    switch (random.below(6)) {
    case 0:
        days = "?";
        weekdays = fmt::format("{}#{}", weekday + 1, which);
        fits = [=](local_minute const& at) { return at.weekday == weekday && (at.day - 1) / 7 + 1 == which; };
        break;
    case 1:
        days = "?";
        weekdays = fmt::format("{}L", weekday + 1);
        fits = [=](local_minute const& at) { return at.weekday == weekday && at.day + 7 > at.last_day; };
        break;
    case 2:
        days = "L";
        fits = [](local_minute const& at) { return at.day == at.last_day; };
        break;
    case 3:
        days = fmt::format("L-{}", which);
        fits = [=](local_minute const& at) { return at.day == at.last_day - which; };
        break;
    case 4:
        days = "LW";
        fits = [](local_minute const& at) { return at.day == last_weekday(at); };
        break;
    default:
        days = fmt::format("{}W", 10 + which);
        fits = [=](local_minute const& at) { return at.day == nearest_weekday(at, 10 + which); };
    }
    auto const matches = [&](local_minute const& at) { return at.minute == minute && at.hour == hour && fits(at); };
    return {{{"kind", "cron"},
             {"dialect", "quartz"},
             {"cron", fmt::format("0 {} {} {} * {}", minute, hour, days, weekdays)},
             {"zone", utc.name}},
            {},
            firings_of(utc, begin, false, matches)};
}

task window(draw& random, zone_year const& zone, utc_time begin)
{
    int const pause = random.one_of<int>({30, 45, 60, 120});
    int const from = 60 * (8 + random.below(4)) + 15 * random.below(4);
    int const to = from + 60 * (2 + random.below(6));
    nlohmann::json days = nlohmann::json::array();
    std::set<int> open;
    for (int day = 0; day < 7; ++day)
        if (random.percent(60) || (day == 6 && open.empty())) {
            open.insert(day);
            days.push_back(day_names[static_cast<std::size_t>(day)]);
        }
    auto const matches = [&](local_minute const& at) {
        int const minute = 60 * at.hour + at.minute;
        return open.contains(at.weekday) && minute >= from && minute <= to && (minute - from) % pause == 0;
    };
    auto const time = [](int minute) { return fmt::format("{:02}:{:02}", minute / 60, minute % 60); };
    return {{{"kind", "window"},
             {"every_ms", pause * 60'000},
             {"from", time(from)},
             {"to", time(to)},
             {"days", days},
             {"zone", zone.name}},
            {},
            firings_of(zone, begin, false, matches)};
}

task calendar_interval(draw& random, zone_year const& zone, utc_time begin)
{
    int const every = random.one_of<int>({1, 2, 3});
    int const hour = 6 + random.below(12);
    auto const on = random.one_of<std::string>({"15", "31", "last_day", "last_business_day", "second tuesday"});
    auto const& first = zone.minutes.front();
    auto const matches = [&](local_minute const& at) {
        if (at.hour != hour || at.minute != 0 || ((at.year - first.year) * 12 + at.month - first.month) % every != 0)
            return false;
        if (on == "second tuesday")
            return at.weekday == 2 && at.day >= 8 && at.day <= 14;
        if (on == "last_business_day")
            return at.day == last_weekday(at) && on_weekday(at);
        return at.day == (on == "15" ? 15 : at.last_day);
    };
    return {{{"kind", "calendar"},
             {"every", every},
             {"unit", "months"},
             {"on", on},
             {"time", fmt::format("{:02}:00", hour)},
             {"zone", zone.name}},
            {},
            firings_of(zone, begin, false, matches)};
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

nlohmann::json draw_misfire(draw& random)
{
    return random.one_of<nlohmann::json>({nullptr,
                                          {{"action", "fire_once"}, {"after_ms", 300'000}},
                                          {{"action", "skip"}},
                                          {{"action", "fire_all"}, {"limit", 5}},
                                          {{"action", "fire_all"}, {"limit", 3}, {"within_ms", 7'200'000}}});
}

// A jitter, a maximum of firings or a calendar, each for some of the tasks. The effect of a jitter on a maximum depends
// on the planner's pages, so no task has both.
void draw_rules(draw& random, std::vector<calendar> const& calendars, utc_time begin, task& into)
{
    if (into.schedule.at("kind") == "once")
        return;
    if (random.percent(20)) {
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
    auto const& utc = zones.front();
    auto const& zone = zones[static_cast<std::size_t>(random.below(static_cast<int>(zones.size())))];
    auto const minutes = utc.minutes.size();
    auto const kind = random.below(100);
    task out = kind < 60   ? crontab(random, zone, begin)
               : kind < 75 ? quartz(random, utc, begin)
               : kind < 82 ? window(random, zone, begin)
               : kind < 90 ? calendar_interval(random, zone, begin)
               : kind < 98 ? fixed_rate(random, minutes, begin)
                           : once(random, minutes, begin);
    out.misfire = draw_misfire(random);
    draw_rules(random, calendars, begin, out);
    return out;
}

} // namespace year_oracle
