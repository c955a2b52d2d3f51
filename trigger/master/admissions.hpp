#pragma once

#include "libs/base/loop.hpp"
#include "trigger/master/attempts.hpp"
#include "trigger/master/concurrency_gate.hpp"
#include "trigger/master/term_scope.hpp"

#include <deque>
#include <utility>
#include <vector>

namespace baton::trigger {

// Keeps the concurrency limits of tasks: a due execution goes to a client only if it is admitted. One that waits longer
// than a second is marked in the ledger, and the mark is taken away before it is sent. So a new master knows that no
// client has those that are marked. Part of a term.
class admissions {
public:
    admissions(term_scope const& scope, attempts& next);

    // May this due execution be sent? If not, it waits here until it may, or is skipped.
    bool admit(open_execution& one);

    // It may be under way since before this term began.
    void under_way(open_execution const& one);
    // Its execution has ended, and its handler may still run.
    void still_runs(storage::unresponsive_row const& row, known_task const& task);
    // No client has it, though it may have been sent.
    void absent(open_execution const& one);
    void ended(execution_id id);

    // All open executions are in memory. Before that nothing with a limit is admitted, since an execution that is under
    // way may not be known yet.
    void all_loaded();

    awaitable<void> run();

private:
    void wait_here(open_execution const& one);
    void send(open_execution& one);
    void admitted(std::vector<execution_id> const& ids);
    void carry_out(concurrency_gate::ruling const& ruling);
    awaitable<void> round();
    awaitable<void> cancel_replaced();
    awaitable<void> mark();
    awaitable<void> unmark();
    std::vector<execution_id> to_mark(std::size_t& looked_at);

    term_scope scope_;
    attempts& next_;
    concurrency_gate gate_;
    bool loaded_ = false;
    std::vector<execution_id> early_;                       // were due before all were loaded
    std::deque<std::pair<instant, execution_id>> unmarked_; // wait since then
    std::deque<execution_id> to_unmark_;                    // are admitted
    std::deque<execution_id> to_cancel_;
    waker bell_;
};

} // namespace baton::trigger
