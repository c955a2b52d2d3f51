#pragma once
// A row lock in the caller's own transaction. COMMIT or ROLLBACK releases it and nothing else does, so a change and its
// lock end together. MySQL and MariaDB; not on Galera, where it locks one node only. Blocks the calling thread.

#include <baton/lock/types.hpp>
#include <chrono>
#include <string>

namespace soci {
class session;
}

namespace baton::lock {

// Inserts the row that lock_row() locks. Call it before the transaction; it does nothing if the row exists. Throws
// std::system_error (lock_errc::unavailable).
void make_row(soci::session& session, std::string const& name);

// Returns true when the open transaction of `session` holds the row. Returns false if another transaction holds it for
// all of `wait` (0: does not wait); the caller's transaction stays open, unless the server has
// innodb_rollback_on_timeout. Throws std::invalid_argument if the row does not exist, and std::system_error if the
// database did not answer (unavailable) or rolled the transaction back (lost).
bool lock_row(soci::session& session, std::string const& name, std::chrono::seconds wait);

} // namespace baton::lock
