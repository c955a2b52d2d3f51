#pragma once
// Reading the lock row, and its age by the database's clock. For .cpp files of this folder.

#include "libs/lease/lease_store.hpp"
#include "libs/storage/statement.hpp"

namespace baton::lease {

// The columns that every implementation reads, without age and expiry.
void select_holder(storage::statement& ask);
lease_row read_holder(storage::row& cells);
// The same with the age by the database's clock.
void select_lease(storage::statement& ask, soci::session& session);
lease_row read_lease(storage::row& cells);

// Removes the guard's mark from the row. True when the lease is `owner`'s under `epoch`.
bool clear_guard(soci::session& session, std::string const& name_space, std::string const& owner, std::int64_t epoch);

} // namespace baton::lease
