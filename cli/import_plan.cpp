#include "cli/import_plan.hpp"

#include "cli/crontab_tasks.hpp"
#include "libs/base/error.hpp"
#include "libs/protocol/task.hpp"
#include "web/view.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

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

std::string text_in(nlohmann::json const& value, char const* key, std::string fallback)
{
    auto const found = value.is_object() ? value.find(key) : value.end();
    return found != value.end() && found->is_string() ? found->get<std::string>() : fallback;
}

using task_key = std::pair<std::string, std::string>; // project and name

task_key key_of(nlohmann::json const& task)
{
    return {text_in(task, "project", "default"), text_in(task, "name", {})};
}

std::optional<task_key> parent_of(nlohmann::json const& task)
{
    auto const schedule = task.is_object() ? task.find("schedule") : task.end();
    if (schedule == task.end() || text_in(*schedule, "kind", {}) != "after")
        return std::nullopt;
    return task_key{key_of(task).first, text_in(*schedule, "task", {})};
}

// In the same order, but a task that runs after another one of the list comes behind it: the server refuses a task
// whose parent it does not know.
std::vector<nlohmann::json> parents_first(std::vector<nlohmann::json> all)
{
    std::map<task_key, std::size_t> places;
    for (std::size_t i = 0; i < all.size(); ++i)
        places.emplace(key_of(all[i]), i);
    std::vector<bool> taken(all.size());
    std::vector<nlohmann::json> ordered;
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::vector<std::size_t> chain; // from the task up to its highest parent
        for (auto at = i; !taken[at];) {
            taken[at] = true;
            chain.push_back(at);
            auto const parent = parent_of(all[at]);
            auto const place = parent ? places.find(*parent) : places.end();
            at = place == places.end() ? at : place->second;
        }
        for (auto at = chain.rbegin(); at != chain.rend(); ++at)
            ordered.push_back(std::move(all[*at]));
    }
    return ordered;
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
    return parents_first(all.get<std::vector<nlohmann::json>>());
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

handlers_by_service live_services(nlohmann::json const& clients)
{
    handlers_by_service live;
    for (auto const& client : clients.at("items"))
        live[{client.at("project").get<std::string>(), client.at("service").get<std::string>()}].merge(
            client.at("handlers").get<std::set<std::string>>());
    return live;
}

storage::clients::served_handlers served_in(handlers_by_service const& live, protocol::service_key const& service)
{
    storage::clients::served_handlers out;
    out.service = service;
    if (auto const found = live.find(service); found != live.end()) {
        out.instances = 1;
        out.handlers.assign(found->second.begin(), found->second.end());
        return out;
    }
    for (auto const& [other, handlers] : live)
        if (other.project == service.project && out.others.size() < storage::clients::most_others)
            out.others.push_back(other.service);
    return out;
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
