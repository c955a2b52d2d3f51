#include "libs/storage/successors.hpp"

#include "libs/storage/rows.hpp"
#include "libs/storage/task_parents.hpp"

#include <algorithm>
#include <set>

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

namespace {

struct follower_rows {
    std::vector<new_execution> executions;
    std::vector<skipped_firings> skipped;
    std::set<execution_id> again;
};

// Two of them may be equal, since a shard and its broadcast, or two shards, may have been run again at a time.
follower_rows rows_of(soci::session& sql, std::vector<follower> const& those)
{
    follower_rows rows;
    std::set<std::pair<task_id, utc_time>> firings;
    for (auto const& one : those) {
        auto const now = standing_of(sql, one.row.task, one.row.version, one.row.scheduled_at);
        if (now == standing::edited)
            rows.again.insert(one.parent);
        if (now != standing::wanted || !firings.emplace(one.row.task, one.row.scheduled_at).second)
            continue;
        if (one.skip_reason.empty())
            rows.executions.push_back(one.row);
        else
            rows.skipped.push_back({one.row.task,
                                    one.row.version,
                                    one.row.project,
                                    one.skip_reason,
                                    {one.row.scheduled_at},
                                    {one.row.id}});
    }
    return rows;
}

} // namespace

awaitable<followed> successors::follow(fence mine, std::vector<follower> const& those,
                                       std::vector<execution_id> const& over)
{
    followed done;
    auto const work = [&](soci::session& sql) {
        touch_fence(sql, mine);
        auto rows = rows_of(sql, those);
        insert_executions(sql, {name_space_, mine.epoch}, rows.executions);
        insert_skipped(sql, {name_space_, mine.epoch}, rows.skipped);
        follow_firings(sql, name_space_, rows.executions);
        auto forgotten = over;
        std::erase_if(forgotten, [&](auto id) { return rows.again.contains(id); });
        for (auto const chunk : chunks(sql, forgotten, 1)) {
            statement remove(sql);
            remove.delete_from("settle")("e.execution_id IN ").in(chunk).execute();
        }
        done = {};
        for (auto const& row : rows.executions)
            done.inserted.push_back(row.id);
        done.again = std::move(rows.again);
    };
    co_await deciding_.transact(work);
    co_return done;
}

} // namespace baton::storage
