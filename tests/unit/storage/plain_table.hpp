#pragma once

#include "libs/storage/statement.hpp"
#include "tests/support/stores.hpp"

#include <cstdint>
#include <string>

// A table for tests that need any.
namespace baton::test {

inline void make_table(store& home)
{
    home.exec(home.where().engine == storage::engine::mysql
                  ? "CREATE TABLE t (id BIGINT PRIMARY KEY, v TEXT CHARACTER SET utf8mb4) ENGINE=InnoDB"
                  : "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)");
}

inline void insert(soci::session& sql, std::int64_t id, std::string const& value)
{
    storage::statement(sql, "INSERT INTO t (id, v) VALUES (", id, ", ", value, ")").execute();
}

} // namespace baton::test
