// baton task add: register a task.

#include "cli/calendar_options.hpp"
#include "cli/commands.hpp"
#include "cli/concurrency_options.hpp"
#include "cli/cron_options.hpp"
#include "cli/firing_options.hpp"
#include "cli/limit_options.hpp"
#include "cli/misfire_options.hpp"
#include "cli/payload_option.hpp"
#include "cli/rate_options.hpp"
#include "cli/rest.hpp"
#include "cli/retry_options.hpp"
#include "cli/route_options.hpp"
#include "cli/service_name.hpp"
#include "cli/span.hpp"
#include "cli/table.hpp"
#include "cli/wall_options.hpp"
#include "libs/protocol/task.hpp"

#include <iostream>
#include <memory>
#include <optional>

namespace baton::cli {

namespace {

struct definition_options {
    std::string name;
    std::string project = "default";
    std::string description;
    std::string owner;
    std::vector<std::string> labels;
    std::string service;
    std::string handler;
    std::string payload;
    std::string cron;
    cron_options expression;
    std::string zone;
    std::string every;
    wall_options wall;
    std::string delay;
    std::string at;
    std::string in;
    std::string after;
    std::string start_at;
    std::string end_at;
    firing_options firing;
    calendar_uses calendars;
    misfire_options misfire;
    concurrency_options concurrency;
    rate_options rate;
    int priority = 0;
    retry_options retry;
    route_options route;
    std::optional<int> attempts;
    std::string retry_delay;
    std::optional<int> deaths;
    std::string timeout;
    std::string stop_grace;
    limit_options limits;
    std::vector<std::string> context;
    bool disabled = false;
    bool allow_unserved = false;
};

// As the server's limits for schedule.every_ms.
std::int64_t period(char const* option, std::string const& text, duration least)
{
    return option_span(option, text, least, protocol::longest_span);
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
    if (!chosen.zone.empty() && chosen.cron.empty() && !has_days)
        throw CLI::ValidationError("--zone", "needs --cron, --from or --calendar, which it is the time zone of");
    if (!chosen.wall.days.empty() && !has_days)
        throw CLI::ValidationError("--days", "needs --from or --calendar");
    nlohmann::json schedule{{"kind", "api"}};
    if (!chosen.cron.empty()) {
        schedule = {{"kind", "cron"}, {"cron", chosen.cron}};
        write_cron_options(schedule, chosen.expression);
    } else if (!chosen.wall.from.empty())
        schedule = window_schedule(chosen.wall, period("--every", chosen.every, 1s));
    else if (!chosen.wall.calendar.empty())
        schedule = calendar_schedule(chosen.wall);
    else if (!chosen.every.empty())
        schedule = {{"kind", "fixed_rate"}, {"every_ms", period("--every", chosen.every, 100ms)}};
    else if (!chosen.delay.empty())
        schedule = {{"kind", "fixed_delay"}, {"every_ms", period("--delay", chosen.delay, 1ms)}};
    else if (!chosen.at.empty())
        schedule = {{"kind", "once"}, {"at", checked_time("--at", chosen.at)}};
    else if (!chosen.in.empty())
        schedule = {{"kind", "once"}, {"in_ms", period("--in", chosen.in, 1ms)}};
    else if (!chosen.after.empty())
        schedule = {{"kind", "after"}, {"task", chosen.after}};
    if (!chosen.zone.empty())
        schedule["zone"] = chosen.zone;
    if (!chosen.start_at.empty())
        schedule["start_at"] = checked_time("--start-at", chosen.start_at);
    if (!chosen.end_at.empty())
        schedule["end_at"] = checked_time("--end-at", chosen.end_at);
    write_firing_options(schedule, chosen.firing);
    write_calendar_uses(schedule, chosen.calendars);
    return schedule;
}

nlohmann::json labels_of(std::vector<std::string> const& given)
{
    nlohmann::json labels = nlohmann::json::object();
    for (auto const& text : given) {
        auto const colon = text.find(':');
        if (colon == 0 || colon == std::string::npos)
            throw CLI::ValidationError("--label", "'" + text + "' is not a name and a value, such as team:billing");
        labels[text.substr(0, colon)] = text.substr(colon + 1);
    }
    return labels;
}

nlohmann::json document_of(definition_options const& chosen)
{
    nlohmann::json task{{"project", chosen.project},  {"name", chosen.name},       {"description", chosen.description},
                        {"service", chosen.service},  {"handler", chosen.handler}, {"schedule", schedule_of(chosen)},
                        {"enabled", !chosen.disabled}};
    if (chosen.attempts)
        task["max_attempts"] = *chosen.attempts;
    if (chosen.deaths)
        task["max_deaths"] = *chosen.deaths;
    if (!chosen.owner.empty())
        task["owner"] = chosen.owner;
    if (!chosen.labels.empty())
        task["labels"] = labels_of(chosen.labels);
    if (!chosen.payload.empty())
        task["payload"] = payload_option(chosen.payload);
    if (auto misfire = misfire_of(chosen.misfire); !misfire.is_null())
        task["misfire"] = std::move(misfire);
    if (auto concurrency = concurrency_of(chosen.concurrency); !concurrency.is_null())
        task["concurrency"] = std::move(concurrency);
    if (auto rate = rate_of(chosen.rate); !rate.is_null())
        task["rate"] = std::move(rate);
    if (chosen.priority != 0)
        task["priority"] = chosen.priority;
    if (auto retry = retry_of(chosen.retry); !retry.is_null())
        task["retry"] = std::move(retry);
    write_route(task, chosen.route);
    if (!chosen.retry_delay.empty())
        task["retry_delay_ms"] = option_span("--retry-delay", chosen.retry_delay, 0ms, protocol::longest_span);
    if (auto limits = limits_of(chosen.limits); !limits.empty())
        task["limits"] = std::move(limits);
    if (!chosen.context.empty())
        task["context"] = chosen.context;
    if (!chosen.timeout.empty())
        task["timeout_ms"] = option_span("--timeout", chosen.timeout, 0ms, protocol::longest_span);
    if (!chosen.stop_grace.empty())
        task["stop_grace_ms"] = option_span("--stop-grace", chosen.stop_grace, 0ms, protocol::longest_stop_grace);
    return task;
}

} // namespace

void add_task_add(CLI::App& task, common_options const& common)
{
    auto* const command = task.add_subcommand("add", "Register a task");
    command->footer("docs/schedules.md, installed as share/doc/baton/schedules.md, explains schedules, clock changes "
                    "and routings.\n"
                    "Example: baton task add close-day --service billing --handler close-day --cron '0 2 * * *' "
                    "--zone Europe/Berlin");
    auto const chosen = std::make_shared<definition_options>();
    command->add_option("name", chosen->name, "Unique in its project")->required();
    command->add_option("--service", chosen->service, "Service whose clients run it, or project/service")->required();
    command->add_option("--handler", chosen->handler, "Handler that they run")->required();
    command->add_option("--payload", chosen->payload, "JSON for the handler");
    auto* const when =
        command->add_option_group("schedule", "When it is due; without one of these only by `baton task run`");
    auto* const cron =
        when->add_option("--cron", chosen->cron,
                         "Five fields, or six with seconds, such as '*/5 * * * *'. If both day fields are "
                         "restricted, a date needs to match one of them");
    auto* const every = when->add_option("--every", chosen->every,
                                         "From start to start, such as 90s; for what other tools write as @every 90s");
    when->add_option("--delay", chosen->delay, "From an end to the next start");
    when->add_option("--at", chosen->at, "Once, at 2026-12-24T18:00:00Z");
    when->add_option("--in", chosen->in, "Once, so long after the registration, such as 2h");
    when->add_option("--after", chosen->after,
                     "After each success of a firing of this task of the project, for the same scheduled time");
    add_calendar_options(*command, *when, chosen->wall);
    when->require_option(0, 1);
    command->add_option(
        "--zone", chosen->zone,
        "IANA time zone of --cron, --from and --calendar; without it that of the service or project, or "
        "UTC");
    add_cron_options(*command, chosen->expression, cron);
    add_window_options(*command, chosen->wall, *every);
    command->add_option("--start-at", chosen->start_at, "It does not fire before, such as 2026-12-24T18:00:00Z");
    command->add_option("--end-at", chosen->end_at, "It fires before this time only");
    add_firing_options(*command, chosen->firing);
    add_calendar_use_options(*command, chosen->calendars);
    add_misfire_options(*command, chosen->misfire);
    add_concurrency_options(*command, chosen->concurrency);
    add_rate_options(*command, chosen->rate, "the task");
    command
        ->add_option("--priority", chosen->priority,
                     "Among executions that wait: each step goes before what was due up to 10 s earlier")
        ->capture_default_str()
        ->check(CLI::Range(-protocol::highest_priority, protocol::highest_priority));
    add_retry_options(*command, chosen->retry);
    add_route_options(*command, chosen->route);
    command->add_option("--attempts", chosen->attempts, "Number of attempts, the first included; 1 without it")
        ->check(CLI::Range(1, 1'000));
    command->add_option("--retry-delay", chosen->retry_delay, "Pause before a further attempt, such as 5s");
    command
        ->add_option("--max-deaths", chosen->deaths,
                     "Deaths of its clients after which an execution fails; 3 without it")
        ->check(CLI::Range(1, 1'000));
    command->add_option("--timeout", chosen->timeout, "Limit for one attempt, such as 30s");
    add_limit_options(*command, chosen->limits);
    command->add_option("--stop-grace", chosen->stop_grace,
                        "From the request to stop, by the timeout or a cancel, until the execution ends although its "
                        "handler has not returned; 30s without it");
    command
        ->add_option(
            "--context", chosen->context,
            "What the handler is told: previous: of the execution before; last_success: of the latest one that "
            "succeeded. May be given again")
        ->check(CLI::IsMember(std::vector<std::string>{"previous", "last_success"}));
    command->add_option("--project", chosen->project, "Project of the task")->capture_default_str();
    command->add_option("--description", chosen->description, "Text for people");
    command->add_option("--owner", chosen->owner, "The team or person that owns the task");
    command->add_option("--label", chosen->labels,
                        "A label by which the task is found, such as team:billing. May be given again");
    command->add_flag("--disabled", chosen->disabled, "Register it without enabling it");
    command->add_flag("--allow-unserved", chosen->allow_unserved,
                      "Accept it although no live client serves the handler");
    command->callback([chosen, &common] {
        part_service(chosen->service, chosen->project);
        auto const document = document_of(*chosen);
        auto const target = std::string("/api/v1/tasks") + (chosen->allow_unserved ? "?allow_unserved=true" : "");
        auto const made = rest(common).send(http::verb::post, target, document);
        if (common.json)
            print_json(std::cout, made);
        else
            std::cout << "task " << cell(made, "id") << ' ' << cell(made, "name") << ": " << cell(made, "schedule_text")
                      << ", next " << times_of(common).text(made, "next_at") << '\n';
        if (!common.json)
            print_notes(std::cout, made);
    });
}

} // namespace baton::cli
