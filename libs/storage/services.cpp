#include "libs/storage/services.hpp"

#include "libs/storage/fresh_ids.hpp"
#include "libs/storage/ledger.hpp"
#include "libs/storage/pause_row.hpp"
#include "libs/storage/rows.hpp"

#include <algorithm>
#include <set>

namespace baton::storage {

namespace {

using protocol::service_key;

// The first service behind `after` that a task or a client names, in the same project or in a later one: one step in an
// index, however many name it. (project, service) > (...) would make SQLite read all entries of the service before.
void first_behind(statement& ask, protocol::namespace_id name_space, bool of_tasks, bool same_project,
                  service_key const& after)
{
    ask("SELECT * FROM (SELECT project, service FROM ");
    if (of_tasks)
        ask("task", by_index{"task_service"}, " WHERE namespace = ", name_space);
    else
        ask("client", by_index{"client_standing"}, " WHERE state <> 'gone'");
    // MariaDB sorts all entries behind it where the order begins with a column that has one value.
    if (same_project)
        ask(" AND project = ", after.project, " AND service > ", after.service, " ORDER BY service LIMIT 1) y");
    else
        ask(" AND project > ", after.project, " ORDER BY project, service LIMIT 1) y");
}

std::optional<service_key> next_service(soci::session& sql, protocol::namespace_id name_space, bool one_project,
                                        service_key const& after)
{
    std::optional<service_key> next;
    statement ask(sql);
    ask.select("project", "service")(" FROM (");
    first_behind(ask, name_space, true, true, after);
    ask(" UNION ALL ");
    first_behind(ask, name_space, false, true, after);
    for (bool const of_tasks : {true, false}) {
        if (one_project)
            break;
        ask(" UNION ALL ");
        first_behind(ask, name_space, of_tasks, false, after);
    }
    ask(") x ORDER BY project, service LIMIT 1");
    ask.each([&](row& cells) {
        auto& one = next.emplace();
        one.project = cells.text();
        one.service = cells.text();
    });
    return next;
}

bool exists(soci::session& sql, protocol::namespace_id name_space, service_key const& which)
{
    bool found = false;
    for (auto const table : {fragment{"task"}, fragment{"client"}}) {
        statement ask(sql);
        ask.select("project")(" FROM ", table, " WHERE project = ", which.project);
        if (!which.service.empty())
            ask(" AND service = ", which.service);
        if (std::string_view(table.text) == "task")
            ask(" AND namespace = ", name_space);
        ask(" LIMIT 1");
        ask.each([&](row& cells) { found = !cells.text().empty(); });
        if (found)
            return true;
    }
    return false;
}

std::optional<protocol::pause> lock_pause(soci::session& sql, protocol::namespace_id name_space,
                                          service_key const& which)
{
    std::optional<protocol::pause> found;
    statement ask(sql);
    select_pauses(ask);
    ask("namespace = ", name_space, " AND project = ", which.project, " AND service = ", which.service,
        " AND ended_at = 0", for_update(sql));
    ask.each([&](row& cells) { found = read_pause(cells); });
    return found;
}

void insert(soci::session& sql, protocol::namespace_id name_space, signal_id id, protocol::pause const& wanted)
{
    try_again_if_taken([&] {
        statement(sql, "INSERT INTO pause (id, namespace, project, service, firings, reason, begun_by, since) VALUES (",
                  id, ", ", name_space, ", ", wanted.of.project, ", ", wanted.of.service, ", ",
                  protocol::to_string(wanted.firings), ", ", wanted.reason, ", ", wanted.begun_by, ", ", wanted.since,
                  ")")
            .execute();
    });
}

} // namespace

void select_pauses(statement& ask)
{
    ask.select("project", "service", "firings", "reason", "begun_by", "since", "ended_at", "ended_by");
    ask(" FROM pause WHERE ");
}

protocol::pause read_pause(row& cells)
{
    protocol::pause one;
    one.of.project = cells.text();
    one.of.service = cells.text();
    one.firings = protocol::parse<protocol::paused_firings>(cells.text(), "firings");
    one.reason = cells.text();
    one.begun_by = cells.text();
    one.since = cells.moment();
    auto const ended = cells.number();
    if (ended != 0)
        one.ended_at = from_micros(ended);
    one.ended_by = cells.text();
    return one;
}

awaitable<std::vector<service_key>> services::list(std::optional<std::string> project, service_key after,
                                                   std::size_t limit)
{
    std::vector<service_key> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        auto last = project && after.project != *project ? service_key{*project, {}} : after;
        while (found.size() < limit) {
            auto const next = next_service(sql, name_space_, project.has_value(), last);
            if (!next)
                return;
            found.push_back(*next);
            last = *next;
        }
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<std::vector<std::string>> services::projects(std::string after, std::size_t limit)
{
    std::set<std::string> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        for (auto const table : {fragment{"task"}, fragment{"client"}}) {
            auto last = after;
            for (std::size_t i = 0; i < limit; ++i) {
                std::string next;
                statement ask(sql);
                ask.select("project")(" FROM ", table, " WHERE project > ", last);
                if (std::string_view(table.text) == "task")
                    ask(" AND namespace = ", name_space_);
                else
                    ask(" AND state <> 'gone'");
                ask(" ORDER BY project LIMIT 1").each([&](row& cells) { next = cells.text(); });
                if (next.empty())
                    break;
                found.insert(next);
                last = next;
            }
        }
    };
    co_await shared_.run(work);
    std::vector<std::string> first(found.begin(), found.end());
    first.resize(std::min(first.size(), limit));
    co_return first;
}

awaitable<bool> services::known(service_key which)
{
    auto const work = [&](soci::session& sql) { return exists(sql, name_space_, which); };
    co_return co_await shared_.run(work);
}

awaitable<pause_result> services::pause(protocol::pause wanted, id_generator& ids)
{
    pause_result done;
    auto const work = [&](soci::session& sql) {
        if (!exists(sql, name_space_, wanted.of)) {
            done.outcome = pause_outcome::not_found;
            return;
        }
        if (auto const present = lock_pause(sql, name_space_, wanted.of)) {
            done.outcome = pause_outcome::already;
            done.pause = *present;
            return;
        }
        done.outcome = pause_outcome::done;
        done.pause = wanted;
        done.pause.since = from_micros(read_now(sql));
        insert(sql, name_space_, done.signal, done.pause);
        insert_signal(sql, name_space_, done.signal, protocol::signal_kind::pause, done.signal.value());
    };
    auto const once = [&]() -> awaitable<pause_result> {
        done.signal = ids.make<signal_id>();
        co_await shared_.transact(work);
        co_return done;
    };
    co_return co_await with_fresh_ids(once, "no free id for a pause");
}

awaitable<pause_result> services::resume(service_key which, std::string by, id_generator& ids)
{
    pause_result done;
    done.signal = ids.make<signal_id>();
    auto const work = [&](soci::session& sql) {
        auto const present = lock_pause(sql, name_space_, which);
        done.outcome = present ? pause_outcome::done : pause_outcome::not_found;
        if (!present)
            return;
        done.pause = *present;
        done.pause.ended_at = std::max(from_micros(read_now(sql)), present->since + 1us);
        done.pause.ended_by = by;
        statement(sql, "UPDATE pause SET ended_at = ", *done.pause.ended_at, ", ended_by = ", by,
                  " WHERE namespace = ", name_space_, " AND project = ", which.project,
                  " AND service = ", which.service, " AND ended_at = 0")
            .execute();
        insert_signal(sql, name_space_, done.signal, protocol::signal_kind::pause, done.signal.value());
    };
    co_await shared_.transact(work);
    co_return done;
}

awaitable<std::vector<protocol::pause>> services::pauses_in_force()
{
    std::vector<protocol::pause> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        statement ask(sql);
        select_pauses(ask);
        ask("namespace = ", name_space_, " AND ended_at = 0");
        ask.each([&](row& cells) { found.push_back(read_pause(cells)); });
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<std::vector<protocol::pause>> services::history(service_key which, int limit)
{
    std::vector<protocol::pause> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        statement ask(sql);
        select_pauses(ask);
        ask("namespace = ", name_space_, " AND project = ", which.project, " AND service = ", which.service,
            " ORDER BY since DESC LIMIT ", limit);
        ask.each([&](row& cells) { found.push_back(read_pause(cells)); });
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<std::vector<protocol::pause>> ledger::pauses(duration back)
{
    std::vector<protocol::pause> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        statement ask(sql);
        select_pauses(ask);
        ask("namespace = ", name_space_, " AND (ended_at = 0 OR (firings = 'skip' AND ended_at > ", now_us(sql), " - ",
            back, "))");
        ask.each([&](row& cells) { found.push_back(read_pause(cells)); });
    };
    co_await shared_.run(work);
    co_return found;
}

} // namespace baton::storage
