#pragma once

#include "libs/storage/database.hpp"

#include <string>
#include <vector>

namespace baton::storage {

struct migration_step {
    int number;
    std::string name; // "0001_scheduler"
};

// Brings the database to this program's version under a lock (named lock on MySQL, the write lock on SQLite) and
// returns the steps applied, none when it is up to date. Throws `schema_mismatch` when the database is newer than the
// program. `set` is "scheduler" for the tables, "lease" for SQLite's lease file.
awaitable<std::vector<migration_step>> migrate(database& where, std::string set);

// Throws schema_mismatch unless the database stands exactly at this program's version. Both look again for five seconds
// at what is half done on MySQL: another node may be about to finish it.
awaitable<void> check_schema(database& where, std::string set);

class schema_mismatch : public std::exception {
public:
    explicit schema_mismatch(std::string why) : why_(std::move(why)) {}
    char const* what() const noexcept override { return why_.c_str(); }

private:
    std::string why_;
};

} // namespace baton::storage
