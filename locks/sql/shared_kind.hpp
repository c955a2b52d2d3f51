#pragma once
// Locks in a database that several may hold at once: readers beside each other, holders of permits.

#include "libs/base/random.hpp"
#include "locks/core/acquisition.hpp"

#include <cstddef>

namespace baton::storage {
class database;
}

namespace baton::lock {

class release_notifier;

// `hint` may be null: then who waits looks from time to time only.
std::unique_ptr<lock_kind> make_shared_kind(shared_kind_spec const& what, storage::database& shared,
                                            release_notifier* hint, time_source& time, random_source& random);

// Removes holders that expired `age` ago, and names that nobody has held for so long. Tokens go on, as for records.
awaitable<std::size_t> reap_shared(storage::database& shared, time_source& time, duration age);

} // namespace baton::lock
