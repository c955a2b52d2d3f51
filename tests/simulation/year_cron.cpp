#include "tests/simulation/year_draw.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

// Draws cron expressions of both dialects.

namespace year_oracle {

namespace {

using gap = clock_rule::gap;
using overlap = clock_rule::overlap;

// The rule of Debian's cron: a job at fixed times whose time the clock leaves out runs once after the gap, and one
// whose time comes twice runs the first time.
constexpr clock_rule usual_of_times{gap::next_valid, overlap::first};
constexpr clock_rule usual_of_intervals{gap::skip, overlap::both};
constexpr clock_rule usual_of_quartz{gap::skip, overlap::second};

enum class field_number { minute = 1, hour = 2 };

int hashed_value(std::uint32_t seed, field_number which, int count)
{
    auto const drawn = spread(seed + (static_cast<std::uint64_t>(which) + 1) * 0x9e3779b97f4a7c15);
    return static_cast<int>((drawn >> 32) % static_cast<std::uint64_t>(count));
}

// H, H(a-b), H/n or H(a-b)/n.
field hashed_field(draw& random, std::uint32_t seed, field_number which, int most)
{
    int const from = random.percent(50) ? 0 : random.below(most / 2);
    int const to = from == 0 ? most : from + 1 + random.below(most - from);
    int const step = random.percent(60) ? 0 : 7 + random.below(most / 2);
    field out{"H", {}};
    if (from != 0)
        out.text += fmt::format("({}-{})", from, to);
    int const width = to - from + 1;
    int const first = from + hashed_value(seed, which, step == 0 ? width : std::min(step, width));
    out.values.insert(first);
    if (step != 0) {
        out.text += fmt::format("/{}", step);
        for (int value = first; value <= to; value += step)
            out.values.insert(value);
    }
    return out;
}

// The weekday of another day of the same month.
int weekday_of(local_minute const& at, int day)
{
    return (((at.weekday + day - at.day) % 7) + 7) % 7;
}

} // namespace

bool on_weekday(local_minute const& at)
{
    return at.weekday != 0 && at.weekday != 6;
}

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

task crontab(draw& random, zone_year const& zone, utc_time begin)
{
    auto const seed = static_cast<std::uint32_t>(random.below(1'000'000'000));
    bool const hashes = random.percent(25);
    auto const minute = hashes               ? hashed_field(random, seed, field_number::minute, 59)
                        : random.percent(85) ? random.some(0, 59, 1 + random.below(2))
                                             : draw::every(random.one_of<int>({15, 20, 30}), 0, 59);
    auto hour = random.percent(50) ? random.some(0, 3, 1 + random.below(2)) : random.some(0, 23, 1 + random.below(3));
    if (hashes && random.percent(50))
        hour = hashed_field(random, seed, field_number::hour, 23);
    else if (random.percent(8))
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
    nlohmann::json schedule{{"kind", "cron"}, {"cron", text}, {"zone", zone.name}};
    if (hashes)
        schedule["hash_seed"] = seed;
    auto const rule =
        draw_clock_rule(random, minute.starred() || hour.starred() ? usual_of_intervals : usual_of_times, schedule);
    return {schedule, {}, firings_of(zone, begin, rule, matches)};
}

task quartz(draw& random, zone_year const& zone, utc_time begin)
{
    int const minute = random.below(60);
    int const hour = random.percent(50) ? random.below(4) : random.below(24);
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
    nlohmann::json schedule{{"kind", "cron"},
                            {"dialect", "quartz"},
                            {"cron", fmt::format("0 {} {} {} * {}", minute, hour, days, weekdays)},
                            {"zone", zone.name}};
    auto const rule = draw_clock_rule(random, usual_of_quartz, schedule);
    return {schedule, {}, firings_of(zone, begin, rule, matches)};
}

} // namespace year_oracle
