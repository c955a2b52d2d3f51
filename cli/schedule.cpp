// baton schedule preview: the firings that a schedule would have, before there is a task.

#include "cli/commands.hpp"
#include "cli/firings.hpp"
#include "cli/rest.hpp"
#include "cli/schedule_options.hpp"
#include "cli/service_name.hpp"
#include "cli/table.hpp"

#include <iostream>
#include <memory>

namespace baton::cli {

namespace {

struct preview_options {
    schedule_options schedule;
    std::string project = "default";
    std::string service;
    std::string name;
    std::string task;
    int count = 10;
};

nlohmann::json request_of(preview_options const& chosen, rest& server)
{
    nlohmann::json wanted{
        {"project", chosen.project}, {"count", chosen.count}, {"schedule", schedule_of(chosen.schedule)}};
    if (!chosen.service.empty())
        wanted["service"] = chosen.service;
    if (!chosen.name.empty())
        wanted["name"] = chosen.name;
    if (!chosen.task.empty())
        wanted["task"] = server.task_id(chosen.task, chosen.project);
    return wanted;
}

// Why there are no firings, or no more of them.
std::string end_text(nlohmann::json const& answer)
{
    if (answer.value("unplanned", nlohmann::json()).is_object())
        return cell(answer.at("unplanned"), "text");
    auto const end = answer.value("end", "");
    if (end == "over")
        return "these are all of its firings";
    if (end == "max_firings")
        return "it has then reached its maximum of firings";
    return end == "bound" ? "the search stopped here: its calendars exclude too many times" : "";
}

void preview(preview_options chosen, common_options const& common)
{
    if (!chosen.service.empty())
        part_service(chosen.service, chosen.project);
    rest server(common);
    auto const answer = server.send(http::verb::post, "/api/v1/schedules/preview", request_of(chosen, server));
    if (common.json)
        return print_json(std::cout, answer);
    std::cout << cell(answer, "description") << '\n';
    auto const at = times_of(common);
    auto const zone = cell(answer, "zone");
    for (auto const& firing : answer.at("next"))
        std::cout << "next: " << preview_text(firing, zone, at) << '\n';
    if (auto const text = end_text(answer); !text.empty())
        std::cout << text << '\n';
    if (auto const note = answer.value("note", nlohmann::json()); note.is_string())
        std::cout << "note: " << cell(answer, "note") << '\n';
    print_notes(std::cout, answer);
}

} // namespace

void add_schedule(CLI::App& program, common_options const& common)
{
    auto& group = *program.add_subcommand("schedule", "Try schedules without saving a task");
    group.require_subcommand(1)->fallthrough();
    group.footer("Example: baton schedule preview --every 15m --from 09:00 --to 17:30 --exclude holidays");
    auto* const command =
        group.add_subcommand("preview", "Check a schedule as a save does, describe it and list its next firings");
    command->footer("It takes the options of `baton task add` that say when a task is due, and saves nothing.\n"
                    "Example: baton schedule preview --cron '0 9 * * 1-5' --zone Europe/Berlin --exclude holidays");
    auto const chosen = std::make_shared<preview_options>();
    add_schedule_options(*command, chosen->schedule);
    command->add_option("--count", chosen->count, "Number of firings")
        ->capture_default_str()
        ->check(CLI::Range(1, 100));
    command->add_option("--name", chosen->name, "Name of the task, from which the values of H and the jitter follow");
    command->add_option("--project", chosen->project, "Project of the task, which has its calendars")
        ->capture_default_str();
    command->add_option("--service", chosen->service,
                        "Service of the task, or project/service, whose default is the time zone without --zone");
    command->add_option("--task", chosen->task,
                        "A task that the schedule is meant for: it counts from its registration, and keeps its seeds, "
                        "its firings so far and its skips");
    command->callback([chosen, &common] { preview(*chosen, common); });
}

} // namespace baton::cli
