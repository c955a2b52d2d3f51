// baton calendars: named sets of days and times, which tasks exclude or allow.

#include "cli/calendar_options.hpp"
#include "cli/commands.hpp"
#include "cli/input_file.hpp"
#include "cli/list_by_default.hpp"
#include "cli/rest.hpp"
#include "cli/table.hpp"

#include <iostream>
#include <memory>
#include <sstream>

namespace baton::cli {

namespace {

constexpr char calendar_resource[] = "/api/v1/calendars";

struct calendar_list_options {
    std::string project;
    std::size_t limit = 50;
};

struct calendar_name {
    std::string name;
    std::string project = "default";
};

struct calendar_set_options {
    calendar_name which;
    calendar_options content;
    std::string file;   // iCalendar
    bool empty = false; // a calendar without any day is meant
};

std::string target_of_calendar(nlohmann::json const& calendar)
{
    return calendar_resource + ("/" + calendar.at("id").get<std::string>());
}

std::optional<nlohmann::json> find_calendar(rest& web, calendar_name const& which)
{
    auto const found = web.get(calendar_resource + ("?project=" + http::percent_encode(which.project)) +
                               "&name=" + http::percent_encode(which.name));
    if (found.at("items").empty())
        return std::nullopt;
    return found.at("items").front();
}

nlohmann::json need_calendar(rest& web, calendar_name const& which)
{
    if (auto found = find_calendar(web, which))
        return *found;
    throw request_failed(404, "project '" + which.project + "' has no calendar '" + which.name + "'");
}

void list_calendars(calendar_list_options const& chosen, common_options const& common)
{
    rest web(common);
    std::string target = calendar_resource;
    if (!chosen.project.empty())
        target += "?project=" + http::percent_encode(chosen.project);
    auto const found = web.page(target, chosen.limit);
    if (common.json)
        return print_json(std::cout, found);
    table shown({"NAME", "PROJECT", "VERSION", "ZONE", "DATES", "YEARLY", "WEEKLY", "DESCRIPTION"});
    for (auto const& each : found.at("items"))
        shown.add({cell(each, "name"), cell(each, "project"), cell(each, "version"), cell(each, "zone"),
                   std::to_string(each.at("dates").size()), std::to_string(each.at("yearly").size()),
                   std::to_string(each.at("weekly").size()), cell(each, "description")});
    shown.print(std::cout);
}

std::string joined_texts(nlohmann::json const& texts)
{
    std::string all;
    for (auto const& each : texts)
        all += (all.empty() ? "" : " ") + each.get<std::string>();
    return all;
}

std::string weekly_text(nlohmann::json const& part)
{
    auto text = joined_texts(part.at("days"));
    if (part.contains("from"))
        text += " from " + part.at("from").get<std::string>() + " until " + part.at("until").get<std::string>();
    return text;
}

void print_content(nlohmann::json const& calendar)
{
    if (auto const text = cell(calendar, "description"); !text.empty())
        std::cout << "  " << text << '\n';
    for (auto const* const member : {"dates", "yearly"})
        if (!calendar.at(member).empty())
            std::cout << "  " << member << ": " << joined_texts(calendar.at(member)) << '\n';
    for (auto const& part : calendar.at("weekly"))
        std::cout << "  weekly: " << weekly_text(part) << '\n';
}

void print_calendar(nlohmann::json const& calendar)
{
    std::cout << "calendar " << cell(calendar, "id") << ' ' << cell(calendar, "name") << " of project "
              << cell(calendar, "project") << ", version " << cell(calendar, "version") << ", in "
              << cell(calendar, "zone") << '\n';
    print_content(calendar);
    for (auto const& user : calendar.value("used_by", nlohmann::json::array())) {
        std::cout << "  used by " << cell(user, "name");
        if (user.at("calendar_version") != calendar.at("version"))
            std::cout << " (which still has version " << cell(user, "calendar_version") << ')';
        std::cout << '\n';
    }
}

void show_calendar(calendar_name const& which, common_options const& common)
{
    rest web(common);
    auto const calendar = web.get(target_of_calendar(need_calendar(web, which)));
    if (common.json)
        return print_json(std::cout, calendar);
    print_calendar(calendar);
}

void list_versions(calendar_name const& which, std::size_t limit, common_options const& common)
{
    rest web(common);
    auto const found = web.page(target_of_calendar(need_calendar(web, which)) + "/versions", limit);
    if (common.json)
        return print_json(std::cout, found);
    auto const clock = times_of(common);
    for (auto const& each : found.at("items")) {
        auto const& version = each.at("definition");
        std::cout << "version " << cell(each, "version") << ", saved " << clock.text(each, "created_at") << ", in "
                  << cell(version, "zone") << '\n';
        print_content(version);
    }
}

bool names_days(calendar_set_options const& chosen)
{
    auto const& content = chosen.content;
    return !content.dates.empty() || !content.yearly.empty() || !content.weekly.empty();
}

// Creates the calendar or replaces its content. Returns the exit status.
int set_calendar(calendar_set_options const& chosen, common_options const& common)
{
    rest web(common);
    auto body = calendar_of(chosen.content);
    body["project"] = chosen.which.project;
    body["name"] = chosen.which.name;
    if (!chosen.file.empty())
        body["icalendar"] = read_input_file(chosen.file);
    auto const present = find_calendar(web, chosen.which);
    auto const made = present ? web.send(http::verb::put, target_of_calendar(*present), body)
                              : web.send(http::verb::post, calendar_resource, body);
    if (common.json)
        print_json(std::cout, made);
    else
        print_calendar(made);
    if (!present)
        return 0;
    if (!common.json && made.at("edited") != 0)
        std::cout << cell(made, "edited") << " tasks follow from " << times_of(common).text(made, "valid_from") << '\n';
    for (auto const& name : made.at("left_behind"))
        std::cerr << "task " << name.get<std::string>()
                  << " keeps the old days, because too many of its firings are due; set the calendar once more\n";
    return made.at("left_behind").empty() ? 0 : status_failed;
}

void delete_calendar(calendar_name const& which, common_options const& common)
{
    rest web(common);
    auto const gone = web.send(http::verb::del, target_of_calendar(need_calendar(web, which)));
    if (common.json)
        print_json(std::cout, gone);
    else
        std::cout << "calendar " << which.name << " is deleted\n";
}

void add_calendar_name(CLI::App& command, calendar_name& into)
{
    command.add_option("name", into.name, "Name of the calendar")->required();
    command.add_option("--project", into.project, "Project of the calendar")->capture_default_str();
}

void add_calendar_set(CLI::App& group, common_options const& common, int& status)
{
    auto* const command = group.add_subcommand("set", "Create a calendar, or replace its content");
    command->footer("Example: baton calendars set holidays --zone Europe/Berlin --date 2026-12-24/2026-12-26 "
                    "--yearly 01-01 --weekly sat,sun");
    auto const chosen = std::make_shared<calendar_set_options>();
    add_calendar_name(*command, chosen->which);
    add_calendar_content_options(*command, chosen->content);
    auto* const empty = command->add_flag("--empty", chosen->empty, "Allow a calendar without any day");
    for (auto const* const days : {"--date", "--yearly", "--weekly"})
        empty->excludes(days);
    command->callback([chosen, &common, &status] {
        if (!chosen->empty && !names_days(*chosen))
            throw CLI::ValidationError("set", "the calendar '" + chosen->which.name +
                                                  "' would have no day: give --date, --yearly or --weekly, or --empty "
                                                  "if that is meant");
        status = set_calendar(*chosen, common);
    });

    auto* const import =
        group.add_subcommand("import", "Create a calendar from the all-day events of an iCalendar file");
    import->footer("Example: baton calendars import holidays feiertage.ics --zone Europe/Berlin");
    auto const imported = std::make_shared<calendar_set_options>();
    add_calendar_name(*import, imported->which);
    import->add_option("file", imported->file, "File in the format iCalendar (RFC 5545)")->required();
    add_calendar_content_options(*import, imported->content);
    import->callback([imported, &common, &status] { status = set_calendar(*imported, common);
});
}

} // namespace

void add_calendars(CLI::App& program, common_options const& common, int& status)
{
    auto& group = *program.add_subcommand("calendars", "Keep named sets of days and times that tasks exclude or allow");
    group.footer("Example: baton calendars list");
    auto* const all = group.add_subcommand("list", "List calendars");
    all->footer("Example: baton calendars list --project billing");
    auto const listed = std::make_shared<calendar_list_options>();
    all->add_option("--project", listed->project, "Only of this project");
    all->add_option("--limit", listed->limit, "Number of calendars")
        ->capture_default_str()
        ->check(CLI::Range(1, 1'000'000));
    auto const print = [listed, &common] { list_calendars(*listed, common); };
    all->callback(print);
    list_by_default(group, print);

    auto* const history = group.add_subcommand("versions", "Show the versions of a calendar, the newest first");
    history->footer("Example: baton calendars versions holidays");
    auto const of = std::make_shared<calendar_name>();
    add_calendar_name(*history, *of);
    auto const most = std::make_shared<std::size_t>(20);
    history->add_option("--limit", *most, "Number of versions")->capture_default_str()->check(CLI::Range(1, 1'000'000));
    history->callback([of, most, &common] { list_versions(*of, *most, common); });
    auto* const one = group.add_subcommand("show", "Show a calendar and the tasks that use it");
    one->footer("Example: baton calendars show holidays");
    auto const shown = std::make_shared<calendar_name>();
    add_calendar_name(*one, *shown);
    one->callback([shown, &common] { show_calendar(*shown, common); });

    add_calendar_set(group, common, status);

    auto* const gone = group.add_subcommand("delete", "Delete a calendar that no task uses");
    gone->footer("Example: baton calendars delete holidays");
    auto const removed = std::make_shared<calendar_name>();
    add_calendar_name(*gone, *removed);
    gone->callback([removed, &common] { delete_calendar(*removed, common); });
}

} // namespace baton::cli
