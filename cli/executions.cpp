// baton executions: past, running and planned executions.

#include "cli/attempts.hpp"
#include "cli/commands.hpp"
#include "cli/follow.hpp"
#include "cli/moment.hpp"
#include "cli/rest.hpp"
#include "cli/service_name.hpp"
#include "cli/table.hpp"
#include "libs/base/printable.hpp"
#include "libs/protocol/outcome.hpp"

#include <algorithm>
#include <iostream>
#include <memory>

namespace baton::cli {

namespace {

struct executions_options {
    std::string task;
    std::string project;
    std::string service;
    std::string state;
    std::string cause;
    std::string error;
    std::string since;
    std::string until;
    std::string parent;
    bool follow = false;
    bool open = false;
    bool late = false;
    bool planned = false;
    std::size_t limit = 50;
};

// Empty if the text is a list of these names with commas between them.
template <protocol::named Choice>
std::string choices_problem(std::string const& text, char const* noun)
{
    auto const& names = protocol::names_of<Choice>;
    for (std::size_t from = 0; from <= text.size();) {
        auto const comma = std::min(text.find(',', from), text.size());
        auto const each = text.substr(from, comma - from);
        if (std::ranges::find(names, each) == names.end())
            return "'" + each + "' is no " + noun + "; the " + noun + "s are " + protocol::list_names<Choice>();
        from = comma + 1;
    }
    return "";
}

std::string states_problem(std::string const& text)
{
    return choices_problem<protocol::state>(text, "state");
}

std::string causes_problem(std::string const& text)
{
    return choices_problem<protocol::cause>(text, "cause");
}

// Planned executions are listed separately, so that they do not displace those that have run. With other filters the
// list has both, unless it is followed.
std::string planned_of(executions_options const& chosen)
{
    if (chosen.follow)
        return "false";
    if (chosen.planned)
        return "true";
    return chosen.open || !chosen.state.empty() || !chosen.error.empty() ? "" : "false";
}

std::string moment(char const* option, std::string const& text)
{
    return text.empty() ? "" : to_rfc3339(parse_moment(text, option, system_time{}.utc()));
}

void list(executions_options chosen, common_options const& common)
{
    rest web(common);
    part_service(chosen.service, chosen.project);
    std::string target = "/api/v1/executions";
    char joint = '?';
    auto const filter = [&](char const* key, std::string const& value) {
        if (value.empty())
            return;
        target += joint + std::string(key) + "=" + http::percent_encode(value);
        joint = '&';
    };
    auto const project = chosen.project.empty() ? "default" : chosen.project;
    filter("task", chosen.task.empty() ? "" : web.past_task_id(chosen.task, project, std::cerr));
    filter("project", chosen.task.empty() ? chosen.project : "");
    filter("from", moment("--since", chosen.since));
    filter("until", moment("--until", chosen.until));
    filter("parent", chosen.parent);
    filter("service", chosen.service);
    filter("state", chosen.state);
    filter("cause", chosen.cause);
    filter("error", chosen.error);
    filter("open", chosen.open ? "true" : "");
    filter("late", chosen.late ? "true" : "");
    filter("planned", planned_of(chosen));
    if (chosen.follow)
        return follow_executions(web, target, chosen.limit, common);
    auto const found = web.page(target, chosen.limit);
    if (common.json)
        return print_json(std::cout, found);
    auto const at = times_of(common);
    table shown({"ID", "TASK", at.title("SCHEDULED"), "STATE", "CAUSE", "ATTEMPT", at.title("ENDED"), "REASON"});
    shown.when_narrow({"CAUSE", "ENDED", "ATTEMPT", "SCHEDULED"}, at.day(system_time{}.utc()));
    for (auto const& each : found.at("items"))
        shown.add({cell(each, "id"), cell(each, "task_name"), at.cell(each, "scheduled_at"), cell(each, "state"),
                   cell(each, "cause"), attempts_text(each), at.cell(each, "ended_at"),
                   at.within(cell(each, "reason"))});
    shown.print(std::cout);
    if (chosen.planned && found.at("items").empty())
        std::cout << "no firing is planned: firings are planned 5 s ahead; `baton task show "
                  << (chosen.task.empty() ? "NAME" : printable(chosen.task))
                  << "` lists the next firings, and `baton upcoming` those of all tasks\n";
}

void show(std::string const& id, common_options const& common)
{
    auto found = rest(common).get("/api/v1/executions/" + http::percent_encode(id));
    if (common.json)
        return print_json(std::cout, found);
    auto const at = times_of(common);
    auto const waits = found.value("waits", nlohmann::json::array());
    found.erase("waits");
    auto const stops = found.value("stops", nlohmann::json::array());
    found.erase("stops");
    auto const behind = found.value("kept_back_by", nlohmann::json::array());
    found.erase("kept_back_by");
    print_members(std::cout, found, at, "attempts",
                  {"id", "task_name", "project", "service", "handler", "state", "reason", "error", "scheduled_at"});
    for (auto const& each : behind)
        std::cout << "kept back by: execution " << each.get<std::string>() << ", whose handler has not returned\n";
    for (auto const& each : waits)
        std::cout << "waited: from " << at.text(each, "since_at") << " to "
                  << (each.at("until_at").is_null() ? "now" : at.text(each, "until_at")) << ": " << cell(each, "reason")
                  << '\n';
    for (auto const& each : stops)
        std::cout << "asked to stop: attempt " << cell(each, "attempt") << " at " << at.text(each, "requested_at")
                  << " (" << cell(each, "cause") << ")\n";
    table shown({"ATTEMPT", "OUTCOME", "CLIENT", at.title("STARTED"), at.title("FINISHED"), "ERROR", "RESULT"});
    shown.when_narrow({"STARTED", "RESULT", "FINISHED"}, at.day(system_time{}.utc()));
    for (auto const& each : found.at("attempts"))
        shown.add({cell(each, "attempt"), outcome_text(each, &each == &found.at("attempts").back()),
                   cell(each, "client"), at.cell(each, "started_at"), at.cell(each, "finished_at"), cell(each, "error"),
                   cell(each, "result")});
    shown.print(std::cout);
}

void cancel(std::string const& id, common_options const& common)
{
    auto const answer =
        rest(common).send(http::verb::post, "/api/v1/executions/" + http::percent_encode(id) + "/cancel");
    if (common.json)
        print_json(std::cout, answer);
    else
        std::cout << "execution " << id << ": " << cell(answer, "state") << ", cancelling\n";
}

void release(std::string const& id, common_options const& common)
{
    auto const answer =
        rest(common).send(http::verb::post, "/api/v1/executions/" + http::percent_encode(id) + "/release");
    if (common.json)
        print_json(std::cout, answer);
    else
        std::cout << "execution " << id << ": its handler counts as ended\n";
}

// Empty if the text can be the id of an execution.
std::string id_problem(std::string const& text)
{
    bool const digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    return digits ? "" : "'" + text + "' is not the id of an execution, which is a number";
}

void add_one(CLI::App& group, common_options const& common, char const* name, char const* help,
             void (*act)(std::string const&, common_options const&))
{
    auto* const command = group.add_subcommand(name, help);
    auto const id = std::make_shared<std::string>();
    command->add_option("id", *id, "Id of the execution")->required()->check(id_problem);
    command->footer("Example: baton executions " + std::string(name) + " 4711");
    command->callback([id, &common, act] { act(*id, common); });
}

} // namespace

void add_executions(CLI::App& program, common_options const& common, int&)
{
    auto& group = *program.add_subcommand("executions", "List, show, cancel and release executions");
    group.require_subcommand(0, 1)->fallthrough();
    group.footer("Example: baton executions --task close-day --state failed,timed_out --limit 5");
    auto const chosen = std::make_shared<executions_options>();
    group.add_option("--task", chosen->task, "Only of this task: id or name");
    group.add_option("--project", chosen->project,
                     "Only of this project; with --task the project of the task (default: default)");
    group.add_option("--service", chosen->service, "Only of this service, or project/service");
    group.add_option("--state", chosen->state, "Only in these states, such as failed,timed_out")->check(states_problem);
    group.add_option("--cause", chosen->cause, "Only for these causes, such as manual,forced")->check(causes_problem);
    group.add_option("--error", chosen->error,
                     "Only with this text in the error of the first or the latest attempt; without --state those that "
                     "failed or timed out");
    group.add_flag("--open", chosen->open, "Only executions that have not ended");
    group.add_flag("--late", chosen->late, "Only executions that started over a second after their time");
    auto* const planned =
        group.add_flag("--planned", chosen->planned,
                       "Only executions that are planned and not due yet, the next one first. Firings are "
                       "planned 5 s ahead (planner.look_ahead); `baton task show` lists later ones");
    group.add_option("--since", chosen->since,
                     "Only those due since then: 2026-12-24T18:00:00Z, or 90m for 90 minutes ago");
    group.add_option("--until", chosen->until, "Only those due before then");
    group.add_option("--parent", chosen->parent, "Only the shards of this broadcast")->check(id_problem);
    group
        .add_flag("--follow", chosen->follow,
                  "Print a line for each change, until it is interrupted; with --json one object a line")
        ->excludes(planned);
    group.add_option("--limit", chosen->limit, "Number of executions, the latest first")
        ->capture_default_str()
        ->check(CLI::Range(1, 1'000'000));
    group.add_subcommand("list", "The latest executions that are due or over (the same as without a subcommand)");
    add_one(group, common, "show", "Show an execution and its attempts", show);
    add_one(group, common, "cancel", "Cancel an execution", cancel);
    add_one(group, common, "release", "Count a handler that did not return after it was asked to stop as ended",
            release);
    group.callback([chosen, &common, &group] {
        if (!group.got_subcommand("show") && !group.got_subcommand("cancel") && !group.got_subcommand("release"))
            list(*chosen, common);
    });
}

} // namespace baton::cli
