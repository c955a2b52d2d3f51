// baton dead-letters: executions that failed in their last attempt, to run again or to dismiss.

#include "cli/commands.hpp"
#include "cli/list_by_default.hpp"
#include "cli/payload_option.hpp"
#include "cli/rest.hpp"
#include "cli/service_name.hpp"
#include "cli/table.hpp"

#include <iostream>
#include <memory>

namespace baton::cli {

namespace {

constexpr char resource[] = "/api/v1/dead-letters";

struct list_options {
    std::string task;
    std::string project;
    std::string service;
    std::string error;
    std::string resolution;
    std::size_t limit = 50;
};

struct choice_options {
    std::vector<std::string> executions;
    std::string task;
    std::string project;
    std::string service;
    std::string error;
    std::string broadcast;
    bool all = false;
    std::string payload; // JSON; empty: as it was
    bool dry_run = false;
};

std::string first_line_of(std::string const& text)
{
    return text.substr(0, text.find('\n'));
}

void list(list_options chosen, common_options const& common)
{
    rest web(common);
    part_service(chosen.service, chosen.project);
    std::string target = resource + std::string("?resolution=") + chosen.resolution;
    auto const project = chosen.project.empty() ? "default" : chosen.project;
    if (!chosen.task.empty())
        target += "&task=" + web.past_task_id(chosen.task, project, std::cerr);
    else if (!chosen.project.empty())
        target += "&project=" + http::percent_encode(chosen.project);
    if (!chosen.service.empty())
        target += "&service=" + http::percent_encode(chosen.service);
    if (!chosen.error.empty())
        target += "&error=" + http::percent_encode(chosen.error);
    auto const found = web.page(target, chosen.limit);
    if (common.json)
        return print_json(std::cout, found);
    auto const at = times_of(common);
    table shown({"EXECUTION", "TASK", at.title("SCHEDULED"), "STATE", at.title("DIED"), "RERUN", "ERROR"});
    shown.when_narrow({"RERUN", "SCHEDULED", "STATE"}, at.day(system_time{}.utc()));
    for (auto const& each : found.at("items"))
        shown.add({cell(each, "execution"), cell(each, "task_name"), at.cell(each, "scheduled_at"), cell(each, "state"),
                   at.cell(each, "died_at"), cell(each, "rerun"), first_line_of(cell(each, "error"))});
    shown.print(std::cout);
}

nlohmann::json body_of(choice_options chosen, rest& web)
{
    nlohmann::json body;
    part_service(chosen.service, chosen.project);
    if (!chosen.executions.empty())
        body["executions"] = chosen.executions;
    auto const project = chosen.project.empty() ? "default" : chosen.project;
    if (!chosen.task.empty())
        body["task"] = web.past_task_id(chosen.task, project, std::cerr);
    else if (!chosen.project.empty())
        body["project"] = chosen.project;
    if (!chosen.service.empty())
        body["service"] = chosen.service;
    if (!chosen.error.empty())
        body["error"] = chosen.error;
    if (!chosen.broadcast.empty())
        body["broadcast"] = chosen.broadcast;
    if (chosen.all)
        body["all"] = true;
    if (body.empty())
        throw CLI::ValidationError(
            "dead-letters", "name ids of executions, or --task, --project, --service, --error, --broadcast or --all");
    if (!chosen.payload.empty())
        body["payload"] = payload_option(chosen.payload);
    return body;
}

std::string in_words(std::string const& outcome)
{
    for (auto const& [code, words] :
         {std::pair{"not_dead", "is no dead letter"},
          {"already_resolved", "was retried or dismissed before"},
          {"task_deleted", "cannot run again, because its task is deleted"},
          {"still_runs", "its handler has not returned; `baton executions release` counts it as ended"}})
        if (outcome == code)
            return words;
    return outcome;
}

void print_resolved(nlohmann::json const& answer)
{
    for (auto const& each : answer.at("items")) {
        std::cout << "execution " << cell(each, "execution") << ": " << in_words(cell(each, "outcome"));
        if (!each.at("rerun").is_null())
            std::cout << " as " << cell(each, "rerun");
        std::cout << '\n';
    }
}

// How many open dead letters the body's filter finds.
nlohmann::json count(nlohmann::json const& body, rest& web)
{
    std::string target = resource + std::string("/count?before=") + body.at("before").get<std::string>();
    for (auto const* const name : {"task", "project", "service", "error", "broadcast"})
        if (body.contains(name))
            target += std::string("&") + name + '=' + http::percent_encode(body.at(name).get<std::string>());
    return web.get(target);
}

std::string count_text(nlohmann::json const& count)
{
    return cell(count, "count") + (count.at("more").get<bool>() ? " or more" : "");
}

// Only prints how many open dead letters match.
int show_count(nlohmann::json const& body, common_options const& common, rest& web)
{
    if (body.contains("executions"))
        throw CLI::ValidationError("--dry-run", "--dry-run counts what a filter finds: name no ids with it");
    auto const found = count(body, web);
    if (common.json)
        print_json(std::cout, found);
    else
        std::cout << count_text(found) << " open dead letters\n";
    return 0;
}

// Resolves those that died before this command began, in as many requests as that takes. Returns the exit status.
int resolve(char const* how, choice_options const& chosen, common_options const& common)
{
    rest web(common);
    auto body = body_of(chosen, web);
    if (chosen.executions.empty())
        body["before"] = to_rfc3339(system_time{}.utc());
    if (chosen.dry_run)
        return show_count(body, common, web);
    if (chosen.executions.empty() && !common.json)
        std::cerr << count_text(count(body, web)) << " open dead letters\n";
    std::int64_t done = 0;
    std::int64_t refused = 0;
    for (bool more = true; more;) {
        auto const answer = web.send(http::verb::post, std::string(resource) + "/" + how, body);
        done += answer.at("done").get<std::int64_t>();
        refused += answer.at("refused").get<std::int64_t>();
        if (common.json)
            print_json(std::cout, answer);
        else
            print_resolved(answer);
        more = !answer.at("next").is_null();
        if (more && !common.json)
            std::cerr << done << " done, " << count_text(answer.at("remaining")) << " remain\n";
        body["after"] = answer.at("next");
    }
    if (!common.json)
        std::cout << done << (std::string_view(how) == "retry" ? " retried, " : " dismissed, ") << refused
                  << " refused\n";
    return refused == 0 ? 0 : status_failed;
}

void add_list(CLI::App& command, common_options const& common, std::shared_ptr<list_options> const& chosen)
{
    command.add_option("--task", chosen->task, "Only of this task: id or name");
    command.add_option("--project", chosen->project,
                       "Only of this project; with --task the project of the task (default: default)");
    command.add_option("--service", chosen->service, "Only of this service, or project/service");
    command.add_option("--error", chosen->error, "Only with this text in the error of the first or the last attempt");
    command.add_option("--resolution", chosen->resolution, "open, retried or dismissed")
        ->check(CLI::IsMember({"open", "retried", "dismissed"}));
    command.add_option("--limit", chosen->limit, "Number of dead letters, the latest first")
        ->capture_default_str()
        ->check(CLI::Range(1, 1'000'000));
    command.callback([chosen, &common] { list(*chosen, common); });
}

void add_resolve(CLI::App& group, common_options const& common, int& status, char const* how, char const* help)
{
    auto* const command = group.add_subcommand(how, help);
    auto const chosen = std::make_shared<choice_options>();
    command->add_option("executions", chosen->executions, "Ids of the executions that failed");
    command->add_option("--task", chosen->task, "All open dead letters of this task: id or name");
    command->add_option("--project", chosen->project,
                        "All open dead letters of this project; with --task the project of the task");
    command->add_option("--service", chosen->service, "All open dead letters of this service, or project/service");
    command->add_option("--error", chosen->error,
                        "All open dead letters with this text in the error of the first or the last attempt");
    command->add_option("--broadcast", chosen->broadcast,
                        "All open dead letters among the shards of this broadcast: id of its execution");
    command->add_flag("--all", chosen->all, "All open dead letters");
    command->add_flag("--dry-run", chosen->dry_run, "Only print how many match; change nothing");
    if (std::string_view(how) == "retry")
        command->add_option("--payload", chosen->payload,
                            "JSON for the handler instead of the payload of the failed one");
    command->footer("Filters can be combined.\nExample: baton dead-letters " + std::string(how) +
                    " --service shop/billing --error \"no such account\"");
    command->callback([how, chosen, &common, &status] { status = resolve(how, *chosen, common); });
}

} // namespace

void add_dead_letters(CLI::App& program, common_options const& common, int& status)
{
    auto& group =
        *program.add_subcommand("dead-letters", "List executions whose last attempt failed, and run them again");
    group.footer("Example: baton dead-letters list --task close-day");
    auto* const command = group.add_subcommand("list", "List dead letters, the latest first");
    command->footer("Example: baton dead-letters list --project billing");
    auto const chosen = std::make_shared<list_options>();
    chosen->resolution = "open";
    add_list(*command, common, chosen);
    list_by_default(group, [chosen, &common] { list(*chosen, common); });
    add_resolve(group, common, status, "retry",
                "Run dead letters again: with the present version of the task and the same time and payload");
    add_resolve(group, common, status, "dismiss", "Take dead letters off the list of open ones");
}

} // namespace baton::cli
