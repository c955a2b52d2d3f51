#pragma once
// Locks that a transaction holds: SELECT ... FOR UPDATE on an existing row, in a session of its own for each holder and
// each waiter. The server queues and wakes waiters. The end of a session releases its lock; the server ends a session
// that is silent for the ttl. MySQL and MariaDB; not on Galera, where it locks one node only.

#include "locks/core/acquisition.hpp"

#include <functional>

namespace baton::storage {
class database;
}

namespace baton::lock {

struct row_kind_deps {
    storage::database& shared; // inserts the rows
    // Opens a database of one session that the server ends after `idle_s` seconds of silence.
    std::function<std::unique_ptr<storage::database>(unsigned idle_s)> open;
    std::size_t most_sessions; // held or waiting at once; further callers are refused until a session is free
    time_source& time;
};

std::unique_ptr<lock_kind> make_row_kind(row_kind_deps deps);

} // namespace baton::lock
