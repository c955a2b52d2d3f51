#include "libs/storage/run_times.hpp"

#include "libs/storage/ledger_range.hpp"
#include "libs/storage/rows.hpp"

#include <algorithm>
#include <set>

namespace baton::storage {

namespace {

constexpr int most_times = 60;
constexpr int looked_at = 200;           // executions of a task
constexpr int most_looked_at = 4'000;    // of a broadcast, whose shards are executions too
constexpr std::size_t least_judged = 20; // run times; with fewer nothing can be slow
constexpr std::int64_t most_listed = 1'000;

std::vector<duration> times_among(soci::session& sql, task_id task, int rows)
{
    std::vector<duration> times;
    statement ask(sql);
    ask.select("x.finished_at - x.started_at");
    ask(" FROM (SELECT e.scheduled_at, e.id, e.state, e.attempt, e.shard_index, e.started_at, e.finished_at FROM "
        "execution e",
        by_index{"execution_of_task"}, " WHERE e.task_id = ", task, " ORDER BY e.scheduled_at DESC LIMIT ", rows,
        ") x WHERE x.state = 'succeeded' AND x.attempt = 1 AND x.shard_index = 0 AND x.started_at IS NOT NULL AND "
        "x.finished_at >= x.started_at ORDER BY x.scheduled_at DESC, x.id DESC LIMIT ",
        most_times);
    ask.each([&](row& cells) { times.push_back(duration{cells.number()}); });
    return times;
}

// The most shards of one broadcast among the latest executions; 1 without any.
int widest_broadcast(soci::session& sql, task_id task)
{
    int shards = 1;
    statement ask(sql);
    ask.select("COALESCE(MAX(x.shard_total), 1)");
    ask(" FROM (SELECT e.shard_total FROM execution e", by_index{"execution_of_task"}, " WHERE e.task_id = ", task,
        " ORDER BY e.scheduled_at DESC LIMIT ", looked_at, ") x");
    ask.each([&](row& cells) { shards = cells.small(); });
    return shards;
}

std::vector<duration> times_of(soci::session& sql, task_id task)
{
    auto times = times_among(sql, task, looked_at);
    if (times.size() >= least_judged)
        return times;
    auto const shards = widest_broadcast(sql, task);
    if (shards == 1)
        return times;
    auto const wanted = std::int64_t{most_times} * (shards + 1); // the broadcast has a row of its own
    return times_among(sql, task, static_cast<int>(std::min<std::int64_t>(wanted, most_looked_at)));
}

std::set<task_id> present_tasks(soci::session& sql, std::vector<task_id> const& tasks)
{
    std::set<task_id> present;
    for (auto const chunk : chunks(sql, tasks, 1)) {
        statement ask(sql);
        ask.select("id")(" FROM task WHERE id IN ").in(chunk);
        ask.each([&](row& cells) { present.insert(cells.name<task_id>()); });
    }
    return present;
}

bool has_room(soci::session& sql, protocol::namespace_id name_space)
{
    std::int64_t listed = 0;
    statement ask(sql);
    ask.select("COUNT(*)")(" FROM slow_task WHERE namespace = ", name_space);
    ask.each([&](row& cells) { listed = cells.number(); });
    return listed < most_listed;
}

void update(soci::session& sql, slow_task_row const& one)
{
    statement(sql, "UPDATE slow_task SET usual_us = ", one.usual, ", recent_us = ", one.recent,
              " WHERE task_id = ", one.task)
        .execute();
}

void upsert(soci::session& sql, protocol::namespace_id name_space, slow_task_row const& one)
{
    statement insert(sql, "INSERT INTO slow_task (task_id, namespace, usual_us, recent_us, since) VALUES (", one.task,
                     ", ", name_space, ", ", one.usual, ", ", one.recent, ", ", one.found_at, ")");
    insert.on_taken("task_id", {"usual_us", "recent_us"});
    insert.execute();
}

} // namespace

awaitable<std::map<task_id, std::vector<duration>>> run_times::latest(std::vector<task_id> tasks)
{
    auto const work = [&](soci::session& sql) {
        std::map<task_id, std::vector<duration>> found;
        for (auto const task : present_tasks(sql, tasks))
            if (auto times = times_of(sql, task); !times.empty())
                found.emplace(task, std::move(times));
        return found;
    };
    co_return co_await shared_.run(work);
}

awaitable<std::vector<task_id>> run_times::listed(std::size_t limit)
{
    auto const work = [&](soci::session& sql) {
        std::vector<task_id> found;
        statement ask(sql);
        ask.select("task_id")(" FROM slow_task WHERE namespace = ", name_space_, " ORDER BY task_id LIMIT ", limit);
        ask.each([&](row& cells) { found.push_back(cells.name<task_id>()); });
        return found;
    };
    co_return co_await shared_.run(work);
}

awaitable<bool> run_times::put(fence mine, std::vector<slow_task_row> slow, std::vector<task_id> others)
{
    auto const work = [&](soci::session& sql) {
        if (!fence_holds(sql, mine))
            return false;
        for (auto const chunk : chunks(sql, others, 1))
            statement(sql, "DELETE FROM slow_task WHERE task_id IN ").in(chunk).execute();
        bool const room = has_room(sql, name_space_);
        for (auto const& one : slow)
            if (room)
                upsert(sql, name_space_, one);
            else
                update(sql, one);
        return true;
    };
    co_return co_await shared_.transact(work);
}

awaitable<std::vector<slow_task>> run_times::slow(std::optional<std::string> project, int limit)
{
    auto const work = [&](soci::session& sql) {
        std::vector<slow_task> found;
        statement ask(sql);
        ask.select("s.task_id", "t.project", "t.name", "t.service", "s.usual_us", "s.recent_us", "s.since");
        ask(" FROM slow_task s JOIN task t ON t.id = s.task_id WHERE s.namespace = ", name_space_);
        if (project)
            ask(" AND t.project = ", *project);
        ask(" ORDER BY s.recent_us * 1.0 / (s.usual_us + 1) DESC, s.task_id LIMIT ", limit);
        ask.each([&](row& cells) {
            auto& one = found.emplace_back();
            one.task = cells.name<task_id>();
            one.project = cells.text();
            one.name = cells.text();
            one.service = cells.text();
            one.usual = duration{cells.number()};
            one.recent = duration{cells.number()};
            one.since = cells.moment();
        });
        return found;
    };
    co_return co_await shared_.run(work);
}

} // namespace baton::storage
