// baton clients: the clients and their handlers.

#include "cli/commands.hpp"
#include "cli/rest.hpp"
#include "cli/table.hpp"
#include "libs/protocol/service_key.hpp"

#include <iostream>

namespace baton::cli {

namespace {

std::string listed(nlohmann::json const& names)
{
    std::string text;
    for (auto const& name : names)
        text += (text.empty() ? "" : ", ") + name.get<std::string>();
    return text;
}

void show(common_options const& common)
{
    auto const answer = rest(common).get("/api/v1/clients");
    if (common.json)
        return print_json(std::cout, answer);
    auto const at = times_of(common);
    table shown({"SERVICE", "INSTANCE", "ADDRESS", "STATE", "REACH", "SLOTS", "HANDLERS", "TAGS", at.title("JOINED")});
    shown.when_narrow({"JOINED", "TAGS", "SLOTS", "ADDRESS", "HANDLERS", "STATE"}, at.day(system_time{}.utc()));
    for (auto const& each : answer.at("items")) {
        auto const address = cell(each, "address");
        shown.add({protocol::to_text({cell(each, "project"), cell(each, "service")}), cell(each, "instance"),
                   address.empty() ? "(fetches)" : address, cell(each, "state"), cell(each, "reach"),
                   cell(each, "slots"), listed(each.at("handlers")), listed(each.at("tags")),
                   at.cell(each, "joined_at")});
    }
    shown.print(std::cout);
    for (auto const& each : answer.at("items"))
        if (each.at("reach") == "unreachable")
            std::cout << cell(each, "instance") << ": " << cell(each, "reach_why") << '\n';
}

} // namespace

void add_clients(CLI::App& program, common_options const& common)
{
    auto* const command = program.add_subcommand("clients", "Show the clients and their handlers");
    command->footer(
        "STATE and REACH are what the clients' nodes last wrote. The age of a client's last heartbeat is not known\n"
        "here: only the memory of its node has it.\n"
        "Example: baton clients --json");
    command->callback([&common] { show(common); });
}

} // namespace baton::cli
