#pragma once

#include "libs/base/time.hpp"

#include <functional>
#include <memory>
#include <string>

namespace soci {
class session;
}

namespace baton::sim {

// The one SQLite database, in memory, behind a simulated server: one connection, used by one call at a time, whose
// `baton_now_us()` answers what the caller says.
class memory_store {
public:
    using job = std::function<void(soci::session&)>;

    memory_store();
    ~memory_store();

    // Runs the job at the server's time `now`, which stands still meanwhile; in a transaction if asked for. Errors of
    // the database arrive as they do from the real one.
    void run(job const& work, bool in_transaction, utc_time now);

    // Runs the job in a transaction that is then rolled back: what a deadlock does.
    void run_and_lose(job const& work, utc_time now);

    // The SQL text of the first statement that the job sends, with its values in place, and nothing of its effect;
    // empty when that statement only reads. What a server has in hand when its client hangs up.
    std::string first_statement(job const& work, utc_time now);

    // Executes such a text; the rows that it matched, or -1 when it failed.
    int replay(std::string const& text, utc_time now);

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

} // namespace baton::sim
