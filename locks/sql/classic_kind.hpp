#pragma once
// The classic form of a record: INSERT takes it and DELETE releases it; an UPDATE takes over a row that a dead holder
// left. It uses the table of records and excludes them. Its tokens continue from the floor that the reaper raises, one
// row for all names, so each grant and each release waits for that row.

#include "libs/base/random.hpp"
#include "locks/core/acquisition.hpp"

namespace baton::storage {
class database;
}

namespace baton::lock {

std::unique_ptr<lock_kind> make_classic_kind(storage::database& shared, time_source& time, random_source& random);

} // namespace baton::lock
