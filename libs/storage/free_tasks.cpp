#include "libs/storage/free_tasks.hpp"

#include "libs/storage/detail.hpp"

#include <unordered_set>

namespace baton::storage {

namespace {

constexpr by_index primary{"PRIMARY"};

// Those whose rows are there, also if another transaction is deleting them.
std::set<task_id> existing(soci::session& sql, std::vector<task_id> const& tasks)
{
    std::set<task_id> found;
    for (auto const chunk : chunks(sql, tasks, 1)) {
        statement ask(sql);
        ask.select("id")(" FROM task", primary, " WHERE id IN ").in(chunk);
        ask.each([&](row& cells) { found.insert(cells.name<task_id>()); });
    }
    return found;
}

} // namespace

std::set<task_id> lock_tasks(soci::session& sql, std::vector<task_id> const& tasks)
{
    if (!dialect_of(sql).locks_rows())
        return {};
    std::unordered_set<task_id> locked;
    for (auto const chunk : chunks(sql, tasks, 1)) {
        statement ask(sql);
        ask.select("id")(" FROM task", primary, " WHERE id IN ").in(chunk)(skip_locked(sql));
        ask.each([&](row& cells) { locked.insert(cells.name<task_id>()); });
    }
    std::vector<task_id> missing;
    for (auto const task : tasks)
        if (!locked.contains(task))
            missing.push_back(task);
    return missing.empty() ? std::set<task_id>{} : existing(sql, missing);
}

} // namespace baton::storage
