#pragma once
// The columns of a task that serve its maximum of firings and its jitter. For .cpp files of this folder.

#include "libs/storage/rows.hpp"

#include <optional>
#include <vector>

namespace baton::storage {

// Writes what advance::state says of these tasks, whose versions were checked in the same transaction.
void advance_firing_states(soci::session& sql, std::vector<advance> const& tasks);

// Gives back to their tasks the firings among these executions that have not been sent, because they are about to be
// skipped. skipped_runs::left: those of tasks that another transaction has locked, which must not be skipped.
skipped_runs give_back_unsent(soci::session& sql, std::vector<execution_id> const& ids);

} // namespace baton::storage
