#include "cli/wall_options.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

namespace baton::cli {

namespace {

constexpr std::array<std::string_view, 7> week{"mon", "tue", "wed", "thu", "fri", "sat", "sun"};

std::size_t day_number(std::string_view name, char const* option)
{
    auto const found = std::ranges::find(week, name);
    if (found == week.end())
        throw CLI::ValidationError(option, "'" + std::string(name) + "' is no day such as mon or mon-fri");
    return static_cast<std::size_t>(found - week.begin());
}

} // namespace

nlohmann::json days_of(std::string const& text, char const* option)
{
    auto days = nlohmann::json::array();
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) {
        auto const dash = part.find('-');
        auto const last = day_number(dash == std::string::npos ? part : part.substr(dash + 1), option);
        for (auto day = day_number(part.substr(0, dash), option);; day = (day + 1) % week.size()) {
            days.push_back(week[day]);
            if (day == last)
                break;
        }
    }
    return days;
}

void add_window_options(CLI::App& command, wall_options& chosen, CLI::Option& every)
{
    auto* const from = command.add_option("--from", chosen.from,
                                          "--every fires only from this time of the day on, such as 09:00, and begins "
                                          "to count there");
    auto* const to = command.add_option("--to", chosen.to,
                                        "Up to this time, such as 17:30, which belongs to it; one before --from is on "
                                        "the next day");
    from->needs(to)->needs(&every);
    to->needs(from);
    command.add_option("--days", chosen.days,
                       "With --from or --calendar in weeks: on these days, such as mon-fri or mon,wed");
}

void add_calendar_options(CLI::App& command, CLI::App& when, wall_options& chosen)
{
    auto* const calendar = when.add_option(
        "--calendar", chosen.calendar,
        "Every so many days, weeks, months or years, such as '3 months', counted from --start-at or today");
    command.add_option("--time", chosen.time, "Time of the day of --calendar")->capture_default_str()->needs(calendar);
    command
        .add_option("--on", chosen.on,
                    "Day of the month of --calendar: 1 to 31 (or the last day), last_day, last_business_day, 'second "
                    "tuesday', 'last friday'; without it the day on which the counting begins")
        ->needs(calendar);
    command
        .add_option("--roll", chosen.roll, "For a --calendar in months or years whose day is a Saturday or a Sunday")
        ->check(CLI::IsMember({"none", "next_business_day", "previous_business_day"}))
        ->needs(calendar);
}

nlohmann::json calendar_schedule(wall_options const& chosen)
{
    std::istringstream words(chosen.calendar);
    int every = 0;
    std::string unit;
    std::string more;
    if (!(words >> every >> unit) || words >> more)
        throw CLI::ValidationError("--calendar", "'" + chosen.calendar + "' is not such as '3 months' or '2 weeks'");
    if (every == 1 && !unit.ends_with('s'))
        unit += 's';
    nlohmann::json schedule{{"kind", "calendar"}, {"every", every}, {"unit", unit}, {"time", chosen.time}};
    if (!chosen.on.empty())
        schedule["on"] = chosen.on;
    if (!chosen.roll.empty())
        schedule["roll"] = chosen.roll;
    if (!chosen.days.empty())
        schedule["days"] = days_of(chosen.days, "--days");
    return schedule;
}

nlohmann::json window_schedule(wall_options const& chosen, std::int64_t every_ms)
{
    nlohmann::json schedule{{"kind", "window"}, {"every_ms", every_ms}, {"from", chosen.from}, {"to", chosen.to}};
    if (!chosen.days.empty())
        schedule["days"] = days_of(chosen.days, "--days");
    return schedule;
}

} // namespace baton::cli
