#pragma once

#include "locks/sql/tables.hpp"

#include <atomic>

namespace baton::lock {

// Checks that the tables of locks exist in this version, until that succeeds once. Any thread.
class schema_check {
public:
    explicit schema_check(storage::database& database) : database_(database) {}

    // Throws schema_mismatch and unavailable.
    awaitable<void> run()
    {
        if (!passed_)
            co_await storage::check_schema(database_, lock_tables());
        passed_ = true;
    }

private:
    storage::database& database_;
    std::atomic<bool> passed_ = false;
};

} // namespace baton::lock
