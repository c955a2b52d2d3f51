// baton task: register, show, change and run tasks.

#include "cli/commands.hpp"
#include "cli/concurrency_options.hpp"
#include "cli/config/duration.hpp"
#include "cli/config/reader.hpp"
#include "cli/firings.hpp"
#include "cli/misfire_options.hpp"
#include "cli/payload.hpp"
#include "cli/rest.hpp"
#include "cli/retry_options.hpp"
#include "cli/run_wait.hpp"
#include "cli/table.hpp"
#include "cli/task_selection.hpp"
#include "cli/wall_options.hpp"
#include "libs/base/error.hpp"

#include <iostream>
#include <memory>

namespace baton::cli {

namespace {

struct definition_options {
    std::string name;
    std::string project = "default";
    std::string description;
    std::string service;
    std::string handler;
    std::string payload;
    std::string cron;
    std::string zone = "UTC";
    std::string every;
    wall_options wall;
    std::string delay;
    std::string at;
    std::string in;
    std::string start_at;
    std::string end_at;
    misfire_options misfire;
    concurrency_options concurrency;
    retry_options retry;
    std::string routing;
    int attempts = 1;
    std::string retry_delay;
    int deaths = 3;
    std::string timeout;
    bool disabled = false;
    bool allow_unserved = false;
};

std::int64_t milliseconds(char const* option, std::string const& text)
{
    try {
        return parse_duration(text) / 1ms;
    } catch (invalid_input const& wrong) {
        throw CLI::ValidationError(option, wrong.what());
    }
}

// As the server's limits for schedule.every_ms.
std::int64_t period(char const* option, std::string const& text, duration least)
{
    auto const longest = 366 * 24h;
    auto const given = std::chrono::milliseconds(milliseconds(option, text));
    if (given < least || given > longest)
        throw CLI::ValidationError(option, "must be from " + format_duration(least) + " to " +
                                               format_duration(longest) + ", not " + text);
    return given.count();
}

std::string const& checked_time(char const* option, std::string const& text)
{
    try {
        (void)from_rfc3339(text);
        return text;
    } catch (std::invalid_argument const&) {
        throw CLI::ValidationError(option, "'" + text + "' is not a time such as 2026-12-24T18:00:00Z");
    }
}

nlohmann::json schedule_of(definition_options const& chosen)
{
    bool const has_days = !chosen.wall.from.empty() || !chosen.wall.calendar.empty();
    if (chosen.zone != "UTC" && chosen.cron.empty() && !has_days)
        throw CLI::ValidationError("--zone", "needs --cron, --from or --calendar, which it is the time zone of");
    if (!chosen.wall.days.empty() && !has_days)
        throw CLI::ValidationError("--days", "needs --from or --calendar");
    nlohmann::json schedule{{"kind", "api"}};
    if (!chosen.cron.empty())
        schedule = {{"kind", "cron"}, {"cron", chosen.cron}, {"zone", chosen.zone}};
    else if (!chosen.wall.from.empty())
        schedule = window_schedule(chosen.wall, period("--every", chosen.every, 1s), chosen.zone);
    else if (!chosen.wall.calendar.empty())
        schedule = calendar_schedule(chosen.wall, chosen.zone);
    else if (!chosen.every.empty())
        schedule = {{"kind", "fixed_rate"}, {"every_ms", period("--every", chosen.every, 100ms)}};
    else if (!chosen.delay.empty())
        schedule = {{"kind", "fixed_delay"}, {"every_ms", period("--delay", chosen.delay, 1ms)}};
    else if (!chosen.at.empty())
        schedule = {{"kind", "once"}, {"at", checked_time("--at", chosen.at)}};
    else if (!chosen.in.empty())
        schedule = {{"kind", "once"}, {"in_ms", period("--in", chosen.in, 1ms)}};
    if (!chosen.start_at.empty())
        schedule["start_at"] = checked_time("--start-at", chosen.start_at);
    if (!chosen.end_at.empty())
        schedule["end_at"] = checked_time("--end-at", chosen.end_at);
    return schedule;
}

nlohmann::json document_of(definition_options const& chosen)
{
    nlohmann::json task{{"project", chosen.project},         {"name", chosen.name},
                        {"description", chosen.description}, {"service", chosen.service},
                        {"handler", chosen.handler},         {"schedule", schedule_of(chosen)},
                        {"enabled", !chosen.disabled},       {"max_attempts", chosen.attempts},
                        {"max_deaths", chosen.deaths}};
    if (!chosen.payload.empty())
        task["payload"] = parse_payload(chosen.payload);
    if (auto misfire = misfire_of(chosen.misfire); !misfire.is_null())
        task["misfire"] = std::move(misfire);
    if (auto concurrency = concurrency_of(chosen.concurrency); !concurrency.is_null())
        task["concurrency"] = std::move(concurrency);
    if (auto retry = retry_of(chosen.retry); !retry.is_null())
        task["retry"] = std::move(retry);
    if (!chosen.routing.empty())
        task["routing"] = chosen.routing;
    if (!chosen.retry_delay.empty())
        task["retry_delay_ms"] = milliseconds("--retry-delay", chosen.retry_delay);
    if (!chosen.timeout.empty())
        task["timeout_ms"] = milliseconds("--timeout", chosen.timeout);
    return task;
}

void add_add(CLI::App& task, common_options const& common)
{
    auto* const command = task.add_subcommand("add", "Register a task");
    command->footer("docs/schedules.md, installed as share/doc/baton/schedules.md, explains schedules, clock changes "
                    "and routings.\n"
                    "Example: baton task add close-day --service billing --handler close-day --cron '0 2 * * *' "
                    "--zone Europe/Berlin");
    auto const chosen = std::make_shared<definition_options>();
    command->add_option("name", chosen->name, "Unique in its project")->required();
    command->add_option("--service", chosen->service, "Service whose clients run it")->required();
    command->add_option("--handler", chosen->handler, "Handler that they run")->required();
    command->add_option("--payload", chosen->payload, "JSON for the handler");
    auto* const when =
        command->add_option_group("schedule", "When it is due; without one of these only by `baton task run`");
    when->add_option("--cron", chosen->cron,
                     "Five fields, or six with seconds, such as '*/5 * * * *'. If both day fields are "
                     "restricted, a date needs to match one of them");
    auto* const every = when->add_option("--every", chosen->every,
                                         "From start to start, such as 90s; for what other tools write as @every 90s");
    when->add_option("--delay", chosen->delay, "From an end to the next start");
    when->add_option("--at", chosen->at, "Once, at 2026-12-24T18:00:00Z");
    when->add_option("--in", chosen->in, "Once, so long after the registration, such as 2h");
    add_calendar_options(*command, *when, chosen->wall);
    when->require_option(0, 1);
    command->add_option("--zone", chosen->zone, "IANA time zone of --cron, --from and --calendar")
        ->capture_default_str();
    add_window_options(*command, chosen->wall, *every);
    command->add_option("--start-at", chosen->start_at, "It does not fire before, such as 2026-12-24T18:00:00Z");
    command->add_option("--end-at", chosen->end_at, "It fires before this time only");
    add_misfire_options(*command, chosen->misfire);
    add_concurrency_options(*command, chosen->concurrency);
    add_retry_options(*command, chosen->retry);
    command
        ->add_option("--routing", chosen->routing,
                     "Which clients run it: round_robin: they take turns (default); random: one drawn at random; "
                     "failover: the first by name, the next only while it cannot; broadcast: each, a shard of its own")
        ->check(CLI::IsMember({"round_robin", "random", "failover", "broadcast"}));
    command->add_option("--attempts", chosen->attempts, "Number of attempts, the first included")
        ->capture_default_str()
        ->check(CLI::Range(1, 1'000));
    command->add_option("--retry-delay", chosen->retry_delay, "Pause before a further attempt, such as 5s");
    command->add_option("--max-deaths", chosen->deaths, "Deaths of its clients after which an execution fails")
        ->capture_default_str()
        ->check(CLI::Range(1, 1'000));
    command->add_option("--timeout", chosen->timeout, "Limit for one attempt, such as 30s");
    command->add_option("--project", chosen->project, "Project of the task")->capture_default_str();
    command->add_option("--description", chosen->description, "Text for people");
    command->add_flag("--disabled", chosen->disabled, "Register it without enabling it");
    command->add_flag("--allow-unserved", chosen->allow_unserved,
                      "Accept it although no live client serves the handler");
    command->callback([chosen, &common] {
        auto const document = document_of(*chosen);
        auto const target = std::string("/api/v1/tasks") + (chosen->allow_unserved ? "?allow_unserved=true" : "");
        auto const made = rest(common).send(http::verb::post, target, document);
        if (common.json)
            print_json(std::cout, made);
        else
            std::cout << "task " << cell(made, "id") << ' ' << cell(made, "name") << ": " << cell(made, "schedule_text")
                      << ", next " << times_of(common).text(made, "next_at") << '\n';
    });
}

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
        print_members(std::cout, members, times_of(common), "next");
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
    command->add_flag("--allow-unserved", chosen->allow_unserved,
                      "Accept it although no live client serves the handler");
    command->callback([which, chosen, &common, &status] {
        rest web(common);
        auto const id = web.task_id(which->task, which->project);
        nlohmann::json body;
        if (!chosen->payload.empty())
            body = {{"payload", parse_payload(chosen->payload)}};
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
    task.require_subcommand(1)->fallthrough();
    task.footer("Example: baton task list");
    add_task_list(task, common);
    add_add(task, common);
    add_show(task, common);
    add_run(task, common, status);
    add_task_changes(task, common, status);
    add_task_skipped(task, common);
    add_change(task, common, "enable", "Enable a task");
    add_change(task, common, "disable", "Disable a task: it does not fire");
    add_change(task, common, "delete", "Delete a task; its executions stay");
    add_task_import(task, common, status);
}

} // namespace baton::cli
