#pragma once
// What the implementations share: how the lock row is read, and compared by the database's clock. For .cpp files of
// this folder.

#include "libs/lease/lease_store.hpp"
#include "libs/storage/statement.hpp"

namespace baton::lease {

// What differs between MySQL and the SQLite of simulations.
struct dialect {
    storage::fragment now;
    storage::fragment age; // since `update_time`
    storage::fragment utc; // in microseconds
    // The name of the guard's lock, around the bound namespace. Named locks are the server's, not the database's.
    storage::fragment name_begin;
    storage::fragment name_end;
    storage::fragment get_lock;
    storage::fragment release_lock;
    storage::fragment lock_holder;
    storage::fragment connection;
    storage::fragment server; // tells servers apart, wherever a proxy or a cluster leads a session
    storage::fragment kill_query;
    storage::fragment kill;
    storage::fragment kill_end;
};

dialect const& dialect_of(storage::engine engine);

// The columns that every implementation reads, and what they say; not age and expiry.
void select_holder(storage::statement& ask);
lease_row read_holder(storage::row& cells);
// With the age by the database's clock.
void select_lease(storage::statement& ask, dialect const& sql);
lease_row read_lease(storage::row& cells);

// Takes the guard's mark off the row; true when the lease is `owner`'s under `epoch`.
bool clear_guard(soci::session& session, std::string const& name_space, std::string const& owner, std::int64_t epoch);

} // namespace baton::lease
