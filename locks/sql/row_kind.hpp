#pragma once
// Locks that are held by a transaction: SELECT ... FOR UPDATE on a row that was made beforehand, in a session of its
// own for each holder and each waiter. The server wakes who waits. A session that ends takes the lock with it; one that
// is silent for the time of the lock is ended by the server. MySQL and MariaDB; not on Galera, where it locks one node
// only.

#include "locks/core/acquisition.hpp"

#include <functional>

namespace baton::storage {
class database;
}

namespace baton::lock {

struct row_parts {
    storage::database& shared; // makes the rows
    // A database of one session that the server ends when it has been silent for so many seconds.
    std::function<std::unique_ptr<storage::database>(unsigned idle_s)> open;
    std::size_t most_sessions; // held or waiting at once; who comes when all are taken is refused until one is back
    time_source& time;
};

std::unique_ptr<lock_kind> make_row_kind(row_parts parts);

} // namespace baton::lock
