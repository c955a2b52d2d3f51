#include "libs/storage/firing_counts.hpp"

#include "libs/storage/free_tasks.hpp"

#include <algorithm>
#include <map>

namespace baton::storage {

namespace {

// A firing that counts for the maximum of its task.
struct counted_firing {
    execution_id id;
    task_id task;
};

std::vector<counted_firing> counted_unsent(soci::session& sql, std::vector<execution_id> const& ids)
{
    std::vector<counted_firing> found;
    for (auto const chunk : chunks(sql, ids, 1)) {
        statement ask(sql);
        ask.select("e.id", "t.id");
        ask(" FROM execution e JOIN task t ON t.id = e.task_id WHERE t.counted_since <= e.task_version AND "
            "e.run_key = 0 AND e.due_at IS NOT NULL AND e.begun = 0 AND e.state IN ('planned', 'waiting') AND "
            "e.id IN ");
        ask.in(chunk).each([&](row& cells) {
            auto const id = cells.name<execution_id>();
            found.push_back({id, cells.name<task_id>()});
        });
    }
    return found;
}

// Where a task goes on that had fired as often as it may.
std::optional<utc_time> read_resume(soci::session& sql, task_id task)
{
    std::optional<utc_time> found;
    statement(sql)
        .select("CASE WHEN next_fire_at IS NULL THEN resume_at END")(" FROM task WHERE id = ", task)
        .each([&](row& cells) { found = cells.maybe_moment(); });
    return found;
}

// A database may assign from left to right: next_fire_at comes after what depends on it.
void give_back(soci::session& sql, task_id task, std::int64_t firings)
{
    statement(sql, "UPDATE task SET firings = firings - ", firings,
              ", firing_cursor = CASE WHEN next_fire_at IS NULL THEN NULL ELSE firing_cursor END, "
              "next_fire_at = COALESCE(next_fire_at, resume_at), resume_at = NULL WHERE id = ",
              task, " AND firings >= ", firings)
        .execute();
}

} // namespace

void advance_firing_states(soci::session& sql, std::vector<advance> const& tasks)
{
    std::vector<advance> some;
    std::ranges::copy_if(tasks, std::back_inserter(some), [](advance const& task) { return task.state.has_value(); });
    for (auto const chunk : chunks(sql, some, 5)) {
        batch_update update(sql, {"task"}, {"id", "version", "cursor", "resume", "added"});
        for (auto const& task : chunk)
            update.row(task.id, task.version, task.state->cursor, task.state->resume, task.state->added);
        update.set("firing_cursor = ", update["cursor"], ", resume_at = ", update["resume"], ", firings = e.firings + ",
                   update["added"]);
        update.where("e.version = ", update["version"]);
        update.execute();
    }
}

skipped_runs give_back_unsent(soci::session& sql, std::vector<execution_id> const& ids)
{
    auto const counted = counted_unsent(sql, ids);
    std::map<task_id, std::int64_t> firings;
    for (auto const& each : counted)
        ++firings[each.task];
    std::vector<task_id> tasks;
    for (auto const& [task, count] : firings)
        tasks.push_back(task);
    auto const locked = lock_tasks(sql, tasks);
    skipped_runs done;
    for (auto const& each : counted)
        if (locked.contains(each.task))
            done.left.push_back(each.id);
    for (auto const& [task, count] : firings) {
        if (locked.contains(task))
            continue;
        auto const resume = read_resume(sql, task);
        give_back(sql, task, count);
        if (resume)
            done.first_again = std::min(done.first_again.value_or(*resume), *resume);
    }
    return done;
}

} // namespace baton::storage
