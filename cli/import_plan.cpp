#include "cli/import_plan.hpp"

#include "cli/crontab_tasks.hpp"
#include "libs/base/error.hpp"
#include "libs/protocol/task.hpp"
#include "web/view.hpp"

#include <algorithm>
#include <map>

namespace baton::cli {

namespace {

// The members that the definition gives, with the server's spelling of each value. Those that it leaves out of a
// schedule of the registered kind are the registered ones.
nlohmann::json given_members(nlohmann::json const& registered, nlohmann::json const& definition)
{
    auto const full = protocol::to_json(protocol::parse_task(definition));
    auto given = nlohmann::json::object();
    for (auto const& [key, value] : definition.items())
        given[key] = full.at(key);
    if (!given.contains("schedule"))
        return given;
    auto const present = registered.value("schedule", nlohmann::json::object());
    if (present.value("kind", "") != given["schedule"].at("kind"))
        return given;
    auto schedule = present;
    for (auto const& [key, value] : definition.at("schedule").items())
        schedule[key] = given["schedule"].at(key);
    given["schedule"] = std::move(schedule);
    return given;
}

} // namespace

std::vector<nlohmann::json> definitions_in(nlohmann::json document)
{
    bool const listed = document.is_object() && document.contains("items") && document["items"].is_array();
    if (listed && document.contains("next") && !document["next"].is_null())
        throw invalid_input(
            "", "the list is not complete, since `next` is set: list the tasks again with a higher --limit");
    auto all = listed ? document["items"] : document;
    if (!all.is_array())
        all = nlohmann::json::array({std::move(all)});
    for (auto& each : all) {
        if (!each.is_object())
            continue;
        each.erase("next"); // of `baton task show --json`
        for (auto const& key : web::read_only_members())
            each.erase(key);
    }
    return all.get<std::vector<nlohmann::json>>();
}

std::vector<difference> differences_from_file(nlohmann::json const& registered, nlohmann::json const& definition)
{
    return differences_of(registered, given_members(registered, definition));
}

nlohmann::json updated_task(nlohmann::json registered, std::vector<difference> const& found,
                            nlohmann::json const& definition)
{
    auto const given = given_members(registered, definition);
    for (auto const& each : found) {
        auto const key = each.member.substr(0, each.member.find('.'));
        registered[key] = given.at(key);
    }
    return registered;
}

bool enables(std::vector<difference> const& found)
{
    return std::ranges::any_of(found,
                               [](difference const& each) { return each.member == "enabled" && each.to == true; });
}

bool names_another_handler(std::vector<difference> const& found)
{
    return std::ranges::any_of(
        found, [](difference const& each) { return each.member == "service" || each.member == "handler"; });
}

std::vector<storage::clients::service_handlers> live_services(nlohmann::json const& clients)
{
    std::map<protocol::service_key, std::set<std::string>> handlers;
    for (auto const& client : clients.at("items"))
        handlers[{client.at("project").get<std::string>(), client.at("service").get<std::string>()}].merge(
            client.at("handlers").get<std::set<std::string>>());
    std::vector<storage::clients::service_handlers> live;
    live.reserve(handlers.size());
    for (auto const& [service, names] : handlers)
        live.push_back({service, {names.begin(), names.end()}});
    return live;
}

std::string import_text(difference const& each)
{
    return each.member + ": " + value_text(each.from) + " at the server, " + value_text(each.to) + " in the file";
}

std::vector<nlohmann::json> without_line(std::vector<nlohmann::json> const& registered, std::string const& origin,
                                         std::string const& file, std::set<std::string> const& names)
{
    std::vector<nlohmann::json> found;
    for (auto const& task : registered) {
        auto const description = task.value("description", "");
        if ((description == origin || is_former_origin(description, file)) && task.value("enabled", false) &&
            !names.contains(task.value("name", "")))
            found.push_back(task);
    }
    return found;
}

} // namespace baton::cli
