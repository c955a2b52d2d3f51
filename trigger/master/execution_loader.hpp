#pragma once

#include "trigger/master/task_book.hpp"
#include "trigger/master/term_scope.hpp"

#include <functional>

namespace baton::trigger {

// Takes open rows of the ledger into memory and starts the step that is next for each. Part of a term.
class execution_loader {
public:
    // The steps that may be next for an execution that does not just wait. Given by the composition of the term.
    struct steps {
        std::function<void(open_execution&, utc_time due)> retry;
        std::function<void(open_execution&)> cancel;
        std::function<void(open_execution&)> doubt;
        std::function<void(open_execution&)> wait;
        std::function<void(open_execution const&)> under_way;
    };
    execution_loader(term_scope const& scope, task_book& book, steps given)
        : scope_(scope), book_(book), steps_(std::move(given))
    {}

    // `seen` began before the row was read. Does nothing if the execution is known, has ended since, or must be read
    // again. True if it was taken in.
    bool load(storage::open_execution_row const& row, open_set::reading const& seen);

    // Judges whether an earlier master may have sent an execution, whichever part of the term loads it, and whenever.
    using judge = std::function<bool(storage::open_execution_row const&)>;
    void begin_take_over(judge maybe_sent) { maybe_sent_ = std::move(maybe_sent); }

private:
    term_scope scope_;
    task_book& book_;
    steps steps_;
    judge maybe_sent_;
};

} // namespace baton::trigger
