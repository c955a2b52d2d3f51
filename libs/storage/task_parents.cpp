#include "libs/storage/task_parents.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"

#include <algorithm>
#include <set>

namespace baton::storage {

namespace {

using protocol::schedule_kind;

std::optional<task_id> find_named(soci::session& sql, protocol::namespace_id name_space, std::string const& project,
                                  std::string const& name)
{
    std::optional<task_id> found;
    statement ask(sql);
    ask.select("id");
    ask(" FROM task WHERE project = ", project, " AND name = ", name, " AND namespace = ", name_space, for_update(sql));
    ask.each([&](row& cells) { found = cells.name<task_id>(); });
    return found;
}

std::optional<task_id> parent_of(soci::session& sql, task_id task)
{
    std::optional<task_id> found;
    statement ask(sql);
    ask.select("parent_id")(" FROM task_parent WHERE task_id = ", task, for_update(sql));
    ask.each([&](row& cells) { found = cells.name<task_id>(); });
    return found;
}

bool exists(soci::session& sql, task_id task)
{
    bool found = false;
    statement(sql).select("COUNT(*)")(" FROM task WHERE id = ", task).each([&](row& cells) { found = cells.flag(); });
    return found;
}

void require_no_cycle(soci::session& sql, task_id task, task_id parent, std::string const& name)
{
    auto above = std::optional{parent};
    for (int length = 1; above; ++length, above = parent_of(sql, *above)) {
        if (*above == task)
            throw invalid_input("schedule.task", "task " + in_quotes(name) +
                                                     " runs after this task, directly or through "
                                                     "others: that would be a cycle");
        if (length > longest_chain)
            throw invalid_input("schedule.task", "a chain has at most " + std::to_string(longest_chain) + " tasks");
    }
}

bool has_parents(soci::session& sql)
{
    bool found = false;
    statement(sql).select("COUNT(*)")(" FROM (SELECT task_id FROM task_parent LIMIT 1) AS found").each([&](row& cells) {
        found = cells.flag();
    });
    return found;
}

std::set<task_id> parents_among(soci::session& sql, std::vector<new_execution> const& rows)
{
    std::set<task_id> asked;
    for (auto const& each : rows)
        if (each.cause == protocol::cause::schedule)
            asked.insert(each.task);
    std::vector<task_id> const tasks(asked.begin(), asked.end());
    std::set<task_id> found;
    for (auto const chunk : chunks(sql, tasks, 1)) {
        statement ask(sql);
        ask.select("parent_id")(" FROM task_parent WHERE parent_id IN ");
        ask.in(chunk).each([&](row& cells) { found.insert(cells.name<task_id>()); });
    }
    return found;
}

} // namespace

void link_parent(soci::session& sql, protocol::namespace_id name_space, task_record const& task,
                 protocol::task_definition const* before)
{
    auto const& schedule = task.definition.schedule;
    bool const had = before != nullptr && before->schedule.kind == schedule_kind::after;
    if (schedule.kind != schedule_kind::after) {
        if (had)
            unlink_parent(sql, task.id);
        return;
    }
    auto const linked = had ? parent_of(sql, task.id) : std::nullopt;
    if (linked && before->schedule.after == schedule.after && exists(sql, *linked))
        return;
    auto const parent = find_named(sql, name_space, task.definition.project, schedule.after);
    if (!parent && linked && before->schedule.after == schedule.after)
        return; // its parent is deleted, and the edit concerns other members
    if (!parent)
        throw invalid_input("schedule.task", "project " + in_quotes(task.definition.project) + " has no task " +
                                                 in_quotes(schedule.after));
    require_no_cycle(sql, task.id, *parent, schedule.after);
    if (had)
        unlink_parent(sql, task.id);
    statement(sql, "INSERT INTO task_parent (task_id, parent_id) VALUES (", task.id, ", ", *parent, ")").execute();
}

bool finds_new_parent(soci::session& sql, protocol::namespace_id name_space, task_record const& task)
{
    if (task.definition.schedule.kind != schedule_kind::after)
        return false;
    auto const linked = parent_of(sql, task.id);
    return (!linked || !exists(sql, *linked)) &&
           find_named(sql, name_space, task.definition.project, task.definition.schedule.after);
}

void unlink_parent(soci::session& sql, task_id task)
{
    statement(sql, "DELETE FROM task_parent WHERE task_id = ", task).execute();
}

void follow_firings(soci::session& sql, protocol::namespace_id name_space, std::vector<new_execution> const& rows)
{
    if (rows.empty() || !has_parents(sql))
        return;
    auto const parents = parents_among(sql, rows);
    std::vector<new_execution const*> followed;
    for (auto const& each : rows)
        if (each.cause == protocol::cause::schedule && parents.contains(each.task))
            followed.push_back(&each);
    for (auto const chunk : chunks(sql, followed, 4)) {
        statement insert(sql, "INSERT INTO settle (execution_id, namespace, task_id, scheduled_at) VALUES ");
        for (auto const* each : chunk)
            insert(fragment{each == chunk.front() ? "(" : ", ("}, each->id, ", ", name_space, ", ", each->task, ", ",
                   each->scheduled_at, ")");
        insert.execute();
    }
}

void follow_rerun(soci::session& sql, execution_id rerun)
{
    statement(sql, "INSERT INTO settle (execution_id, namespace, task_id, scheduled_at) ",
              "SELECT f.id, f.namespace, f.task_id, f.scheduled_at FROM execution f WHERE f.id = ", rerun,
              " AND EXISTS (SELECT 1 FROM task_parent p WHERE p.parent_id = f.task_id)",
              " AND EXISTS (SELECT 1 FROM execution o WHERE o.scheduled_at = f.scheduled_at AND o.task_id = f.task_id "
              "AND o.run_key = 0)")
        .execute();
}

} // namespace baton::storage
