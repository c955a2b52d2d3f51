#include "libs/storage/clients.hpp"
#include "libs/storage/statement.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <span>

namespace baton::storage {

namespace {

// The clients of these services that are not gone, by the index that holds those of a service together. `sorted`: the
// services of a project follow each other. Each project has one condition: of several with the same project, SQLite
// would use only the project, and read all its clients.
void from_services(statement& ask, std::span<protocol::service_key const> sorted)
{
    ask(" FROM client", by_index{"client_service"}, " WHERE state <> 'gone' AND (");
    for (auto left = sorted; !left.empty();) {
        std::vector<std::string> names;
        auto const& project = left.front().project;
        while (names.size() < left.size() && left[names.size()].project == project)
            names.push_back(left[names.size()].service);
        ask(fragment{left.size() == sorted.size() ? "" : " OR "}, "(project = ", project, " AND service IN ");
        ask.in(std::span<std::string const>(names))(")");
        left = left.subspan(names.size());
    }
    ask(")");
}

// The clients from the first service to the last that are not gone. SQLite counts one range in the order of the index;
// for several ranges it would copy the entries into a temporary table.
void in_range(statement& ask, soci::session& sql, protocol::service_key const& first, protocol::service_key const& last)
{
    ask(" FROM client", by_index{"client_standing"}, " WHERE state <> 'gone' AND ");
    if (first.project == last.project)
        ask("project = ", first.project, " AND service >= ", first.service, " AND service <= ", last.service);
    else if (dialect_of(sql).compares_rows())
        ask("(project, service) >= (", first.project, ", ", first.service, ") AND (project, service) <= (",
            last.project, ", ", last.service, ")");
    else
        ask("(project > ", first.project, " OR (project = ", first.project, " AND service >= ", first.service,
            ")) AND (project < ", last.project, " OR (project = ", last.project, " AND service <= ", last.service,
            "))");
}

} // namespace

std::int64_t service_clients::*count_of(client_state state, protocol::reach reach, bool drained)
{
    if (drained)
        return &service_clients::drained;
    if (state == client_state::draining)
        return &service_clients::draining;
    switch (reach) {
    case protocol::reach::unreachable:
        return &service_clients::unreachable;
    case protocol::reach::pending:
        return &service_clients::pending;
    case protocol::reach::reachable:
        break;
    }
    return &service_clients::up;
}

awaitable<std::map<protocol::service_key, service_clients>> clients::count(std::vector<protocol::service_key> of)
{
    std::map<protocol::service_key, service_clients> found;
    if (of.empty())
        co_return found;
    std::ranges::sort(of);
    auto const work = [&](soci::session& sql) {
        found.clear();
        statement ask(sql);
        ask.select("project", "service", "state", "reach", "drained_at IS NOT NULL", "COUNT(*)");
        in_range(ask, sql, of.front(), of.back());
        ask(" GROUP BY project, service, state, reach, drained_at");
        ask.each([&](row& cells) {
            protocol::service_key key;
            key.project = cells.text();
            key.service = cells.text();
            auto const state = parse_client_state(cells.text());
            auto const reach = protocol::parse<protocol::reach>(cells.text(), "reach");
            bool const drained = cells.flag();
            auto const many = cells.number();
            if (std::ranges::binary_search(of, key))
                found[key].*count_of(state, reach, drained) += many;
        });
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<clients::standing_page> clients::standing(std::vector<protocol::service_key> of)
{
    standing_page found;
    std::ranges::sort(of);
    auto const work = [&](soci::session& sql) {
        found.clients.clear();
        found.now = from_micros(read_now(sql));
        for (auto const chunk : chunks(sql, of, 2)) {
            statement ask(sql);
            ask.select("project", "service", "handlers", "state", "reach", "drained_at IS NOT NULL", "COUNT(*)");
            from_services(ask, chunk);
            ask(" GROUP BY project, service, handlers, state, reach, drained_at IS NOT NULL");
            ask.each([&](row& cells) {
                auto& one = found.clients.emplace_back();
                one.service.project = cells.text();
                one.service.service = cells.text();
                one.handlers = nlohmann::json::parse(cells.text()).get<std::vector<std::string>>();
                one.state = parse_client_state(cells.text());
                one.reach = protocol::parse<protocol::reach>(cells.text(), "reach");
                one.drained = cells.flag();
                one.instances = cells.number();
            });
        }
    };
    co_await shared_.run(work);
    co_return found;
}

} // namespace baton::storage
