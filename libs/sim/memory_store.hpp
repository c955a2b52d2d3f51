#pragma once

#include "libs/base/time.hpp"
#include "libs/sim/session_functions.hpp"

#include <functional>
#include <memory>
#include <string>

namespace baton::sim {

// The one SQLite database, in memory, behind a simulated server: one connection, used by one call at a time, whose
// `baton_now_us()` answers what the caller says, and whose functions of sessions ask `functions`.
class memory_store {
public:
    using job = std::function<void(soci::session&)>;

    explicit memory_store(session_functions& functions);
    ~memory_store();

    // Runs the job at the server's time `now`, which stands still meanwhile; in a transaction if asked for. Errors of
    // the database arrive as they do from the real one.
    void run(job const& work, bool in_transaction, utc_time now);

    // Runs the job if it only reads; false, and nothing of it has happened, when it wants to write.
    bool read(job const& work, utc_time now);

    // Runs the job in a transaction that is then rolled back: what a deadlock does.
    void run_and_lose(job const& work, utc_time now);

    // The SQL text of the first statement that the job sends, with its values in place, and nothing of its effect on
    // the tables; empty when that statement only reads and does nothing to sessions and their locks. What a server has
    // in hand when its client hangs up.
    std::string first_statement(job const& work, utc_time now);

    // Executes such a text; the rows that it matched, or -1 when it failed.
    int replay(std::string const& text, utc_time now);

    std::int64_t changes(); // rows written so far, by anyone

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

} // namespace baton::sim
