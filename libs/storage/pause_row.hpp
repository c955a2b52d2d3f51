#pragma once
// The rows of `pause`. For .cpp files of this folder.

#include "libs/protocol/pause.hpp"
#include "libs/storage/statement.hpp"

namespace baton::storage {

void select_pauses(statement& ask); // "SELECT … FROM pause WHERE "
protocol::pause read_pause(row& cells);

} // namespace baton::storage
