#include "libs/storage/overview.hpp"

#include "libs/storage/statement.hpp"

#include <algorithm>

namespace baton::storage {

namespace {

constexpr int most_letters = 20'000;
constexpr int most_open_letters = 10'000;
constexpr int most_failures = 20'000;
constexpr int most_due = 5'000;
constexpr int most_tasks = 20'000;

using project_name = std::optional<std::string>;

std::vector<next_firing> read_next(statement& ask, bool planned)
{
    std::vector<next_firing> found;
    ask.each([&](row& cells) {
        auto& one = found.emplace_back();
        one.at = cells.moment();
        one.task = cells.name<task_id>();
        one.project = cells.text();
        one.name = cells.text();
        one.service = cells.text();
        if (auto const id = cells.maybe_number(); id && planned)
            one.execution = execution_id{*id};
    });
    return found;
}

std::vector<next_firing> planned_firings(soci::session& sql, protocol::namespace_id name_space,
                                         project_name const& project, int limit)
{
    statement ask(sql);
    ask.select("e.scheduled_at", "e.task_id", "e.project", "t.name", "t.service", "e.id");
    ask(" FROM (SELECT scheduled_at, task_id, project, id FROM execution", by_index{"execution_time"},
        " WHERE scheduled_at > ", read_now(sql), " AND due_at IS NOT NULL AND namespace = ", name_space,
        " ORDER BY scheduled_at, id LIMIT ", project ? most_due : limit,
        ") e LEFT JOIN task t ON t.id = e.task_id WHERE 1 = 1");
    if (project)
        ask(" AND e.project = ", *project);
    ask(" ORDER BY e.scheduled_at, e.id LIMIT ", limit);
    return read_next(ask, true);
}

std::vector<next_firing> firings_to_plan(soci::session& sql, protocol::namespace_id name_space, int limit)
{
    statement ask(sql);
    ask.select("next_fire_at", "id", "project", "name", "service", "NULL");
    ask(" FROM task", by_index{"task_due"}, " WHERE namespace = ", name_space,
        " AND parked_for = '' AND next_fire_at IS NOT NULL ORDER BY next_fire_at LIMIT ", limit);
    return read_next(ask, false);
}

// Of a project, in the order of all tasks. The project may have others behind those that are looked at.
std::vector<next_firing> due_first(soci::session& sql, protocol::namespace_id name_space, std::string const& project,
                                   int limit)
{
    statement ask(sql);
    ask.select("t.next_fire_at", "t.id", "t.project", "t.name", "t.service", "NULL");
    ask(" FROM (SELECT next_fire_at, id, project, name, service FROM task", by_index{"task_due"},
        " WHERE namespace = ", name_space, " AND parked_for = '' AND next_fire_at IS NOT NULL ",
        "ORDER BY next_fire_at LIMIT ", most_due, ") t WHERE t.project = ", project,
        " ORDER BY t.next_fire_at, t.id LIMIT ", limit);
    return read_next(ask, false);
}

std::vector<next_firing> due_among_tasks(soci::session& sql, protocol::namespace_id name_space,
                                         std::string const& project, int limit)
{
    statement ask(sql);
    ask.select("t.next_fire_at", "t.id", "t.project", "t.name", "t.service", "NULL");
    ask(" FROM (SELECT next_fire_at, id, project, name, service, parked_for FROM task", by_index{"task_service"},
        " WHERE namespace = ", name_space, " AND project = ", project, " LIMIT ", most_tasks,
        ") t WHERE t.parked_for = '' AND t.next_fire_at IS NOT NULL ORDER BY t.next_fire_at, t.id LIMIT ", limit);
    return read_next(ask, false);
}

std::vector<next_firing> firings_of_project(soci::session& sql, protocol::namespace_id name_space,
                                            std::string const& project, int limit)
{
    auto found = due_first(sql, name_space, project, limit);
    return found.size() < static_cast<std::size_t>(limit) ? due_among_tasks(sql, name_space, project, limit) : found;
}

void select_failing(statement& ask, protocol::namespace_id name_space, project_name const& project, utc_time since)
{
    ask.select("d.task_id", "MAX(t.project)", "MAX(t.name)", "MAX(t.service)", "COUNT(*)",
               "SUM(CASE WHEN d.resolution = 'open' THEN 1 ELSE 0 END)", "MAX(d.died_at)");
    ask(" FROM (SELECT task_id, died_at, resolution FROM dead_letter",
        by_index{project ? "dead_letter_of_project" : "dead_letter_time"}, " WHERE namespace = ", name_space);
    if (project)
        ask(" AND project = ", *project);
    ask(" AND resolution IN ('open', 'retried', 'dismissed') AND died_at >= ", since, " LIMIT ", most_letters,
        ") d LEFT JOIN task t ON t.id = d.task_id GROUP BY d.task_id");
}

// That of the dead letter of the task at this instant.
std::optional<std::string> error_at(soci::session& sql, failing_task const& one)
{
    std::optional<std::string> error;
    statement ask(sql);
    ask.select("f.error")(" FROM dead_letter d", by_index{"dead_letter_of_task"},
                          " JOIN failure f ON f.execution_id = d.execution_id WHERE d.task_id = ", one.task,
                          " AND d.resolution IN ('open', 'retried', 'dismissed') AND d.died_at = ", one.last_at,
                          " ORDER BY d.execution_id DESC LIMIT 1");
    ask.each([&](row& cells) { error = cells.maybe_text(); });
    return error;
}

bounded_count read_count(statement& ask, std::int64_t most)
{
    bounded_count found;
    ask.each([&](row& cells) {
        found.count = cells.number();
        found.more = cells.number() >= most;
    });
    return found;
}

} // namespace

awaitable<task_totals> overview::tasks()
{
    auto const work = [&](soci::session& sql) {
        task_totals found;
        statement ask(sql);
        ask.select("enabled", "CASE WHEN parked_for = '' THEN 0 ELSE 1 END", "COUNT(*)");
        ask(" FROM task", by_index{"task_state"}, " WHERE namespace = ", name_space_,
            " GROUP BY enabled, CASE WHEN parked_for = '' THEN 0 ELSE 1 END");
        ask.each([&](row& cells) {
            bool const enabled = cells.flag();
            bool const parked = cells.flag();
            (!enabled ? found.disabled : parked ? found.parked : found.enabled) += cells.number();
        });
        return found;
    };
    co_return co_await shared_.run(work);
}

awaitable<client_totals> overview::clients(std::optional<std::string> project)
{
    auto const work = [&](soci::session& sql) {
        client_totals found;
        statement ask(sql);
        ask.select("project", "service", "state", "reach", "drained_at IS NOT NULL", "COUNT(*)");
        ask(" FROM client WHERE state <> 'gone'");
        if (project)
            ask(" AND project = ", *project);
        ask(" GROUP BY project, service, state, reach, drained_at IS NOT NULL");
        ask.each([&](row& cells) {
            protocol::service_key key;
            key.project = cells.text();
            key.service = cells.text();
            bool const stops = cells.text() == "draining";
            bool const unreachable = cells.text() == "unreachable";
            bool const draining = cells.flag() || stops;
            auto const clients = cells.number();
            found.live += clients;
            found.draining += draining ? clients : 0;
            found.unreachable += unreachable ? clients : 0;
            auto& service = found.services[key];
            service.live += clients;
            service.taking += draining || unreachable ? 0 : clients;
        });
        return found;
    };
    co_return co_await shared_.run(work);
}

awaitable<std::vector<failing_task>> overview::failing(std::optional<std::string> project, utc_time since, int limit)
{
    auto const work = [&](soci::session& sql) {
        std::vector<failing_task> found;
        statement ask(sql);
        select_failing(ask, name_space_, project, since);
        ask(" ORDER BY COUNT(*) DESC, d.task_id LIMIT ", limit);
        ask.each([&](row& cells) {
            auto& one = found.emplace_back();
            one.task = cells.name<task_id>();
            one.project = cells.text();
            one.name = cells.text();
            one.service = cells.text();
            one.failures = cells.number();
            one.open = cells.number();
            one.last_at = cells.moment();
        });
        for (auto& one : found)
            one.error = error_at(sql, one);
        return found;
    };
    co_return co_await shared_.run(work);
}

awaitable<bounded_count> overview::open_letters(std::optional<std::string> project)
{
    auto const work = [&](soci::session& sql) {
        statement ask(sql);
        ask.select("COUNT(*)", "COUNT(*)");
        ask(" FROM (SELECT died_at FROM dead_letter", by_index{project ? "dead_letter_of_project" : "dead_letter_time"},
            " WHERE namespace = ", name_space_);
        if (project)
            ask(" AND project = ", *project);
        ask(" AND resolution = 'open' LIMIT ", most_open_letters, ") d");
        return read_count(ask, most_open_letters);
    };
    co_return co_await shared_.run(work);
}

awaitable<bounded_count> overview::failed(std::optional<std::string> project, utc_time since)
{
    auto const work = [&](soci::session& sql) {
        statement ask(sql);
        if (project)
            ask.select("COALESCE(SUM(CASE WHEN t.id IS NULL THEN 0 ELSE 1 END), 0)", "COUNT(*)");
        else
            ask.select("COUNT(*)", "COUNT(*)");
        ask(" FROM (SELECT task_id FROM failure", by_index{"failure_time"}, " WHERE namespace = ", name_space_,
            " AND scheduled_at >= ", since, " LIMIT ", most_failures, ") f");
        if (project)
            ask(" LEFT JOIN task t ON t.id = f.task_id AND t.project = ", *project);
        return read_count(ask, most_failures);
    };
    co_return co_await shared_.run(work);
}

awaitable<std::vector<next_firing>> overview::due_next(std::optional<std::string> project, int limit)
{
    auto const work = [&](soci::session& sql) {
        auto found = planned_firings(sql, name_space_, project, limit);
        auto const later =
            project ? firings_of_project(sql, name_space_, *project, limit) : firings_to_plan(sql, name_space_, limit);
        found.insert(found.end(), later.begin(), later.end());
        std::ranges::stable_sort(found, {}, &next_firing::at);
        found.resize(std::min(found.size(), static_cast<std::size_t>(limit)));
        return found;
    };
    co_return co_await shared_.run(work);
}

} // namespace baton::storage
