#include "cli/calendar_options.hpp"

#include "cli/wall_options.hpp"

namespace baton::cli {

namespace {

// "mon-fri 18:00-08:00", or "sat,sun".
nlohmann::json weekly_of(std::string const& text)
{
    auto const space = text.find(' ');
    nlohmann::json part{{"days", days_of(text.substr(0, space), "--weekly")}};
    if (space == std::string::npos)
        return part;
    auto const times = text.substr(space + 1);
    auto const dash = times.find('-');
    if (dash == std::string::npos)
        throw CLI::ValidationError("--weekly", "'" + text + "' is not such as 'mon-fri 18:00-08:00' or 'sat,sun'");
    part["from"] = times.substr(0, dash);
    part["until"] = times.substr(dash + 1);
    return part;
}

} // namespace

void add_calendar_content_options(CLI::App& command, calendar_options& into)
{
    command.add_option("--zone", into.zone, "IANA time zone in which its days begin")->capture_default_str();
    command.add_option("--description", into.description, "Text for people");
    command.add_option("--date", into.dates,
                       "A date such as 2026-12-24, or a span such as 2026-12-24/2027-01-01. "
                       "May be given again");
    command.add_option("--yearly", into.yearly,
                       "A day of each year such as 12-25, 05-mon-last (the last Monday in May) or 11-thu-4 (the fourth "
                       "Thursday); * for each month, as in *-01 or *-last. May be given again");
    command.add_option(
        "--weekly", into.weekly,
        "Days of each week such as sat,sun, or a part of them such as 'mon-fri 18:00-08:00'. May be given "
        "again");
}

nlohmann::json calendar_of(calendar_options const& chosen)
{
    auto weekly = nlohmann::json::array();
    for (auto const& text : chosen.weekly)
        weekly.push_back(weekly_of(text));
    return {{"zone", chosen.zone},
            {"description", chosen.description},
            {"dates", chosen.dates},
            {"yearly", chosen.yearly},
            {"weekly", std::move(weekly)}};
}

void add_calendar_use_options(CLI::App& command, calendar_uses& into)
{
    command.add_option("--exclude", into.exclude,
                       "A calendar in which the task does not fire (baton calendars). May be given again");
    command.add_option(
        "--allow", into.allow,
        "A calendar outside of which the task does not fire. May be given again: the task then fires in each");
}

void write_calendar_uses(nlohmann::json& schedule, calendar_uses const& chosen)
{
    auto uses = nlohmann::json::array();
    for (auto const& name : chosen.exclude)
        uses.push_back({{"name", name}, {"mode", "exclude"}});
    for (auto const& name : chosen.allow)
        uses.push_back({{"name", name}, {"mode", "allow"}});
    if (uses.empty())
        return;
    if (schedule.at("kind") == "api" || schedule.at("kind") == "once" || schedule.at("kind") == "after")
        throw CLI::ValidationError("--exclude and --allow",
                                   "need a schedule that fires again and again, such as --cron");
    schedule["calendars"] = std::move(uses);
}

} // namespace baton::cli
