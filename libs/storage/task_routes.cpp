#include "libs/storage/task_routes.hpp"

#include "libs/protocol/node_wire.hpp"
#include "libs/protocol/service_key.hpp"
#include "libs/storage/executions.hpp"
#include "libs/storage/statement.hpp"

namespace baton::storage {

namespace {

struct found_route {
    task_at version;
    protocol::service_key service;
    wanted_client wanted;
};

std::string text_in(nlohmann::json const& object, char const* key)
{
    auto const found = object.is_object() ? object.find(key) : object.end();
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Of the routing as text, so that one which this release does not know does no harm.
bool names_client(std::string const& routing)
{
    for (std::size_t i = 0; i < protocol::names_of<protocol::routing>.size(); ++i)
        if (protocol::names_of<protocol::routing>[i] == routing)
            return protocol::is_chosen_by_master(static_cast<protocol::routing>(i));
    return false;
}

found_route read_route(row& cells)
{
    found_route found;
    found.version.first = cells.name<task_id>();
    found.version.second = cells.small();
    auto const document = nlohmann::json::parse(cells.text(), nullptr, false);
    found.service.project = text_in(document, "project");
    found.service.service = text_in(document, "service");
    found.wanted.names_client = names_client(text_in(document, "routing"));
    if (document.is_object() && document.contains("route")) {
        found.wanted.tag = text_in(document.at("route"), "tag");
        found.wanted.instance = text_in(document.at("route"), "instance");
    }
    return found;
}

// By the index on project and service.
bool is_there(soci::session& sql, protocol::service_key const& service, std::string const& instance)
{
    bool found = false;
    statement ask(sql);
    ask.select("instance")(" FROM client WHERE project = ", service.project, " AND service = ", service.service,
                           " AND state <> 'gone' AND instance >= ", instance, " AND instance < ", instance + "\x7f");
    ask.each([&](row& cells) { found = protocol::names_instance(cells.text(), instance) || found; });
    return found;
}

} // namespace

awaitable<routes> executions::routes(std::vector<task_at> which)
{
    storage::routes found;
    auto const work = [&](soci::session& sql) {
        std::vector<found_route> read;
        for (auto const chunk : chunks(sql, which, 2)) {
            statement ask(sql);
            ask.select("task_id", "version", "definition")(" FROM task_version WHERE ");
            for (std::size_t i = 0; i < chunk.size(); ++i)
                ask(fragment{i == 0 ? "" : " OR "}, "(task_id = ", chunk[i].first, " AND version = ", chunk[i].second,
                    ")");
            ask.each([&](row& cells) { read.push_back(read_route(cells)); });
        }
        found.clear();
        for (auto& one : read) {
            if (!one.wanted.instance.empty())
                one.wanted.instance_is_there = is_there(sql, one.service, one.wanted.instance);
            found.emplace(one.version, std::move(one.wanted));
        }
    };
    co_await shared_.run(work);
    co_return found;
}

} // namespace baton::storage
