#pragma once
// The zones that a task reads, inside the transaction that saves it. For .cpp files of this folder.

#include "libs/protocol/task.hpp"
#include "libs/protocol/term_id.hpp"
#include "libs/storage/statement.hpp"

#include <set>
#include <string>

namespace baton::storage {

// Those of the schedule and of its calendars, but UTC, which has no rules that change.
std::set<std::string> zones_of(protocol::task_definition const& definition);

// Replaces what is recorded for the task; `before` is null for a new one, `after` for one that is deleted. `version`:
// of the database by which its next firing was computed (edit_plan::zone_version).
void write_zones(soci::session& sql, protocol::namespace_id name_space, task_id task,
                 protocol::task_definition const* before, protocol::task_definition const* after, int version);

} // namespace baton::storage
