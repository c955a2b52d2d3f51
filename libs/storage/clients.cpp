#include "libs/storage/clients.hpp"

#include "libs/storage/statement.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <map>
#include <set>

namespace baton::storage {

namespace {

constexpr std::array<std::string_view, 3> states{"up", "draining", "gone"};

client_state parse_client_state(std::string const& text)
{
    for (std::size_t i = 0; i < states.size(); ++i)
        if (states[i] == text)
            return static_cast<client_state>(i);
    throw unavailable("database: unknown state of a client '" + text + "'");
}

std::string as_text(std::vector<std::string> const& handlers)
{
    try {
        return nlohmann::json(handlers).dump();
    } catch (nlohmann::json::type_error const&) {
        throw invalid_input("handlers", "a handler's name is not valid UTF-8");
    }
}

client_record read_client(row& cells)
{
    client_record client;
    client.instance = cells.text();
    client.service = cells.text();
    client.address = cells.text();
    client.secret = cells.text();
    client.handlers = nlohmann::json::parse(cells.text()).get<std::vector<std::string>>();
    client.slots = cells.small();
    client.queue = cells.small();
    client.version = cells.text();
    client.node = cells.text();
    client.state = parse_client_state(cells.text());
    client.joined_at = cells.moment();
    client.changed_at = cells.moment();
    return client;
}

void select_clients(statement& ask)
{
    ask.select("instance", "service", "address", "secret", "handlers", "slots", "queue", "version", "node", "state",
               "joined_at", "changed_at");
    ask(" FROM client WHERE ");
}

} // namespace

std::string_view to_string(client_state which)
{
    return states[static_cast<std::size_t>(which)];
}

awaitable<bool> clients::put(client_record const& client)
{
    auto const handlers = as_text(client.handlers);
    auto const work = [&](soci::session& sql) {
        bool refused = false;
        statement ask(sql);
        ask.select("state", "secret")(" FROM client WHERE instance = ", client.instance, for_update(sql));
        ask.each([&](row& cells) {
            bool const gone = parse_client_state(cells.text()) == client_state::gone;
            bool const other = cells.text() != client.secret;
            refused = gone || other;
        });
        if (refused)
            return false;
        statement upsert(
            sql, "INSERT INTO client (instance, service, address, secret, handlers, slots, queue, version, node, "
                 "state, joined_at, changed_at) VALUES (");
        upsert(client.instance, ", ", client.service, ", ", client.address, ", ", client.secret, ", ", handlers, ", ",
               client.slots, ", ", client.queue, ", ", client.version, ", ", client.node, ", ",
               to_string(client.state));
        if (client.joined_at == utc_time{})
            upsert(", ", now_us(sql));
        else
            upsert(", ", client.joined_at);
        upsert(", ", now_us(sql), ")");
        upsert.on_taken("instance", {"service", "address", "secret", "handlers", "slots", "queue", "version", "node",
                                     "state", "changed_at"});
        upsert.execute();
        return true;
    };
    co_return co_await shared_.transact(work);
}

awaitable<bool> clients::set_state(std::string instance, std::string node, client_state state)
{
    auto const work = [&](soci::session& sql) {
        statement set(sql, "UPDATE client SET state = ", to_string(state), ", changed_at = ", now_us(sql),
                      " WHERE instance = ", instance, " AND node = ", node, " AND state <> 'gone'");
        return set.execute() == 1;
    };
    co_return co_await shared_.run(work);
}

awaitable<clients::page> clients::all()
{
    page found;
    auto const work = [&](soci::session& sql) {
        found.clients.clear();
        found.now = from_micros(read_now(sql)); // before the rows, so that nothing falls between this page and the next
        statement ask(sql);
        select_clients(ask);
        ask("state <> 'gone' ORDER BY instance");
        ask.each([&](row& cells) { found.clients.push_back(read_client(cells)); });
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<clients::page> clients::changed_since(utc_time since)
{
    page found;
    auto const work = [&](soci::session& sql) {
        found.clients.clear();
        found.now = from_micros(read_now(sql));
        statement ask(sql);
        select_clients(ask);
        ask("changed_at >= ", since, " ORDER BY changed_at, instance");
        ask.each([&](row& cells) { found.clients.push_back(read_client(cells)); });
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<std::vector<std::string>> clients::bury_heard_by(std::string node)
{
    std::vector<std::string> buried;
    auto const work = [&](soci::session& sql) {
        buried.clear();
        statement ask(sql);
        ask.select("instance")(" FROM client WHERE node = ", node, " AND state <> 'gone' ORDER BY instance");
        ask(for_update(sql)).each([&](row& cells) { buried.push_back(cells.text()); });
        for (auto const chunk : chunks(sql, buried, 1)) {
            statement bury(sql, "UPDATE client SET state = 'gone', changed_at = ", now_us(sql), " WHERE node = ", node,
                           " AND instance IN ");
            bury.in(chunk).execute();
        }
    };
    co_await shared_.transact(work);
    co_return buried;
}

awaitable<void> clients::purge(duration age)
{
    auto const work = [&](soci::session& sql) {
        statement(sql, "DELETE FROM client WHERE state = 'gone' AND changed_at < ", now_us(sql), " - ", age).execute();
    };
    co_await shared_.run(work);
}

awaitable<std::vector<clients::service_handlers>> clients::services()
{
    std::map<std::string, std::pair<std::set<std::string>, int>> services;
    auto const work = [&](soci::session& sql) {
        services.clear();
        statement ask(sql);
        ask.select("service", "handlers")(" FROM client WHERE state <> 'gone'");
        ask.each([&](row& cells) {
            auto& [handlers, instances] = services[cells.text()];
            handlers.merge(nlohmann::json::parse(cells.text()).get<std::set<std::string>>());
            ++instances;
        });
    };
    co_await shared_.run(work);
    std::vector<service_handlers> out;
    out.reserve(services.size());
    for (auto const& [service, found] : services)
        out.push_back({service, {found.first.begin(), found.first.end()}, found.second});
    co_return out;
}

} // namespace baton::storage
