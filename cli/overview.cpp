// baton overview: the cluster at a glance. baton upcoming: what fires next.

#include "cli/commands.hpp"
#include "cli/rest.hpp"
#include "cli/span.hpp"
#include "cli/table.hpp"
#include "libs/base/printable.hpp"

#include <iostream>
#include <memory>

namespace baton::cli {

namespace {

using nlohmann::json;

constexpr char explanation[] =
    "FIRED: executions scheduled in that time, by the minute; FAILED: those that failed or timed out after their last\n"
    "attempt. LATE: started over a second after their time. P50, P99: median and 99th percentile of the time\n"
    "from the scheduled time to the start. The master counts a few seconds behind; an execution that ends later is\n"
    "counted within minutes.\n";

json at(json const& from, char const* name)
{
    return from.value(name, json::object());
}

void show_cluster(json const& answer, times const& clock)
{
    auto const master = answer.value("master", json());
    if (master.is_object())
        std::cout << "master:   " << cell(master, "node") << ", epoch " << cell(master, "epoch") << ", since "
                  << clock.text(master, "since") << '\n';
    else
        std::cout << "master:   none\n";
    auto const nodes = at(answer, "nodes");
    std::cout << "nodes:    " << cell(nodes, "live") << " live, " << cell(nodes, "gone") << " gone\n";
    auto const clients = at(answer, "clients");
    std::cout << "clients:  " << cell(clients, "live") << " live, " << cell(clients, "unreachable") << " unreachable, "
              << cell(clients, "draining") << " draining\n";
    auto const tasks = at(answer, "tasks");
    std::cout << "tasks:    " << cell(tasks, "enabled") << " enabled, " << cell(tasks, "disabled") << " disabled, "
              << cell(tasks, "parked") << " parked\n";
    for (auto const& each : answer.value("services_without_client", json::array()))
        std::cout << "no client takes work: " << cell(each, "project") << "/" << cell(each, "service") << '\n';
    for (auto const& each : answer.value("paused", json::array())) {
        auto const pause = at(each, "pause");
        bool const whole = each.value("service", json()).is_null();
        std::cout << "paused:   " << cell(each, "project") << (whole ? "" : "/" + cell(each, "service")) << ", since "
                  << clock.text(pause, "begun_at") << ": " << cell(pause, "reason") << '\n';
    }
    if (answer.value("more_paused", false))
        std::cout << "paused:   and others; `baton services list` and `baton projects list` show all\n";
    auto const letters = at(answer, "open_dead_letters");
    std::cout << "dead letters: " << cell(letters, "count") << (letters.value("more", false) ? " or more" : "")
              << " open\n";
}

void show_counts(json const& answer)
{
    table shown({"LAST", "FIRED", "FAILED", "SKIPPED", "LATE", "OPEN", "P50", "P99"});
    for (auto const* const span : {"hour", "day", "month"}) {
        auto const counts = at(answer, (std::string("last_") + span).c_str());
        shown.add({span, cell(counts, "fired"), cell(counts, "failed"), cell(counts, "skipped"), cell(counts, "late"),
                   cell(counts, "open"), span_cell(counts, "lag_p50_ms"), span_cell(counts, "lag_p99_ms")});
    }
    shown.print(std::cout);
}

std::string error_of(json const& task)
{
    auto const error = cell(task, "error");
    return task.value("error", json()).is_null() ? std::string() : ": " + error.substr(0, error.find('\n'));
}

void show_tasks(json const& answer, times const& clock)
{
    for (auto const& each : answer.value("failing", json::array()))
        std::cout << "failing:  " << cell(each, "name") << " (" << cell(each, "task") << "), " << cell(each, "failures")
                  << " in the last day, the last at " << clock.text(each, "last_at") << error_of(each) << '\n';
    for (auto const& each : answer.value("slow", json::array()))
        std::cout << "slow:     " << cell(each, "name") << " (" << cell(each, "task") << "), usually "
                  << span_cell(each, "usual_ms") << ", the last 10 took " << span_cell(each, "recent_ms") << '\n';
    for (auto const& each : answer.value("due_next", json::array()))
        std::cout << "next:     " << clock.text(each, "at") << "  " << cell(each, "name") << " (" << cell(each, "task")
                  << ")\n";
}

void show_overview(std::string const& project, common_options const& common)
{
    auto const only = project.empty() ? std::string() : "?project=" + http::percent_encode(project);
    auto const answer = rest(common).get("/api/v1/overview" + only);
    if (common.json)
        return print_json(std::cout, answer);
    auto const clock = times_of(common);
    show_cluster(answer, clock);
    std::cout << '\n';
    show_counts(answer);
    std::cout << '\n';
    show_tasks(answer, clock);
}

void show_upcoming(std::string const& project, int limit, common_options const& common)
{
    auto const only = project.empty() ? std::string() : "&project=" + http::percent_encode(project);
    auto const answer = rest(common).get("/api/v1/upcoming?limit=" + std::to_string(limit) + only);
    if (common.json)
        return print_json(std::cout, answer);
    auto const clock = times_of(common);
    table shown({clock.title("AT"), "TASK", "PROJECT", "SERVICE", "ID", "EXECUTION"});
    shown.when_narrow({"EXECUTION", "PROJECT"}, clock.day(system_time{}.utc()));
    for (auto const& each : answer.at("items"))
        shown.add({clock.cell(each, "at"), cell(each, "name"), cell(each, "project"), cell(each, "service"),
                   cell(each, "task"), cell(each, "execution")});
    shown.print(std::cout);
    if (answer.value("more", false))
        std::cout << "and others; --limit shows more\n";
}

void add_upcoming(CLI::App& program, common_options const& common)
{
    struct question {
        std::string project;
        int limit = 50;
    };
    auto& command = *program.add_subcommand("upcoming", "List the next firing of each task, in order of time");
    auto const asked = std::make_shared<question>();
    command.add_option("--project", asked->project, "Tasks of this project only");
    command.add_option("--limit", asked->limit, "How many, from 1 to 500 (50)")->check(CLI::Range(1, 500));
    command.footer("A task that fires every few seconds has several: those that are planned already are executions.\n"
                   "Example: baton upcoming --project billing");
    command.callback([asked, &common] { show_upcoming(asked->project, asked->limit, common); });
}

} // namespace

void add_overview(CLI::App& program, common_options const& common)
{
    auto& command = *program.add_subcommand("overview", "Show the cluster at a glance");
    auto const project = std::make_shared<std::string>();
    command.add_option(
        "--project", *project,
        "Clients, services, dead letters and tasks of this project only; the counts of executions cover all projects");
    command.footer(std::string(explanation) + "Example: baton overview --project billing");
    command.callback([project, &common] { show_overview(*project, common); });
    add_upcoming(program, common);
}

} // namespace baton::cli
