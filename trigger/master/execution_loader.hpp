#pragma once

#include "trigger/master/attempts.hpp"
#include "trigger/master/in_doubt_resolver.hpp"
#include "trigger/master/task_book.hpp"
#include "trigger/master/term_scope.hpp"

namespace baton::trigger {

// Takes open rows of the ledger into memory and starts the step that is next for each. Part of a term.
class execution_loader {
public:
    execution_loader(term_scope const& scope, task_book& book, attempts& next, in_doubt_resolver& in_doubt)
        : scope_(scope), book_(book), next_(next), in_doubt_(in_doubt)
    {}

    // `seen` began before the row was read. Does nothing if the execution is known, or has ended since.
    void load(storage::open_execution_row const& row, open_set::reading const& seen) { add(row, false, seen); }
    // For a take-over: the last master may have sent this execution.
    void load_in_doubt(storage::open_execution_row const& row, open_set::reading const& seen) { add(row, true, seen); }

private:
    void add(storage::open_execution_row const& row, bool maybe_sent, open_set::reading const& seen);

    term_scope scope_;
    task_book& book_;
    attempts& next_;
    in_doubt_resolver& in_doubt_;
};

} // namespace baton::trigger
