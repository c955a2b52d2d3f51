#include "libs/storage/successors.hpp"

#include "libs/storage/rows.hpp"
#include "libs/storage/task_parents.hpp"

#include <algorithm>

namespace baton::storage {

namespace {

enum class standing { wanted, unwanted, edited };

standing standing_of(soci::session& sql, task_id task, int version, utc_time scheduled_at)
{
    auto found = standing::unwanted;
    statement ask(sql);
    ask.select("t.version");
    ask(" FROM task t WHERE t.id = ", task,
        " AND t.enabled = 1 AND NOT EXISTS (SELECT 1 FROM execution e WHERE e.scheduled_at = ", scheduled_at,
        " AND e.task_id = ", task, " AND e.run_key = 0)");
    ask.each([&](row& cells) { found = cells.small() == version ? standing::wanted : standing::edited; });
    return found;
}

} // namespace

successors ledger::successor_tables() const
{
    return {deciding_, shared_, name_space_};
}

awaitable<std::vector<ended_parent>> successors::ended(execution_id& after, int limit, int& seen)
{
    std::vector<ended_parent> found;
    execution_id last;
    auto const work = [&](soci::session& sql) {
        found.clear();
        seen = 0;
        statement ask(sql);
        ask.select("s.execution_id", "s.task_id", "s.scheduled_at", "e.due_at IS NULL",
                   "COALESCE(e.state, '') = 'succeeded'");
        ask(" FROM settle s LEFT JOIN execution e ON e.id = s.execution_id WHERE s.namespace = ", name_space_,
            " AND s.execution_id > ", after, " ORDER BY s.execution_id LIMIT ", limit);
        ask.each([&](row& cells) {
            ++seen;
            ended_parent one;
            one.execution = last = cells.name<execution_id>();
            one.task = cells.name<task_id>();
            one.scheduled_at = cells.moment();
            bool const over = cells.flag(); // or its row is gone
            one.succeeded = cells.flag();
            if (over)
                found.push_back(one);
        });
    };
    co_await shared_.run(work);
    after = seen < limit ? execution_id{} : last;
    co_return found;
}

awaitable<std::vector<successor_task>> successors::of(std::vector<task_id> const& parents)
{
    std::vector<successor_task> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        for (auto const chunk : chunks(sql, parents, 1)) {
            statement ask(sql);
            ask.select("p.parent_id", "t.id", "t.version", "t.definition");
            ask(" FROM task_parent p JOIN task t ON t.id = p.task_id WHERE t.enabled = 1 AND t.namespace = ",
                name_space_, " AND p.parent_id IN ")
                .in(chunk);
            ask.each([&](row& cells) {
                auto& one = found.emplace_back();
                one.parent = cells.name<task_id>();
                one.id = cells.name<task_id>();
                one.version = cells.small();
                one.definition = cells.text();
            });
        }
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<std::vector<execution_id>> successors::follow(fence mine, followers const& those,
                                                        std::vector<execution_id> const& parents)
{
    std::vector<execution_id> inserted;
    auto const work = [&](soci::session& sql) {
        inserted.clear();
        touch_fence(sql, mine);
        std::vector<new_execution> rows;
        for (auto const& one : those.executions) {
            auto const now = standing_of(sql, one.task, one.version, one.scheduled_at);
            if (now == standing::edited)
                return; // the next look reads it as it is now
            if (now == standing::wanted)
                rows.push_back(one);
        }
        std::vector<skipped_firings> skipped;
        for (auto const& one : those.skipped) {
            auto const now = standing_of(sql, one.task, one.version, one.firings.front());
            if (now == standing::edited)
                return;
            if (now == standing::wanted)
                skipped.push_back(one);
        }
        insert_executions(sql, {name_space_, mine.epoch}, rows);
        insert_skipped(sql, {name_space_, mine.epoch}, skipped);
        follow_firings(sql, name_space_, rows);
        for (auto const chunk : chunks(sql, parents, 1)) {
            statement remove(sql);
            remove.delete_from("settle")("e.execution_id IN ").in(chunk).execute();
        }
        for (auto const& row : rows)
            inserted.push_back(row.id);
    };
    co_await deciding_.transact(work);
    co_return inserted;
}

} // namespace baton::storage
