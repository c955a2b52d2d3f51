// baton nodes: the cluster, its master, and how long the lease still holds.

#include "cli/commands.hpp"
#include "cli/rest.hpp"
#include "cli/table.hpp"

#include <iostream>

namespace baton::cli {

namespace {

std::string one_decimal(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", value);
    return text;
}

void show(common_options const& common)
{
    auto const answer = rest(common).get("/api/v1/nodes");
    if (common.json)
        return print_json(std::cout, answer);
    table shown({"NAME", "ADDRESS", "ROLE", "EPOCH", "ALIVE", "HEARD (s ago)", "CLIENTS", "LOAD", "VERSION"});
    for (auto const& each : answer.at("items"))
        shown.add({cell(each, "name"), cell(each, "address"),
                   each.value("master", false) ? "master" : cell(each, "role"), cell(each, "epoch"),
                   cell(each, "alive"), one_decimal(each.value("age_ms", 0.0) / 1'000), cell(each, "clients"),
                   cell(each, "load"), cell(each, "version")});
    shown.print(std::cout);
    auto const& lease = answer.at("lease");
    if (lease.is_null())
        std::cout << "no lease yet\n";
    else if (cell(lease, "owner") == "-")
        std::cout << "lease: epoch " << cell(lease, "epoch") << ", free\n";
    else
        std::cout << "lease: epoch " << cell(lease, "epoch") << ", renewed "
                  << one_decimal(lease.value("age_ms", 0.0) / 1'000) << " s ago, "
                  << one_decimal(lease.value("seconds_left", 0.0)) << " s left"
                  << (lease.value("expired", false) ? " (expired)" : "") << '\n';
}

} // namespace

void add_nodes(CLI::App& program, common_options const& common)
{
    program.add_subcommand("nodes", "Show the nodes and the lease")->callback([&common] { show(common); });
}

} // namespace baton::cli
