// baton task list.

#include "cli/commands.hpp"
#include "cli/list_by_default.hpp"
#include "cli/rest.hpp"
#include "cli/service_name.hpp"
#include "cli/table.hpp"
#include "libs/protocol/task.hpp"

#include <iostream>
#include <memory>

namespace baton::cli {

namespace {

std::vector<std::string> kinds()
{
    auto const& names = protocol::names_of<protocol::schedule_kind>;
    return {names.begin(), names.end()};
}

std::string joined(std::vector<std::string> const& labels)
{
    std::string all;
    for (auto const& label : labels)
        all += (all.empty() ? "" : ",") + label;
    return all;
}

} // namespace

void add_task_list(CLI::App& task, common_options const& common)
{
    struct options {
        std::string project;
        std::string service;
        std::string name;
        std::string text;
        std::string state;
        std::string handler;
        std::string kind;
        std::string owner;
        std::vector<std::string> labels;
        bool enabled = false;
        bool disabled = false;
        std::size_t limit = 1'000;
    };
    auto* const command = task.add_subcommand("list", "List tasks");
    command->footer("Example: baton task list --service billing");
    auto const chosen = std::make_shared<options>();
    command->add_option("--project", chosen->project, "Only of this project");
    command->add_option("--service", chosen->service, "Only of this service, or project/service");
    command->add_option("--name", chosen->name, "Only tasks with this text in the name");
    command->add_option("--text", chosen->text, "Only with this text in the name, service, handler or owner");
    command->add_option("--state", chosen->state, "Only enabled, disabled or parked tasks")
        ->check(CLI::IsMember({"enabled", "disabled", "parked"}));
    command->add_option("--handler", chosen->handler, "Only of this handler");
    command->add_option("--kind", chosen->kind, "Only with this kind of schedule")->check(CLI::IsMember(kinds()));
    command->add_option("--owner", chosen->owner, "Only of this owner");
    command->add_option("--label", chosen->labels, "Only with this label, such as team:billing. May be given again");
    auto* const enabled = command->add_flag("--enabled", chosen->enabled, "Only enabled tasks");
    command->add_flag("--disabled", chosen->disabled, "Only disabled tasks")->excludes(enabled);
    command->add_option("--limit", chosen->limit, "Number of tasks")
        ->capture_default_str()
        ->check(CLI::Range(1, 1'000'000));
    auto const print = [chosen, &common] {
        part_service(chosen->service, chosen->project);
        std::string target = "/api/v1/tasks?";
        std::string const enabled_is = chosen->enabled ? "true" : chosen->disabled ? "false" : "";
        for (auto const& [key, value] : {std::pair{"project", chosen->project},
                                         {"service", chosen->service},
                                         {"name", chosen->name},
                                         {"text", chosen->text},
                                         {"state", chosen->state},
                                         {"handler", chosen->handler},
                                         {"kind", chosen->kind},
                                         {"owner", chosen->owner},
                                         {"label", joined(chosen->labels)},
                                         {"enabled", enabled_is}})
            if (!value.empty())
                target += std::string(key) + "=" + http::percent_encode(value) + "&";
        target.pop_back();
        auto const tasks = rest(common).page(target, chosen->limit);
        if (common.json)
            return print_json(std::cout, tasks);
        auto const at = times_of(common);
        table shown({"ID", "NAME", "SERVICE", "HANDLER", "SCHEDULE", "ENABLED", at.title("NEXT")});
        shown.when_narrow({"ID", "HANDLER", "SERVICE", "ENABLED"}, at.day(system_time{}.utc()));
        for (auto const& each : tasks.at("items")) {
            bool const paused = each.contains("paused") && !each.at("paused").is_null();
            shown.add({cell(each, "id"), cell(each, "name"), cell(each, "service"), cell(each, "handler"),
                       cell(each, "schedule_text"), cell(each, "enabled") + (paused ? ", paused" : ""),
                       at.cell(each, "next_at")});
        }
        shown.print(std::cout);
    };
    command->callback(print);
    list_by_default(task, print);
}

} // namespace baton::cli
