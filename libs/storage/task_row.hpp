#pragma once
// The row of a task, as `tasks` and `executions` read and write it. For .cpp files of this folder.

#include "libs/storage/rows.hpp"
#include "libs/storage/statement.hpp"
#include "libs/storage/tasks.hpp"

#include <optional>
#include <string>

namespace baton::storage {

struct stored_task {
    task_record record;
    std::optional<execution_id> waiting_for;
    std::optional<int> counted_since{}; // version
};

void select_task_columns(statement& ask); // "SELECT …" of the table `task`
void select_task(statement& ask);         // "SELECT … FROM task WHERE "
stored_task read_task(row& cells);
std::optional<stored_task> find_task(soci::session& sql, protocol::namespace_id name_space, task_id id, bool lock);

// The definition as JSON text. Throws invalid_input when it is not valid UTF-8.
std::string document(protocol::task_definition const& definition);

// The version from which the firings of the task count for its maximum, if it has one. `before`: so far.
std::optional<int> counted_since(std::optional<int> before, task_record const& task);

void insert_labels(soci::session& sql, task_id task, protocol::labels const& labels);
void delete_labels(soci::session& sql, task_id task);

void insert_version(soci::session& sql, task_record const& task, std::string const& action, utc_time valid_from,
                    utc_time now);

} // namespace baton::storage
