#pragma once
// The late reports of clients about handlers whose executions had ended without them. For .cpp files of this folder.

#include "libs/storage/ledger.hpp"

#include <span>
#include <vector>

namespace soci {
class session;
}

namespace baton::storage {

// The execution has just ended without its handler: a report may come.
void expect_late_report(soci::session& sql, execution_id id, int attempt);

// Keeps those of the results that are late reports; each execution has one at most.
void note_late_reports(soci::session& sql, std::span<result_row const> results);

} // namespace baton::storage
