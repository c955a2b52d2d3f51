#pragma once
// The classic form of a record: INSERT takes it, DELETE gives it back, and only one that a dead holder has left is
// updated. It is in the table of the records and excludes them; its tokens go on by the floor that the reaper raises,
// one row for all names, for which each grant and each release therefore waits.

#include "libs/base/random.hpp"
#include "locks/core/acquisition.hpp"

namespace baton::storage {
class database;
}

namespace baton::lock {

std::unique_ptr<lock_kind> make_classic_kind(storage::database& shared, time_source& time, random_source& random);

} // namespace baton::lock
