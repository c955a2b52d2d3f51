#include "libs/storage/ledger.hpp"
#include "libs/storage/rows.hpp"

namespace baton::storage {

awaitable<std::vector<stopped_task>> ledger::stopped_tasks(utc_time until, std::optional<stopped_task> after, int limit)
{
    std::vector<stopped_task> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        statement ask(sql);
        ask.select("task_id", "version", "line", "reason");
        ask(" FROM stopped_task WHERE namespace = ", name_space_, " AND line <= ", until);
        if (after)
            ask(" AND line >= ", after->line, " AND (line > ", after->line, " OR task_id > ", after->task,
                " OR (task_id = ", after->task, " AND version > ", after->version, "))");
        ask(" ORDER BY line, task_id, version LIMIT ", limit);
        ask.each([&](row& cells) {
            auto& one = found.emplace_back();
            one.task = cells.name<task_id>();
            one.version = cells.small();
            one.line = cells.moment();
            one.reason = cells.text();
        });
    };
    co_await deciding_.run(work);
    co_return found;
}

awaitable<std::vector<defined_task>> ledger::definitions(std::vector<task_id> const& tasks)
{
    std::vector<defined_task> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        for (auto const chunk : chunks(sql, tasks, 1)) {
            statement ask(sql);
            ask.select("id", "version", "definition")(" FROM task WHERE id IN ").in(chunk);
            ask.each([&](row& cells) {
                auto& one = found.emplace_back();
                one.id = cells.name<task_id>();
                one.version = cells.small();
                one.definition = cells.text();
            });
        }
    };
    if (!tasks.empty())
        co_await shared_.run(work);
    co_return found;
}

awaitable<void> ledger::forget_stopped(fence mine, std::vector<stopped_task> const& tasks)
{
    auto const work = [&](soci::session& sql) {
        touch_fence(sql, mine);
        for (auto const& one : tasks)
            statement(sql, "DELETE FROM stopped_task WHERE task_id = ", one.task, " AND version = ", one.version)
                .execute();
    };
    co_await deciding_.transact(work);
}

} // namespace baton::storage
