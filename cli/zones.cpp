// baton zones: the zone databases by which the cluster has planned.

#include "cli/commands.hpp"
#include "cli/rest.hpp"
#include "cli/table.hpp"

#include <iostream>

namespace baton::cli {

namespace {

void show_zones(common_options const& common)
{
    auto const answer = rest(common).get("/api/v1/zones");
    if (common.json)
        return print_json(std::cout, answer);
    auto const at = times_of(common);
    table shown({"VERSION", "ZONES", at.title("FROM"), "CHANGED", "MASTER"});
    for (auto const& each : answer.at("items"))
        shown.add({cell(each, "version"), cell(each, "zones"), at.cell(each, "valid_from"),
                   std::to_string(each.at("changed").size()), cell(each, "recorded_by")});
    shown.print(std::cout);
    auto const nodes = rest(common).get("/api/v1/nodes");
    auto const& items = answer.at("items");
    for (auto const& node : nodes.at("items"))
        if (node.value("alive", false) && !items.empty() && cell(node, "zones") != cell(items.front(), "zones"))
            std::cout << cell(node, "name") << " has another zone database: " << cell(node, "zones") << '\n';
    if (answer.at("web").is_string() && !items.empty() && cell(answer, "web") != cell(items.front(), "zones"))
        std::cout << "this web has another zone database: " << cell(answer, "web") << '\n';
}

} // namespace

void add_zones(CLI::App& program, common_options const& common)
{
    auto& command = *program.add_subcommand("zones", "Show the zone databases by which the cluster has planned");
    command.footer("ZONES: the release of tzdata and its content.\n"
                   "CHANGED: how many zones have other rules than in the version before.\n"
                   "Example: baton zones --json");
    command.callback([&common] { show_zones(common); });
}

} // namespace baton::cli
