#pragma once
// A row lock in a transaction of your own: it is released with your COMMIT or ROLLBACK, and by nothing else, so what
// you changed under it and the lock go together. MySQL and MariaDB; not on Galera, where it locks one node only.

#include <baton/lock/types.hpp>
#include <chrono>
#include <string>

namespace soci {
class session;
}

namespace baton::lock {

// Makes the row that lock_row() will lock, on its own; once for each name, before the transaction. Makes nothing when
// it is there. Throws std::system_error (lock_errc::unavailable).
void make_row(soci::session& session, std::string const& name);

// True when the transaction that is open on `session` holds the row of this name; false when another held it for as
// long as `wait` (0: not waited at all), and your transaction goes on (unless the server has
// innodb_rollback_on_timeout). Throws std::invalid_argument when there is no such row, std::system_error when the
// database did not answer (unavailable) or has rolled your transaction back (lost).
bool lock_row(soci::session& session, std::string const& name, std::chrono::seconds wait);

} // namespace baton::lock
