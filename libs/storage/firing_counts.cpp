#include "libs/storage/firing_counts.hpp"

#include <algorithm>

namespace baton::storage {

namespace {

struct given_back {
    task_id task;
    std::int64_t firings;
    std::optional<utc_time> resume;
};

std::vector<given_back> counted_unsent(soci::session& sql, std::span<execution_id const> ids)
{
    std::vector<given_back> found;
    statement ask(sql);
    ask.select("t.id", "COUNT(*)", "MAX(CASE WHEN t.next_fire_at IS NULL THEN t.resume_at END)");
    ask(" FROM execution e JOIN task t ON t.id = e.task_id WHERE t.counted_since <= e.task_version AND "
        "e.run_key = 0 AND e.due_at IS NOT NULL AND e.begun = 0 AND e.state IN ('planned', 'waiting') AND e.id IN ");
    ask.in(ids)(" GROUP BY t.id");
    ask.each([&](row& cells) {
        auto& one = found.emplace_back();
        one.task = cells.name<task_id>();
        one.firings = cells.number();
        one.resume = cells.maybe_moment();
    });
    return found;
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

std::optional<utc_time> give_back_unsent(soci::session& sql, std::vector<execution_id> const& ids)
{
    std::optional<utc_time> first;
    for (auto const chunk : chunks(sql, ids, 1))
        for (auto const& one : counted_unsent(sql, chunk)) {
            // A database may assign from left to right: next_fire_at comes after what depends on it.
            statement(sql, "UPDATE task SET firings = firings - ", one.firings,
                      ", firing_cursor = CASE WHEN next_fire_at IS NULL THEN NULL ELSE firing_cursor END, "
                      "next_fire_at = COALESCE(next_fire_at, resume_at), resume_at = NULL WHERE id = ",
                      one.task, " AND firings >= ", one.firings)
                .execute();
            if (one.resume)
                first = std::min(first.value_or(*one.resume), *one.resume);
        }
    return first;
}

} // namespace baton::storage
