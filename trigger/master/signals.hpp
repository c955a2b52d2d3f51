#pragma once

#include "libs/base/loop.hpp"
#include "libs/storage/ledger.hpp"
#include "libs/storage/signals.hpp"
#include "trigger/master/open_set.hpp"
#include "trigger/master/term.hpp"
#include "trigger/settings.hpp"

#include <functional>
#include <set>

namespace baton::trigger {

// Reads what web did (edits, runs, cancellations): at once when told, and a few times a second anyway. Each reading
// that found nothing new allows firing up to half an edit's lead beyond it: an edit is committed within the first half
// of its lead, so a firing that it took back cannot go out before this master has read of it. Part of a term.
class signal_reader {
public:
    struct reactions {
        std::function<void(utc_time)> may_fire_until;
        std::function<void(storage::open_execution_row const&, open_set::reading const&)> load;
        std::function<void(execution_id)> dropped; // a planned firing was taken back
        std::function<awaitable<void>(std::vector<execution_id>)> cancel;
        std::function<void()> replan;
    };

    signal_reader(planner_settings settings, term& term, storage::database& shared, storage::ledger& ledger,
                  open_set& open, asio::any_io_executor loop, reactions to);

    awaitable<void> run();
    void wake() { bell_.wake(); }

private:
    awaitable<bool> round(); // true: there may be more
    awaitable<void> reload_tasks(std::set<task_id> tasks);

    planner_settings settings_;
    term& term_;
    storage::signals table_;
    storage::ledger& ledger_;
    open_set& open_;
    reactions to_;
    waker bell_;
};

} // namespace baton::trigger
