#include "libs/storage/clients.hpp"

#include "libs/storage/client_lock.hpp"
#include "libs/storage/statement.hpp"

#include <nlohmann/json.hpp>

#include <array>
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
    return client;
}

void mark_gone(soci::session& sql, std::vector<std::string> const& instances)
{
    for (auto const chunk : chunks(sql, instances, 1)) {
        statement bury(sql, "UPDATE client SET state = 'gone', changed_at = ", now_us(sql), " WHERE instance IN ");
        bury.in(chunk).execute();
    }
}

void select_clients(statement& ask)
{
    ask.select("instance", "project", "service", "address", "secret", "handlers", "slots", "queue", "version",
               "generation", "node", "state", "joined_at", "changed_at", "reach", "reach_why");
    ask(" FROM client WHERE ");
}

} // namespace

std::string_view to_string(client_state which)
{
    return states[static_cast<std::size_t>(which)];
}

awaitable<clients::put_answer> clients::put(client_record const& client)
{
    auto const handlers = as_text(client.handlers);
    auto const work = [&](soci::session& sql) {
        bool refused = false;
        put_answer answer;
        statement ask(sql);
        ask.select("state", "secret", "node", "generation")(" FROM client WHERE instance = ", client.instance,
                                                            for_update(sql));
        ask.each([&](row& cells) {
            bool const gone = parse_client_state(cells.text()) == client_state::gone;
            bool const other = cells.text() != client.secret;
            refused = gone || other;
            answer.node_before = cells.text();
            auto const generation = cells.number();
            answer.overtaken = generation > client.generation ||
                               (generation == client.generation && answer.node_before != client.node);
        });
        if (refused)
            return put_answer{};
        if (answer.overtaken)
            return answer;
        statement upsert(sql,
                         "INSERT INTO client (instance, project, service, address, secret, handlers, slots, queue, "
                         "version, generation, node, state, joined_at, changed_at) VALUES (");
        upsert(client.instance, ", ", client.project, ", ", client.service, ", ", client.address, ", ", client.secret,
               ", ", handlers, ", ", client.slots, ", ", client.queue, ", ", client.version, ", ", client.generation,
               ", ", client.node, ", ", to_string(client.state));
        if (client.joined_at == utc_time{})
            upsert(", ", now_us(sql));
        else
            upsert(", ", client.joined_at);
        upsert(", ", now_us(sql), ")");
        upsert.on_taken("instance", {"project", "service", "address", "secret", "handlers", "slots", "queue", "version",
                                     "generation", "node", "state", "changed_at"});
        upsert.execute();
        answer.kept = true;
        return answer;
    };
    co_return co_await shared_.transact(work);
}

awaitable<std::optional<client_record>> clients::find(std::string instance)
{
    std::optional<client_record> found;
    auto const work = [&](soci::session& sql) {
        found.reset();
        statement ask(sql);
        select_clients(ask);
        ask("instance = ", instance);
        ask.each([&](row& cells) { found = read_client(cells); });
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

awaitable<clients::list_page> clients::read_list(std::function<void(statement&)> which, std::size_t most)
{
    list_page found;
    auto const work = [&](soci::session& sql) {
        found.clients.clear();
        found.now = from_micros(read_now(sql)); // before the rows, so that nothing falls between two lists
        statement ask(sql);
        ask.select("instance", "project", "service", "handlers", "node", "state", "changed_at")(" FROM client WHERE ");
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
awaitable<std::vector<std::string>> clients::bury_heard_by(std::string node)
{
    auto heard = co_await heard_by(node);
    co_return co_await bury(std::move(node), std::move(heard));
}

awaitable<std::vector<registered_client>> clients::heard_by(std::string node)
{
    std::vector<registered_client> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        statement ask(sql);
        ask.select("instance", "generation")(" FROM client WHERE node = ", node, " AND state <> 'gone'");
        ask.each([&](row& cells) {
            auto& one = found.emplace_back();
            one.instance = cells.text();
            one.generation = cells.number();
        });
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<std::optional<std::string>> clients::bury(registered_client client)
{
    std::optional<std::string> home;
    auto const work = [&](soci::session& sql) {
        home.reset();
        statement ask(sql);
        ask.select("node")(" FROM client WHERE instance = ", client.instance,
                           " AND state <> 'gone' AND generation <= ", client.generation, for_update(sql));
        ask.each([&](row& cells) { home = cells.text(); });
        if (home)
            mark_gone(sql, {client.instance});
    };
    co_await shared_.transact(work);
    co_return home;
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
    protocol::service_map<std::pair<std::set<std::string>, int>> services;
    auto const work = [&](soci::session& sql) {
        services.clear();
        statement ask(sql);
        ask.select("project", "service", "handlers")(" FROM client WHERE state <> 'gone'");
        ask.each([&](row& cells) {
            auto project = cells.text();
            auto& [handlers, instances] = services[{std::move(project), cells.text()}];
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
