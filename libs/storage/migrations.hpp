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

// A group of tables with a version of its own. Its steps are the files of the folder that is named after the dialect
// and `suffix`.
struct migration_set {
    std::string name; // in schema_version
    std::vector<migration_file> const& files;
    std::string suffix = {};
};

migration_set scheduler_tables();
migration_set lease_tables(); // of SQLite's lease file; elsewhere the lease is one of the scheduler's tables

// Brings the database to this program's version and returns the steps applied, none if it is up to date. Concurrent
// calls exclude each other. Throws schema_mismatch when the database is newer than the program.
awaitable<std::vector<migration_step>> migrate(database& where, migration_set set);

// Throws schema_mismatch unless the database has exactly this program's version. Both functions wait up to five seconds
// for a step that another node may be about to finish.
awaitable<void> check_schema(database& where, migration_set set);

class schema_mismatch : public std::exception {
public:
    explicit schema_mismatch(std::string why) : why_(std::move(why)) {}
    char const* what() const noexcept override { return why_.c_str(); }

private:
    std::string why_;
};

} // namespace baton::storage
