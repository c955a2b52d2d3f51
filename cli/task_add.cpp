// baton task add: register a task.

#include "cli/commands.hpp"
#include "cli/concurrency_options.hpp"
#include "cli/limit_options.hpp"
#include "cli/misfire_options.hpp"
#include "cli/payload_option.hpp"
#include "cli/rate_options.hpp"
#include "cli/rest.hpp"
#include "cli/retry_options.hpp"
#include "cli/route_options.hpp"
#include "cli/schedule_options.hpp"
#include "cli/service_name.hpp"
#include "cli/span.hpp"
#include "cli/table.hpp"
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
    schedule_options schedule;
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
    nlohmann::json task{{"project", chosen.project},         {"name", chosen.name},
                        {"description", chosen.description}, {"service", chosen.service},
                        {"handler", chosen.handler},         {"schedule", schedule_of(chosen.schedule)},
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
    add_schedule_options(*command, chosen->schedule);
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
                     "Deaths of its clients after which an execution fails; 1: it begins at most once; 3 without it")
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
