#pragma once

#include "libs/storage/database.hpp"
#include "libs/storage/migration_files.hpp"

#include <string>
#include <vector>

namespace baton::storage {

struct migration_step {
    int number;
    std::string name; // "0001_scheduler"
};

// A group of tables with a version of its own. A step is a file in the folder named after the engine and `suffix`.
struct migration_set {
    std::string name; // in schema_version
    std::vector<migration_file> const& files;
    std::string suffix = {};
};

migration_set scheduler_tables();
migration_set lease_tables(); // SQLite's lease file only; on MySQL the lease is a scheduler table

// Brings the database to this program's version under a lock (named lock on MySQL, the write lock on SQLite) and
// returns the steps applied, none when it is up to date. Throws `schema_mismatch` when the database is newer than the
// program.
awaitable<std::vector<migration_step>> migrate(database& where, migration_set set);

// Throws schema_mismatch unless the database stands exactly at this program's version. Both look again for five seconds
// at what is half done on MySQL: another node may be about to finish it.
awaitable<void> check_schema(database& where, migration_set set);

class schema_mismatch : public std::exception {
public:
    explicit schema_mismatch(std::string why) : why_(std::move(why)) {}
    char const* what() const noexcept override { return why_.c_str(); }

private:
    std::string why_;
};

} // namespace baton::storage
