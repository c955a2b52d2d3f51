#include "libs/storage/nodes.hpp"

#include "libs/storage/statement.hpp"

namespace baton::storage {

namespace {

// An abandoned heartbeat may be executed after its successor and with an older clock. The row must not look older than
// it is, so it follows the clock back only when the clock itself was set back by more than a ttl.
void refresh(statement& upsert)
{
    static constexpr refused_value beat{"heartbeat_at"};
    upsert.on_taken("incarnation", {"name", "address", "secret", "role", "version", "revision", "load_permille",
                                    "clients", "health", "draining", "ttl_us"});
    upsert(", heartbeat_at = CASE WHEN heartbeat_at > ", beat, " AND heartbeat_at <= ", beat, " + ",
           refused_value{"ttl_us"}, " THEN heartbeat_at ELSE ", beat, " END");
}

} // namespace

awaitable<void> nodes::beat(node_record const& self)
{
    auto const work = [&](soci::session& sql) {
        statement upsert(
            sql, "INSERT INTO node (incarnation, name, address, secret, role, version, revision, load_permille, "
                 "clients, health, draining, ttl_us, started_at, heartbeat_at) VALUES (");
        upsert(self.incarnation, ", ", self.name, ", ", self.address, ", ", self.secret, ", ", self.role, ", ",
               self.version, ", ", self.revision, ", ", self.load_permille, ", ", self.clients, ", ", self.health, ", ",
               self.draining, ", ", self.ttl, ", ", self.started_at, ", ", now_us(sql), ")");
        refresh(upsert);
        upsert.execute();
    };
    co_await shared_.run(work);
}

awaitable<roster> nodes::read()
{
    roster found;
    auto const work = [&](soci::session& sql) {
        found = {};
        statement ask(sql);
        ask.select("incarnation", "name", "address", "secret", "role", "version", "revision", "load_permille",
                   "clients", "health", "draining", "ttl_us", "started_at", "heartbeat_at");
        ask.column(fragment{"(SELECT COALESCE(MAX(changed_at), 0) FROM client)"}).column(now_us(sql));
        ask(" FROM node ORDER BY name, incarnation");
        ask.each([&](row& cells) {
            auto& node = found.nodes.emplace_back();
            node.incarnation = cells.text();
            node.name = cells.text();
            node.address = cells.text();
            node.secret = cells.text();
            node.role = cells.text();
            node.version = cells.text();
            node.revision = cells.small();
            node.load_permille = cells.small();
            node.clients = cells.small();
            node.health = cells.text();
            node.draining = cells.flag();
            node.ttl = duration{cells.number()};
            node.started_at = cells.moment();
            node.heartbeat_at = cells.moment();
            found.clients_changed = cells.moment();
            found.now = cells.moment();
            node.age = found.now - node.heartbeat_at;
        });
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<std::vector<node_record>> nodes::all()
{
    auto found = co_await read();
    co_return std::move(found.nodes);
}

awaitable<void> nodes::remove(std::string incarnation)
{
    auto const work = [&](soci::session& sql) {
        statement(sql, "DELETE FROM node WHERE incarnation = ", incarnation).execute();
    };
    co_await shared_.run(work);
}

} // namespace baton::storage
