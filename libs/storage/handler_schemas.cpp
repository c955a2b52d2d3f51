#include "libs/storage/handler_schemas.hpp"

#include "libs/protocol/offers.hpp"
#include "libs/storage/statement.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <tuple>

namespace baton::storage {

namespace {

using protocol::service_key;

constexpr std::int64_t most_old_documents = 1'000; // looked at in one cleaning

void select_of(statement& which, service_key const& service)
{
    which("project = ", service.project, " AND service = ", service.service);
}

void delete_documents(soci::session& sql, service_key const& service, std::vector<std::string> const& hashes)
{
    for (auto const chunk : chunks(sql, hashes, 3)) {
        statement remove(sql, "DELETE FROM handler_schema WHERE ");
        select_of(remove, service);
        remove(" AND hash IN ").in(chunk).execute();
    }
}

void delete_surplus(soci::session& sql, service_key const& service)
{
    std::vector<std::string> surplus;
    statement ask(sql);
    ask.select("hash")(" FROM handler_schema WHERE ");
    select_of(ask, service);
    ask(" ORDER BY seen_at DESC, hash LIMIT ", most_old_documents, " OFFSET ", most_schema_documents);
    ask.each([&](row& cells) { surplus.push_back(cells.text()); });
    delete_documents(sql, service, surplus);
}

// The documents that were not seen since then, by service.
protocol::service_map<std::vector<std::string>> old_documents(soci::session& sql, utc_time since)
{
    protocol::service_map<std::vector<std::string>> found;
    statement ask(sql);
    ask.select("project", "service", "hash")(" FROM handler_schema WHERE seen_at < ", since);
    ask(" ORDER BY seen_at LIMIT ", most_old_documents);
    ask.each([&](row& cells) {
        service_key service;
        service.project = cells.text();
        service.service = cells.text();
        found[service].push_back(cells.text());
    });
    return found;
}

std::set<std::string> named_by_clients(soci::session& sql, service_key const& service)
{
    std::set<std::string> named;
    statement ask(sql);
    ask.column(fragment{"DISTINCT schema_set"});
    ask(" FROM client", by_index{"client_service"}, " WHERE schema_set IS NOT NULL AND ");
    select_of(ask, service);
    ask.each([&](row& cells) { named.insert(cells.text()); });
    return named;
}

// If a client registers meanwhile, its home writes the document again, or updates the time at which it was seen.
void purge_service(soci::session& sql, service_key const& service, std::vector<std::string> const& old, utc_time since)
{
    auto const named = named_by_clients(sql, service);
    for (auto const& hash : old) {
        if (named.contains(hash)) {
            statement touch(sql, "UPDATE handler_schema SET seen_at = ", now_us(sql), " WHERE hash = ", hash, " AND ");
            select_of(touch, service);
            touch.execute();
            continue;
        }
        statement remove(sql, "DELETE FROM handler_schema WHERE seen_at < ", since, " AND hash = ", hash, " AND ");
        select_of(remove, service);
        remove.execute();
    }
}

} // namespace

// In order, so that two nodes that write the same documents do not wait for each other.
awaitable<void> handler_schemas::keep(std::vector<schema_document> seen)
{
    std::sort(seen.begin(), seen.end(),
              [](auto const& a, auto const& b) { return std::tie(a.service, a.hash) < std::tie(b.service, b.hash); });
    auto const work = [&](soci::session& sql) {
        for (auto const& one : seen) {
            statement put(sql, "INSERT INTO handler_schema (project, service, hash, document, seen_at) VALUES (",
                          one.service.project, ", ", one.service.service, ", ", one.hash, ", ", one.text, ", ",
                          now_us(sql), ")");
            put.on_taken("project, service, hash", {"seen_at"}).execute();
        }
        for (std::size_t i = 0; i < seen.size(); ++i)
            if (i + 1 == seen.size() || seen[i].service != seen[i + 1].service)
                delete_surplus(sql, seen[i].service);
    };
    co_await shared_.transact(work);
}

awaitable<void> handler_schemas::purge(duration age)
{
    utc_time since;
    protocol::service_map<std::vector<std::string>> old;
    auto const look = [&](soci::session& sql) {
        since = from_micros(read_now(sql)) - age;
        old = old_documents(sql, since);
    };
    co_await shared_.run(look);
    for (auto const& each : old) {
        auto const clean = [&](soci::session& sql) { purge_service(sql, each.first, each.second, since); };
        co_await shared_.run(clean);
    }
}

awaitable<handler_schemas::announced> handler_schemas::of(protocol::service_key service)
{
    announced found;
    auto const work = [&](soci::session& sql) {
        found = {};
        statement ask(sql);
        ask.select("handlers", "schema_set", "COUNT(*)", "MAX(joined_at)");
        ask(" FROM client", by_index{"client_service"}, " WHERE state <> 'gone' AND ");
        select_of(ask, service);
        ask(" GROUP BY handlers, schema_set");
        ask.each([&](row& cells) {
            auto& one = found.groups.emplace_back();
            one.handlers = protocol::handlers_in(nlohmann::json::parse(cells.text()).get<std::vector<std::string>>());
            one.schema_set = cells.maybe_text().value_or("");
            one.clients = cells.number();
            one.joined_at = cells.moment();
        });
        statement read(sql);
        read.select("hash", "document")(" FROM handler_schema WHERE ");
        select_of(read, service);
        read.each([&](row& cells) {
            auto& entries = found.documents[cells.text()];
            entries = protocol::parse_schema_document(cells.text());
        });
    };
    co_await shared_.run(work);
    co_return found;
}

} // namespace baton::storage
