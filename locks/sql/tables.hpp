#pragma once
// The tables of locks in a database, from locks/schema/.

#include "libs/storage/migrations.hpp"

namespace baton::lock {

storage::migration_set lock_tables();

} // namespace baton::lock
