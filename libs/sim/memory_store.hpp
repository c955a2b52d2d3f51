#pragma once
// The data of a simulated database.

#include "libs/base/time.hpp"
#include "libs/sim/session_functions.hpp"

#include <functional>
#include <memory>
#include <string>

namespace baton::sim {

// A SQLite database in memory with one connection, used by one call at a time. `baton_now_us()` returns the time that
// the caller passes, and the SQL functions for sessions and named locks call `functions`.
class memory_store {
public:
    using job = std::function<void(soci::session&)>;

    explicit memory_store(session_functions& functions);
    ~memory_store();

    // Runs the job at the constant server time `now`, optionally in a transaction. Throws the same exceptions as a real
    // database.
    void run(job const& work, bool in_transaction, utc_time now);

    // Runs the job if it only reads; returns false without any effect if it would write.
    bool read(job const& work, utc_time now);

    // Runs the job in a transaction and rolls it back, like a deadlock.
    void run_and_lose(job const& work, utc_time now);

    // The SQL text of the job's first statement with its values in place: the statement that the server still has when
    // its client disconnects. It has no effect on the tables. Empty if that statement only reads and does not touch
    // sessions or named locks.
    std::string first_statement(job const& work, utc_time now);

    // Executes such a text. Returns the number of rows matched, or -1 if it failed.
    int replay(std::string const& text, utc_time now);

    // Replaces all tables by those of another one.
    void copy(memory_store& from);

    std::int64_t changes(); // total number of rows written

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

} // namespace baton::sim
