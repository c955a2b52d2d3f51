#pragma once
// The parent of a task that runs after another one, inside the transactions that save tasks and insert executions. For
// .cpp files of this folder.

#include "libs/protocol/term_id.hpp"
#include "libs/storage/rows.hpp"
#include "libs/storage/tasks.hpp"

#include <vector>

namespace baton::storage {

inline constexpr int longest_chain = 100; // of tasks, each after another one

// Records the parent that the schedule names, or that it has none. A parent that was renamed stays the parent while the
// schedule names it as before. If the parent is deleted, a new task of its name takes its place. `before`: the
// definition so far, or null. Throws invalid_input ("schedule.task") for a
// task that the project does not have, and for one that runs after this one.
void link_parent(soci::session& sql, protocol::namespace_id name_space, task_record const& task,
                 protocol::task_definition const* before);
// The task's parent is deleted, and the project has a new task of that name, which an edit would make the parent.
bool finds_new_parent(soci::session& sql, protocol::namespace_id name_space, task_record const& task);
void unlink_parent(soci::session& sql, task_id task);

// The firings among these executions whose tasks are parents are to be followed when they end.
void follow_firings(soci::session& sql, protocol::namespace_id name_space, std::vector<new_execution> const& rows);
// The same for an execution that runs a failed firing again.
void follow_rerun(soci::session& sql, execution_id rerun);

} // namespace baton::storage
