#include "libs/storage/clients.hpp"

#include "libs/protocol/offers.hpp"
#include "libs/storage/client_lock.hpp"
#include "libs/storage/statement.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

namespace baton::storage {

namespace {

constexpr std::array<std::string_view, 3> standing_names{"up", "draining", "gone"};

client_record read_client(row& cells)
{
    client_record client;
    client.instance = cells.text();
    client.project = cells.text();
    client.service = cells.text();
    client.address = cells.text();
    client.secret = cells.text();
    client.handlers = nlohmann::json::parse(cells.text()).get<std::vector<std::string>>();
    client.slots = cells.small();
    client.queue = cells.small();
    client.version = cells.text();
    client.generation = cells.number();
    client.node = cells.text();
    client.state = parse_client_state(cells.text());
    client.joined_at = cells.moment();
    client.changed_at = cells.moment();
    client.reach = protocol::parse<protocol::reach>(cells.text(), "reach");
    client.reach_why = cells.text();
    client.schema_set = cells.maybe_text().value_or("");
    client.text_ids = cells.small() != 0;
    auto const since = cells.maybe_moment();
    client_drain drain;
    drain.by = cells.text();
    drain.reason = cells.text();
    if (since) {
        drain.since = *since;
        client.drained = std::move(drain);
    }
    return client;
}

void select_clients(statement& ask, char const* index = nullptr)
{
    ask.select("instance", "project", "service", "address", "secret", "handlers", "slots", "queue", "version",
               "generation", "node", "state", "joined_at", "changed_at", "reach", "reach_why", "schema_set", "text_ids",
               "drained_at", "drained_by", "drain_reason");
    ask(" FROM client");
    if (index != nullptr)
        ask(by_index{index});
    ask(" WHERE ");
}

// The first services of the project that have clients. A jump in the index for each, however many clients it has.
std::vector<std::string> services_of(soci::session& sql, std::string const& project, std::size_t most)
{
    std::vector<std::string> names;
    for (bool more = true; more && names.size() < most;) {
        statement next(sql);
        next.select("service")(" FROM client", by_index{"client_service"}, " WHERE project = ", project);
        next(" AND service > ", names.empty() ? std::string() : names.back(), " AND state <> 'gone' ORDER BY service");
        next(" LIMIT 1");
        more = false;
        next.each([&](row& cells) {
            names.push_back(cells.text());
            more = true;
        });
    }
    return names;
}

} // namespace

std::string_view to_string(client_state which)
{
    return standing_names[static_cast<std::size_t>(which)];
}

client_state parse_client_state(std::string const& text)
{
    for (std::size_t i = 0; i < standing_names.size(); ++i)
        if (standing_names[i] == text)
            return static_cast<client_state>(i);
    throw unavailable("database: unknown state of a client '" + text + "'");
}

awaitable<std::vector<client_record>> clients::find(std::vector<std::string> instances)
{
    std::vector<client_record> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        for (auto const chunk : chunks(sql, instances, 1)) {
            statement ask(sql);
            select_clients(ask);
            ask("instance IN ").in(chunk);
            ask.each([&](row& cells) { found.push_back(read_client(cells)); });
        }
    };
    co_await shared_.run(work);
    co_return found;
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

// In the order of an index that holds the clients of the service, or of the project, together.
awaitable<std::vector<client_record>> clients::find_in(scope of, std::string after_instance, std::size_t most)
{
    std::vector<client_record> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        statement ask(sql);
        select_clients(ask, !of.project ? nullptr : of.service ? "client_service" : "client_project");
        ask("state <> 'gone' AND instance > ", after_instance);
        if (of.project)
            ask(" AND project = ", *of.project);
        if (of.service)
            ask(" AND service = ", *of.service);
        ask(" ORDER BY instance LIMIT ", static_cast<std::int64_t>(most));
        ask.each([&](row& cells) { found.push_back(read_client(cells)); });
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<clients::list_page> clients::read_list(std::function<void(statement&)> which, std::size_t most)
{
    list_page found;
    auto const work = [&](soci::session& sql) {
        found.clients.clear();
        found.now = from_micros(read_now(sql)); // before the rows, so that nothing falls between two lists
        statement ask(sql);
        ask.select("instance", "project", "service", "handlers", "node", "state", "changed_at", "reach",
                   "slots + queue", "drained_at")(" FROM client WHERE ");
        which(ask);
        ask(" LIMIT ", static_cast<std::int64_t>(most));
        ask.each([&](row& cells) {
            client_listing one;
            one.instance = cells.text();
            one.project = cells.text();
            one.service = cells.text();
            one.handlers = cells.text();
            one.node = cells.text();
            one.state = parse_client_state(cells.text());
            one.changed_at = cells.moment();
            one.unreachable = cells.text() == protocol::to_string(protocol::reach::unreachable);
            one.places = cells.small();
            one.drained = cells.maybe_moment().has_value();
            found.clients.push_back(std::move(one));
        });
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<clients::list_page> clients::list(std::string after_instance, std::size_t most)
{
    auto const which = [&](statement& ask) {
        ask("state <> 'gone' AND instance > ", after_instance, " ORDER BY instance");
    };
    co_return co_await read_list(which, most);
}

awaitable<clients::list_page> clients::changed_since(utc_time since, std::string after_instance, std::size_t most)
{
    auto const which = [&](statement& ask) {
        ask("changed_at >= ", since, " AND (changed_at > ", since, " OR instance > ", after_instance,
            ") ORDER BY changed_at, instance");
    };
    co_return co_await read_list(which, most);
}

awaitable<std::vector<std::string>> clients::bury(std::string node, std::vector<registered_client> wanted)
{
    std::vector<std::string> buried;
    auto const work = [&](soci::session& sql) {
        buried = lock_registered(sql, node, wanted);
        mark_gone(sql, buried);
    };
    co_await shared_.transact(work);
    co_return buried;
}

// In two steps: the node may live after all, and then its clients may register again before the second one.
awaitable<std::vector<std::string>> clients::bury_heard_by(std::string node, std::size_t most)
{
    auto heard = co_await heard_by(node, most);
    co_return co_await bury(std::move(node), std::move(heard));
}

awaitable<std::vector<registered_client>> clients::heard_by(std::string node, std::size_t most)
{
    std::vector<registered_client> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        statement ask(sql);
        ask.select("instance", "generation")(" FROM client WHERE node = ", node, " AND state <> 'gone' LIMIT ",
                                             static_cast<std::int64_t>(most));
        ask.each([&](row& cells) {
            auto& one = found.emplace_back();
            one.instance = cells.text();
            one.generation = cells.number();
        });
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<void> clients::purge(duration age)
{
    auto const work = [&](soci::session& sql) {
        statement(sql, "DELETE FROM client WHERE state = 'gone' AND changed_at < ", now_us(sql), " - ", age).execute();
    };
    co_await shared_.run(work);
}

awaitable<clients::served_handlers> clients::served(protocol::service_key service)
{
    served_handlers found;
    auto const work = [&](soci::session& sql) {
        found = {};
        std::set<std::string> handlers;
        statement ask(sql);
        ask.select("handlers", "COUNT(*)")(" FROM client", by_index{"client_service"}, " WHERE project = ");
        ask(service.project, " AND service = ", service.service, " AND state <> 'gone' GROUP BY handlers");
        ask.each([&](row& cells) {
            handlers.merge(nlohmann::json::parse(cells.text()).get<std::set<std::string>>());
            found.instances += cells.number();
        });
        std::ranges::copy_if(handlers, std::back_inserter(found.handlers),
                             [](auto const& offer) { return !protocol::is_tag(offer); });
        if (found.instances == 0)
            found.others = services_of(sql, service.project, most_others);
    };
    co_await shared_.run(work);
    found.service = std::move(service);
    co_return found;
}

} // namespace baton::storage
