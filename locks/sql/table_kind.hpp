#pragma once
// Locks that are rows of a table, one a name, kept when they are free. (Rows that come and go with each holder gave a
// deadlock for every second acquisition under contention; a row that stays, none.)

#include "libs/base/random.hpp"
#include "locks/core/acquisition.hpp"

#include <cstddef>

namespace baton::storage {
class database;
}

namespace baton::lock {

class release_notifier;

enum class expiry_rule {
    // Taken by one conditional UPDATE, when it is free or expired by the database's clock.
    record,
    // Taken by comparing what was read, and from a holder only when also the own clock has seen it silent for as long
    // as
    // its time lasts: as in the election, no step of the database's clock gives it to two.
    lease,
};

// `hint` may be null: then who waits looks from time to time.
std::unique_ptr<lock_kind> make_table_kind(expiry_rule how, storage::database& shared, release_notifier* hint,
                                           time_source& time, random_source& random);

// Removes the rows that nobody has held for `age`, each on the condition that it is as it was read. Tokens go on: what
// comes again under a name begins above all that were removed.
awaitable<std::size_t> reap(expiry_rule how, storage::database& shared, time_source& time, duration age);

} // namespace baton::lock
