#pragma once
// Decisions of a master never wait for the row of a task that an edit has locked: a web process may stall between two
// statements of its transaction. For .cpp files of this folder.

#include "libs/base/id.hpp"
#include "libs/storage/statement.hpp"

#include <set>
#include <vector>

namespace baton::storage {

// Locks the rows of these tasks, and returns those that another transaction has locked. Their writes are left to a
// later transaction. None on a database whose transactions lock everything.
std::set<task_id> lock_tasks(soci::session& sql, std::vector<task_id> const& tasks);

// The same for rows that name their task in `id`.
template <class Row>
std::set<task_id> lock_tasks_of(soci::session& sql, std::vector<Row> const& rows)
{
    std::vector<task_id> tasks;
    tasks.reserve(rows.size());
    for (auto const& each : rows)
        tasks.push_back(each.id);
    return lock_tasks(sql, tasks);
}

// The rows whose tasks are not among these.
template <class Row>
std::vector<Row> without(std::vector<Row> rows, std::set<task_id> const& tasks)
{
    std::erase_if(rows, [&](Row const& each) { return tasks.contains(each.id); });
    return rows;
}

} // namespace baton::storage
