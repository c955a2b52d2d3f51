// baton clients: the clients and their handlers.

#include "cli/commands.hpp"
#include "cli/rest.hpp"
#include "cli/table.hpp"

#include <iostream>

namespace baton::cli {

namespace {

void show(common_options const& common)
{
    auto const answer = rest(common).get("/api/v1/clients");
    if (common.json)
        return print_json(std::cout, answer.at("items"));
    table shown({"SERVICE", "INSTANCE", "ADDRESS", "STATE", "SLOTS", "HANDLERS", "JOINED (UTC)"});
    for (auto const& each : answer.at("items")) {
        std::string handlers;
        for (auto const& handler : each.at("handlers"))
            handlers += (handlers.empty() ? "" : ", ") + handler.get<std::string>();
        shown.add({cell(each, "service"), cell(each, "instance"), cell(each, "address"), cell(each, "state"),
                   cell(each, "slots"), handlers, time_cell(each, "joined_at")});
    }
    shown.print(std::cout);
}

} // namespace

void add_clients(CLI::App& program, common_options const& common)
{
    program.add_subcommand("clients", "Show the clients and their handlers")->callback([&common] { show(common); });
}

} // namespace baton::cli
