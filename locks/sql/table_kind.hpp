#pragma once
// Locks that are rows of a table, one row for a name. A free lock keeps its row: under contention, rows that come and
// go with each holder caused a deadlock for every second acquisition, and rows that stay caused none.

#include "libs/base/random.hpp"
#include "locks/core/acquisition.hpp"

#include <cstddef>

namespace baton::storage {
class database;
}

namespace baton::lock {

class release_notifier;

// When a waiter may take over a row from a silent holder. Each rule has a table of its own.
enum class expiry_rule {
    record, // when the database's clock says that its time ended: one conditional UPDATE
    // When also the waiter's own clock has seen it silent for all of its time, by comparing what it read: as in the
    // election, no step of the database's clock gives the lock to two holders.
    lease,
};

// `notifier` may be null: waiters poll then.
std::unique_ptr<lock_kind> make_table_kind(expiry_rule rule, storage::database& shared, release_notifier* notifier,
                                           time_source& time, random_source& random);

// Removes the rows that were free for `age`, each only if it is still as it was read. Tokens continue: a new row of a
// removed name starts above the tokens of all removed rows.
awaitable<std::size_t> reap(expiry_rule rule, storage::database& shared, time_source& time, duration age);

} // namespace baton::lock
