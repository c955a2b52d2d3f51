#pragma once
// Locks in a database that several holders may have at once: readers and holders of permits.

#include "libs/base/random.hpp"
#include "locks/core/acquisition.hpp"

#include <cstddef>

namespace baton::storage {
class database;
}

namespace baton::lock {

class release_notifier;

// `notifier` may be null: waiters poll then.
std::unique_ptr<lock_kind> make_shared_kind(shared_kind_spec const& spec, storage::database& shared,
                                            release_notifier* notifier, time_source& time, random_source& random);

// Removes holders that expired `age` ago, and names that were free for `age`. Tokens continue, as for records.
awaitable<std::size_t> reap_shared(storage::database& shared, time_source& time, duration age);

} // namespace baton::lock
