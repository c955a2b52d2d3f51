#pragma once

#include "libs/storage/terms.hpp"
#include "trigger/election/cluster_clock.hpp"
#include "trigger/election/elector.hpp"

#include <string>

namespace baton::trigger {

// Writes the log of this node's terms for people (`baton nodes --terms`). Nothing waits for it, and its failure ends
// nothing. Lives as long as the process, because the end of a term is written after the term. On the loop only.
class term_log {
public:
    struct identity {
        std::string incarnation;
        std::string name;
    };

    term_log(identity self, storage::database& deciding, storage::database& shared, time_source& time,
             cluster_clock& clock);

    // The lease has been won.
    void won(succession const& by);
    // The master plans from now on.
    void acts();
    // The past-due executions that it took over.
    void replayed(int executions) { present_.replayed = executions; }

    // Tries again until the beginning is written or the fence shows that the term is over. Part of a term.
    awaitable<void> write_begin(storage::fence mine);
    // `last`: the latest time at which the master may have acted.
    awaitable<void> write_end(storage::fence mine, instant last, std::string why);

private:
    utc_time at(instant then) { return clock_.now() - (time_.now() - then); } // by the database's clock

    storage::terms terms_;
    time_source& time_;
    cluster_clock& clock_;
    storage::new_term present_;
};

} // namespace baton::trigger
