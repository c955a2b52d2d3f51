// The rows of `service_settings`.

#include "libs/base/log.hpp"
#include "libs/storage/fresh_ids.hpp"
#include "libs/storage/ledger.hpp"
#include "libs/storage/rows.hpp"
#include "libs/storage/services.hpp"
#include "libs/storage/statement.hpp"

namespace baton::storage {

namespace {

using protocol::scope_settings;
using protocol::service_key;

void select_settings(statement& ask)
{
    ask.select("project", "service", "version", "document")(" FROM service_settings WHERE namespace = ");
}

// A document of another version of the program that this one cannot read does not count.
scope_settings read_settings(row& cells)
{
    scope_settings one;
    one.of.project = cells.text();
    one.of.service = cells.text();
    one.version = cells.small();
    auto const document = cells.text();
    try {
        one.settings = protocol::parse_service_settings(nlohmann::json::parse(document));
    } catch (std::exception const& wrong) {
        log::error("services", "the settings of a service cannot be read, going on without them",
                   {log::reason(wrong.what()), {"project", one.of.project}, {"service", one.of.service}});
    }
    return one;
}

scope_settings find_settings(soci::session& sql, protocol::namespace_id name_space, service_key const& which, bool lock)
{
    scope_settings found;
    found.of = which;
    statement ask(sql);
    select_settings(ask);
    ask(name_space, " AND project = ", which.project, " AND service = ", which.service,
        lock ? for_update(sql) : fragment{""});
    ask.each([&](row& cells) { found = read_settings(cells); });
    return found;
}

void write_settings(soci::session& sql, protocol::namespace_id name_space, scope_settings const& wanted)
{
    auto const document = protocol::to_json(wanted.settings).dump();
    if (wanted.version > 1) {
        statement(sql, "UPDATE service_settings SET version = ", wanted.version, ", document = ", document,
                  ", updated_at = ", now_us(sql), " WHERE namespace = ", name_space,
                  " AND project = ", wanted.of.project, " AND service = ", wanted.of.service)
            .execute();
        return;
    }
    try_again_if_taken([&] {
        statement(
            sql, "INSERT INTO service_settings (namespace, project, service, version, document, updated_at) VALUES (",
            name_space, ", ", wanted.of.project, ", ", wanted.of.service, ", 1, ", document, ", ", now_us(sql), ")")
            .execute();
    });
}

} // namespace

awaitable<scope_settings> services::settings(service_key which)
{
    auto const work = [&](soci::session& sql) { return find_settings(sql, name_space_, which, false); };
    co_return co_await shared_.run(work);
}

awaitable<std::vector<scope_settings>> services::settings_for(service_key service)
{
    std::vector<scope_settings> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        statement ask(sql);
        select_settings(ask);
        ask(name_space_, " AND project = ", service.project, " AND (service = '' OR service = ", service.service,
            ") ORDER BY service");
        ask.each([&](row& cells) { found.push_back(read_settings(cells)); });
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<settings_result> services::set_settings(service_key which, std::optional<int> seen,
                                                  protocol::service_settings wanted, id_generator& ids)
{
    settings_result done;
    auto const work = [&](soci::session& sql) {
        done.now = find_settings(sql, name_space_, which, true);
        done.outcome = seen && *seen != done.now.version ? settings_outcome::stale_version : settings_outcome::done;
        if (done.outcome != settings_outcome::done)
            return;
        ++done.now.version;
        done.now.settings = wanted;
        write_settings(sql, name_space_, done.now);
        insert_signal(sql, name_space_, done.signal, protocol::signal_kind::settings, done.signal.value());
    };
    auto const once = [&]() -> awaitable<settings_result> {
        done.signal = ids.make<signal_id>();
        co_await shared_.transact(work);
        co_return done;
    };
    co_return co_await with_fresh_ids(once, "the settings of a service are being changed by others");
}

awaitable<std::vector<scope_settings>> ledger::settings()
{
    std::vector<scope_settings> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        statement ask(sql);
        select_settings(ask);
        ask(name_space_, " ORDER BY project, service");
        ask.each([&](row& cells) { found.push_back(read_settings(cells)); });
    };
    co_await shared_.run(work);
    co_return found;
}

} // namespace baton::storage
