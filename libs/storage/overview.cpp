#include "libs/storage/overview.hpp"

#include "libs/storage/statement.hpp"

#include <algorithm>

namespace baton::storage {

namespace {

constexpr int most_letters = 20'000;

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

std::vector<next_firing> planned_firings(soci::session& sql, protocol::namespace_id name_space, int limit)
{
    statement ask(sql);
    ask.select("e.scheduled_at", "e.task_id", "e.project", "t.name", "t.service", "e.id");
    ask(" FROM execution e", by_index{"execution_time"},
        " LEFT JOIN task t ON t.id = e.task_id WHERE e.scheduled_at > ", read_now(sql),
        " AND e.due_at IS NOT NULL AND e.namespace = ", name_space, " ORDER BY e.scheduled_at, e.id LIMIT ", limit);
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

awaitable<client_totals> overview::clients()
{
    auto const work = [&](soci::session& sql) {
        client_totals found;
        statement ask(sql);
        ask.select("project", "service", "state", "reach", "COUNT(*)");
        ask(" FROM client WHERE state <> 'gone' GROUP BY project, service, state, reach");
        ask.each([&](row& cells) {
            auto project = cells.text();
            auto service = cells.text();
            bool const draining = cells.text() == "draining";
            bool const unreachable = cells.text() == "unreachable";
            auto const clients = cells.number();
            found.live += clients;
            found.draining += draining ? clients : 0;
            found.unreachable += unreachable ? clients : 0;
            found.services.insert({std::move(project), std::move(service)});
        });
        return found;
    };
    co_return co_await shared_.run(work);
}

awaitable<std::vector<failing_task>> overview::failing(utc_time since, int limit)
{
    auto const work = [&](soci::session& sql) {
        std::vector<failing_task> found;
        statement ask(sql);
        ask.select("d.task_id", "MAX(t.project)", "MAX(t.name)", "MAX(t.service)", "COUNT(*)", "MAX(d.died_at)");
        ask(" FROM (SELECT task_id, died_at FROM dead_letter", by_index{"dead_letter_time"},
            " WHERE namespace = ", name_space_,
            " AND resolution IN ('open', 'retried', 'dismissed') AND died_at >= ", since, " LIMIT ", most_letters,
            ") d LEFT JOIN task t ON t.id = d.task_id GROUP BY d.task_id ORDER BY COUNT(*) DESC, d.task_id LIMIT ",
            limit);
        ask.each([&](row& cells) {
            auto& one = found.emplace_back();
            one.task = cells.name<task_id>();
            one.project = cells.text();
            one.name = cells.text();
            one.service = cells.text();
            one.failures = cells.number();
            one.last_at = cells.moment();
        });
        return found;
    };
    co_return co_await shared_.run(work);
}

awaitable<std::vector<next_firing>> overview::due_next(int limit)
{
    auto const work = [&](soci::session& sql) {
        auto found = planned_firings(sql, name_space_, limit);
        auto const later = firings_to_plan(sql, name_space_, limit);
        found.insert(found.end(), later.begin(), later.end());
        std::ranges::stable_sort(found, {}, &next_firing::at);
        found.resize(std::min(found.size(), static_cast<std::size_t>(limit)));
        return found;
    };
    co_return co_await shared_.run(work);
}

} // namespace baton::storage
