#pragma once
// For .cpp files of this folder.

#include "libs/storage/executions.hpp"

#include <span>

namespace soci {
class session;
}

namespace baton::storage {

// Adds the name of a deleted task, and the service and handler of a version that an edit has replaced, which only the
// history of versions has. Records that need neither cost no statement.
void add_versions(soci::session& sql, std::span<execution_record> records);

} // namespace baton::storage
