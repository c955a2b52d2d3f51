#pragma once

#include "libs/storage/ledger.hpp"
#include "trigger/master/term.hpp"

#include <vector>

namespace baton::trigger {

// Reads the overdue open executions of the ledger, a bounded number at each call: those that became overdue since the
// last call, and slowly, in turn, all others. Those of a call are read again until they count as seen. Part of a term.
//
// A scan from the beginning meets the index entries of executions that have ended. MySQL purges none of them while a
// session has an older read view, such as a dump. So only the slow look begins there, and it takes a small share of the
// time.
class overdue_look {
public:
    overdue_look(term& of, storage::ledger& ledger) : term_(of), ledger_(ledger) {}

    awaitable<std::vector<storage::open_key>> next();
    // The executions of the last call are in memory.
    void seen();

private:
    struct position {
        storage::open_cursor recent{utc_time{}, {}}; // the recent ones are read up to here
        storage::open_cursor old;                    // the others too, in this turn
        instant old_again_at{};
    };
    awaitable<void> read_recent(std::vector<storage::open_key>& found);
    awaitable<void> read_old(std::vector<storage::open_key>& found);

    term& term_;
    storage::ledger& ledger_;
    position seen_;
    position next_; // once the last call counts as seen
};

} // namespace baton::trigger
