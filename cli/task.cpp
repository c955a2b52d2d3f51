// baton task: show, change and run tasks. The subcommands of other files add themselves here.

#include "cli/commands.hpp"
#include "cli/firings.hpp"
#include "cli/payload_option.hpp"
#include "cli/rest.hpp"
#include "cli/run_wait.hpp"
#include "cli/table.hpp"
#include "cli/task_selection.hpp"

#include <iostream>
#include <memory>

namespace baton::cli {

namespace {

void add_show(CLI::App& task, common_options const& common)
{
    auto* const command = task.add_subcommand("show", "Show a task and its next firings");
    command->footer("Example: baton task show close-day --firings 10");
    auto const which = add_task_selection(*command);
    auto const count = std::make_shared<int>(5);
    command->add_option("--firings", *count, "Number of next firings")
        ->capture_default_str()
        ->check(CLI::Range(1, 1'000));
    command->callback([which, count, &common] {
        rest web(common);
        auto const path = "/api/v1/tasks/" + web.task_id(which->task, which->project);
        auto shown = web.get(path);
        auto const next = web.get(path + "/next?count=" + std::to_string(*count));
        shown["next"] = next.at("next");
        if (common.json)
            return print_json(std::cout, shown);
        auto members = shown;
        members.erase("next_fire_at"); // the planner's mark, which is no next firing
        print_members(std::cout, members, times_of(common), "next",
                      {"name", "project", "id", "enabled", "schedule_text", "service", "handler", "description"});
        auto const zone = shown.at("schedule").value("zone", "UTC");
        for (auto const& firing : shown.at("next"))
            std::cout << "next: " << firing_text(firing, zone, times_of(common)) << '\n';
    });
}

// Of a deleted task; its executions go on.
std::string still_running(std::string const& id, nlohmann::json const& answer)
{
    auto const open = answer.value("open", 0);
    if (open == 0)
        return "";
    return "; it is still running: " + std::to_string(open) + (open == 1 ? " execution has" : " executions have") +
           " not ended (baton executions --task id:" + id + " --open)";
}

// enable, disable, delete
void add_change(CLI::App& task, common_options const& common, std::string const& name, std::string const& help)
{
    auto* const command = task.add_subcommand(name, help);
    command->footer("Example: baton task " + name + " close-day");
    auto const which = add_task_selection(*command);
    command->callback([which, &common, name] {
        rest web(common);
        auto const id = web.task_id(which->task, which->project);
        auto const path = "/api/v1/tasks/" + id;
        auto const before = web.get(path); // the answer to a deletion does not name the task
        auto const answer =
            name == "delete" ? web.send(http::verb::del, path) : web.send(http::verb::post, path + "/" + name);
        if (common.json)
            print_json(std::cout, answer);
        else
            std::cout << "task " << id << ' ' << cell(before, "name") << ": " << name << "d, in force from "
                      << times_of(common).text(answer, "valid_from") << still_running(id, answer) << '\n';
    });
}

void add_run(CLI::App& task, common_options const& common, int& status)
{
    struct options {
        std::string payload;
        std::string key;
        bool wait = false;
        bool force = false;
        bool allow_unserved = false;
    };
    auto* const command = task.add_subcommand("run", "Run a task now");
    command->footer("Example: baton task run close-day --payload '{\"day\": \"today\"}' --wait");
    auto const which = add_task_selection(*command);
    auto const chosen = std::make_shared<options>();
    command->add_option("--payload", chosen->payload, "JSON for the handler instead of the task's payload");
    command
        ->add_option("--idempotency-key", chosen->key,
                     "Within a day, the same key names the same execution instead of a further one")
        ->check([](std::string const& key) {
            return key.empty() ? std::string("must be 1 to 128 printable ASCII characters") : std::string();
        });
    command->add_flag(
        "--wait", chosen->wait,
        "Wait until it has ended, and tell its progress; exit status 1 unless it succeeded. Ctrl-C ends the "
        "waiting only, with exit status 130");
    command->add_flag("--force", chosen->force,
                      "Whatever the concurrency policy of the task, and although its service or project is paused");
    command->add_flag("--allow-unserved", chosen->allow_unserved,
                      "Accept it although no live client serves the handler");
    command->callback([which, chosen, &common, &status] {
        rest web(common);
        auto const id = web.task_id(which->task, which->project);
        nlohmann::json body;
        if (!chosen->payload.empty())
            body["payload"] = payload_option(chosen->payload);
        if (chosen->force)
            body["force"] = true;
        auto const target = "/api/v1/tasks/" + id + "/run" + (chosen->allow_unserved ? "?allow_unserved=true" : "");
        auto answer = web.send(http::verb::post, target, body, chosen->key);
        auto const execution = answer.at("execution").get<std::string>();
        if (chosen->wait) {
            answer = await_end(web, execution, times_of(common), std::cerr);
            status = answer.at("state") == "succeeded" ? status : status_failed;
        }
        if (common.json)
            return print_json(std::cout, answer);
        std::cout << (chosen->wait ? ending_of(answer) : "execution " + execution) << '\n';
    });
}

} // namespace

void add_task(CLI::App& program, common_options const& common, int& status)
{
    auto& task = *program.add_subcommand("task", "Register, show, change and run tasks");
    task.fallthrough();
    task.footer("Example: baton task list");
    add_task_list(task, common);
    add_task_add(task, common);
    add_show(task, common);
    add_run(task, common, status);
    add_task_changes(task, common, status);
    add_task_skip_next(task, common);
    add_task_skipped(task, common);
    add_change(task, common, "enable", "Enable a task");
    add_change(task, common, "disable", "Disable a task: it does not fire");
    add_change(task, common, "delete", "Delete a task; its executions stay");
    add_task_import(task, common, status);
}

} // namespace baton::cli
