#include "locks/sql/tables.hpp"

namespace baton::lock {

std::vector<storage::migration_file> const& lock_migration_files(); // generated from locks/schema/

storage::migration_set lock_tables()
{
    return {"locks", lock_migration_files()};
}

} // namespace baton::lock
