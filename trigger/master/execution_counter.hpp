#pragma once

#include "libs/storage/execution_counts.hpp"
#include "trigger/master/settings.hpp"
#include "trigger/master/slow_watch.hpp"
#include "trigger/master/term.hpp"

#include <cstddef>
#include <map>
#include <optional>

namespace baton::trigger {

// When a minute that ended at `end` and was counted at `counted` is to be counted again; nothing if its counts are
// final. Each minute is counted a second time, because rows may be committed late. A minute with open executions is
// counted again until they have ended, for a day at most, at intervals that double up to an hour. After a take-over the
// minutes before it are counted again, because the new master plans what its predecessor missed.
struct counting {
    utc_time end;
    utc_time counted;
    std::int64_t open = 0;
};
std::optional<utc_time> next_count(counting const& last, utc_time term_began, duration oldest);

// The first minute to count in a cluster without counts: that of its oldest execution of the last hour, so that a new
// cluster does not begin with an hour of nothing. `oldest` may lie ahead, or be missing: then the present minute.
utc_time first_minute(utc_time now, std::optional<utc_time> oldest);

// Counts the executions of each minute from the ledger into `execution_count`, in pieces, on the shared sessions and
// never on the one for decisions. It takes a bounded share of the time, and nothing waits for it: under load the counts
// come later. The present minute is counted while it passes, a few seconds behind. What it counts again, most of which
// has ended by then, it shows to the watch for slow tasks. Part of a term.
class execution_counter {
public:
    execution_counter(retention_settings retention, term& term, storage::database& shared);

    awaitable<void> run();

private:
    // A minute of which the executions before `place` are counted.
    struct walk {
        utc_time minute;
        storage::ledger_place place;
        storage::tallies counts;
    };

    static walk begin(utc_time minute);
    awaitable<void> load();
    awaitable<void> turn();
    // Counts a piece, and notes the tasks that ran for `long_run`. True when it has reached `until`.
    awaitable<bool> advance(walk& one, utc_time until, std::optional<duration> long_run);
    awaitable<void> finish(walk& one);
    awaitable<bool> recount();
    bool has_more() const;
    awaitable<void> forget();
    utc_time now() const { return term_.clock.now(); }

    retention_settings retention_;
    term& term_;
    storage::execution_counts table_;
    slow_watch slow_;
    utc_time began_;                        // the term
    std::optional<walk> present_;           // the first minute that is not counted to its end
    std::optional<walk> again_;             // an earlier one that is being counted again
    std::multimap<utc_time, utc_time> due_; // when to count again, and the minute
    bool shown_ = true;                     // the rows of the present minute have its counts
    instant forget_at_{};
};

} // namespace baton::trigger
