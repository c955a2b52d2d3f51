// baton services handlers: the handlers of a service, and what its clients announce of them.

#include "cli/commands.hpp"
#include "cli/rest.hpp"
#include "cli/service_name.hpp"
#include "cli/table.hpp"
#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"

#include <iostream>
#include <memory>

namespace baton::cli {

namespace {

struct handlers_wanted {
    std::string service;
    std::string project;
    std::string handler; // empty: a list of all
};

std::string about_schema(nlohmann::json const& one)
{
    auto const different = one.at("schemas").get<int>();
    return different == 0 ? "-" : different == 1 ? "yes" : std::to_string(different) + " different";
}

void print_handlers(nlohmann::json const& items)
{
    table shown({"HANDLER", "CLIENTS", "SCHEMA", "DESCRIPTION"});
    for (auto const& one : items)
        shown.add({cell(one, "handler"), cell(one, "clients"), about_schema(one), cell(one, "description")});
    shown.print(std::cout);
}

void print_handler(nlohmann::json const& one)
{
    for (auto const* key : {"handler", "clients", "description"})
        std::cout << key << ": " << cell(one, key) << '\n';
    if (auto const different = one.at("schemas").get<int>(); different > 1)
        std::cout << "schema: of the client that joined last; the clients announce " << different
                  << " different ones at present\n";
    else
        std::cout << "schema:" << (different == 0 ? " none is announced" : "") << '\n';
    if (!one.at("schema").is_null())
        print_json(std::cout, one.at("schema"));
}

void show_handlers(handlers_wanted const& chosen, common_options const& common)
{
    auto const of = service_named(chosen.service, chosen.project);
    auto const found = rest(common).get("/api/v1/services/" + http::percent_encode(of.project) + "/" +
                                        http::percent_encode(of.service) + "/handlers");
    auto const& items = found.at("items");
    if (chosen.handler.empty())
        return common.json ? print_json(std::cout, found) : print_handlers(items);
    for (auto const& one : items)
        if (one.at("handler") == chosen.handler)
            return common.json ? print_json(std::cout, one) : print_handler(one);
    throw invalid_input("handler", "no client of the service has the handler " + in_quotes(chosen.handler) +
                                       "; without its name all are listed");
}

} // namespace

void add_service_handlers(CLI::App& group, common_options const& common)
{
    auto const chosen = std::make_shared<handlers_wanted>();
    auto* const command = group.add_subcommand(
        "handlers", "List the handlers of a service, or show what its clients announce of one, such as the JSON Schema "
                    "of its payload");
    command->footer("Example: baton services handlers billing close-day");
    command->add_option("service", chosen->service, "Name of the service, or project/service")->required();
    command->add_option("handler", chosen->handler, "Only this one, with its schema");
    command->add_option("--project", chosen->project, "Project of the service (default: default)");
    command->callback([chosen, &common] { show_handlers(*chosen, common); });
}

} // namespace baton::cli
