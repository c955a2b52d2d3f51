#pragma once
// For .cpp files of this folder.

#include "libs/storage/executions.hpp"

#include <optional>
#include <span>
#include <string>

namespace soci {
class session;
}

namespace baton::storage {

// Adds the name of a deleted task, and the service and handler of a version that an edit has replaced, which only the
// history of versions has. Records that need neither cost no statement.
void add_versions(soci::session& sql, std::span<execution_record> records);

// The payload in the stored definition of a task, as JSON text. Empty if the text is not a definition.
std::optional<std::string> payload_of_definition(std::string const& definition);

} // namespace baton::storage
