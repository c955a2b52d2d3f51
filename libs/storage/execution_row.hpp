#pragma once
// Rows of the ledger as people see them. For .cpp files of this folder.

#include "libs/storage/executions.hpp"

#include <vector>

namespace soci {
class session;
}

namespace baton::storage {

// Those of these executions that exist, in any order.
std::vector<execution_record> read_executions(soci::session& sql, std::vector<execution_id> const& ids);

} // namespace baton::storage
