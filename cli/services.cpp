// baton services, baton projects: list them, pause, resume and configure them.

#include "cli/commands.hpp"
#include "cli/list_by_default.hpp"
#include "cli/rest.hpp"
#include "cli/service_name.hpp"
#include "cli/table.hpp"
#include "cli/this_user.hpp"
#include "libs/protocol/pause.hpp"

#include <iostream>
#include <memory>

namespace baton::cli {

namespace {

struct choice {
    std::string name;    // of the service, or of the project
    std::string project; // of the service
    std::string reason;
    std::string firings = "hold";
    std::string by;
    std::size_t limit = 500;
};

enum class level { service, project };

std::string path_of(level what, choice const& chosen)
{
    if (what == level::project)
        return "/api/v1/projects/" + http::percent_encode(chosen.name);
    auto const of = service_named(chosen.name, chosen.project);
    return "/api/v1/services/" + http::percent_encode(of.project) + "/" + http::percent_encode(of.service);
}

// The clients that get work, and behind them those that do not, such as "3, 1 drained".
std::string clients_of(nlohmann::json const& each)
{
    auto const& counts = each.at("clients");
    auto text = cell(counts, "up");
    for (auto const* state : {"pending", "draining", "drained", "unreachable"})
        if (counts.at(state) != 0)
            text += ", " + cell(counts, state) + ' ' + state;
    return text;
}

void add_row(table& shown, level what, nlohmann::json const& each, times const& at)
{
    auto const& pause = each.at("paused");
    auto const text = [&](char const* key) { return pause.is_null() ? std::string("-") : cell(pause, key); };
    std::vector<std::string> row{cell(each, "project")};
    if (what == level::service)
        row.insert(row.end(), {cell(each, "service"), clients_of(each)});
    auto const begun = pause.is_null() ? std::string("-") : at.cell(pause, "begun_at");
    for (auto const& one :
         {std::string(pause.is_null() ? "no" : "yes"), text("firings"), begun, text("begun_by"), text("reason")})
        row.push_back(one);
    shown.add(row);
}

void list(level what, choice const& chosen, common_options const& common)
{
    std::string target = what == level::service ? "/api/v1/services" : "/api/v1/projects";
    if (!chosen.project.empty())
        target += "?project=" + http::percent_encode(chosen.project);
    auto const found = rest(common).page(target, chosen.limit);
    if (common.json)
        return print_json(std::cout, found);
    auto const at = times_of(common);
    std::vector<std::string> titles{"PROJECT"};
    if (what == level::service)
        titles.insert(titles.end(), {"SERVICE", "CLIENTS"});
    for (auto const& title :
         {std::string("PAUSED"), std::string("FIRINGS"), at.title("SINCE"), std::string("BY"), std::string("REASON")})
        titles.push_back(title);
    table shown(titles);
    for (auto const& each : found.at("items"))
        add_row(shown, what, each, at);
    shown.print(std::cout);
}

void show(level what, choice const& chosen, common_options const& common)
{
    auto const found = rest(common).get(path_of(what, chosen));
    if (common.json)
        return print_json(std::cout, found);
    auto const at = times_of(common);
    print_members(std::cout, found, at, "pauses");
    for (auto const& each : found.at("pauses")) {
        auto const author = cell(each, "begun_by");
        std::cout << "pause: from " << at.text(each, "begun_at") << " to "
                  << (each.at("ended_at").is_null() ? "now" : at.text(each, "ended_at")) << ", firings "
                  << cell(each, "firings") << (author.empty() ? "" : ", by " + author) << ": " << cell(each, "reason")
                  << '\n';
    }
}

void change(level what, choice const& chosen, bool pause, common_options const& common)
{
    nlohmann::json body{{"by", chosen.by.empty() ? this_user() : chosen.by}};
    if (pause) {
        body["reason"] = chosen.reason;
        body["firings"] = chosen.firings;
    }
    auto const answer =
        rest(common).send(http::verb::post, path_of(what, chosen) + (pause ? "/pause" : "/resume"), body);
    if (common.json)
        return print_json(std::cout, answer);
    auto const& now = answer.at("pause");
    std::cout << (what == level::service ? "service " : "project ") << chosen.name
              << (pause ? ": paused since " : ": resumed at ")
              << times_of(common).text(now, pause ? "begun_at" : "ended_at") << '\n';
}

CLI::App* add_one(CLI::App& group, level what, std::string const& name, std::string const& help,
                  std::shared_ptr<choice> const& chosen)
{
    auto* const command = group.add_subcommand(name, help);
    std::string const noun = what == level::service ? "service" : "project";
    bool const service = what == level::service;
    command->add_option(noun, chosen->name, "Name of the " + noun + (service ? ", or project/service" : ""))
        ->required();
    if (service)
        command->add_option("--project", chosen->project, "Project of the service (default: default)");
    return command;
}

void add_group(CLI::App& program, common_options const& common, level what)
{
    bool const service = what == level::service;
    std::string const noun = service ? "service" : "project";
    auto& group = *program.add_subcommand(noun + "s", "List, pause, resume and configure " + noun + "s");
    group.footer("Example: baton " + noun + "s pause billing --reason 'deployment of 2.0'");

    auto const listed = std::make_shared<choice>();
    auto* const all = group.add_subcommand("list", "List " + noun + "s, with their pauses");
    all->footer((service ? "CLIENTS: those that get work; behind them those that do not, with the reason.\n" : "") +
                std::string("Example: baton ") + noun + "s list");
    if (service)
        all->add_option("--project", listed->project, "Only of this project");
    all->add_option("--limit", listed->limit, "Number of " + noun + "s")
        ->capture_default_str()
        ->check(CLI::Range(1, 1'000'000));
    auto const print = [what, listed, &common] { list(what, *listed, common); };
    all->callback(print);
    list_by_default(group, print);

    auto const shown = std::make_shared<choice>();
    auto* const one = add_one(group, what, "show", "Show a " + noun + " and its latest pauses", shown);
    one->footer("Example: baton " + noun + "s show billing");
    one->callback([what, shown, &common] { show(what, *shown, common); });

    auto const paused = std::make_shared<choice>();
    auto* const pause = add_one(
        group, what, "pause", "Pause a " + noun + ": nothing of it is sent to clients, and what runs goes on", paused);
    pause->footer("Example: baton " + noun + "s pause billing --reason 'deployment of 2.0' --firings skip");
    pause->add_option("--reason", paused->reason, "Why; others see it at what waits")->required();
    auto const& names = protocol::names_of<protocol::paused_firings>;
    pause
        ->add_option(
            "--firings", paused->firings,
            "What becomes of firings meanwhile: hold: they wait, and the misfire policies of their tasks decide "
            "at the end; skip: they are skipped and recorded")
        ->capture_default_str()
        ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())));
    pause->add_option("--by", paused->by, "Who pauses it (default: the user of this shell)");
    pause->callback([what, paused, &common] { change(what, *paused, true, common); });

    auto const resumed = std::make_shared<choice>();
    auto* const resume = add_one(group, what, "resume", "End the pause of a " + noun, resumed);
    resume->footer("Example: baton " + noun + "s resume billing");
    resume->add_option("--by", resumed->by, "Who resumes it (default: the user of this shell)");
    resume->callback([what, resumed, &common] { change(what, *resumed, false, common); });
    if (service)
        add_service_handlers(group, common);
    add_service_settings(group, noun, common);
}

} // namespace

void add_services(CLI::App& program, common_options const& common)
{
    add_group(program, common, level::service);
    add_group(program, common, level::project);
}

} // namespace baton::cli
