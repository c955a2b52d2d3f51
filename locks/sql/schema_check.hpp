#pragma once

#include "locks/sql/tables.hpp"

#include <atomic>

namespace baton::lock {

// Whether the tables of the locks are there and of this version: asked until they were once. Any thread.
class schema_check {
public:
    explicit schema_check(storage::database& in) : in_(in) {}

    // Throws schema_mismatch and unavailable.
    awaitable<void> pass()
    {
        if (!passed_)
            co_await storage::check_schema(in_, lock_tables());
        passed_ = true;
    }

private:
    storage::database& in_;
    std::atomic<bool> passed_ = false;
};

} // namespace baton::lock
