#pragma once

#include "libs/base/loop.hpp"
#include "trigger/master/term_scope.hpp"

#include <deque>

namespace baton::trigger {

// Reads the earlier executions of a task, for due executions whose handlers want them as context. Many are read in one
// query; an execution goes on when its context is known. Tasks without context cost nothing. Part of a term.
class past_reader {
public:
    explicit past_reader(term_scope const& scope) : scope_(scope), bell_(scope.loop) {}

    // True if this due execution, which may be sent otherwise, waits here for its context.
    bool keep(open_execution& one);

    awaitable<void> run();

private:
    awaitable<void> read_some();

    term_scope scope_;
    std::deque<execution_id> waiting_;
    waker bell_;
};

} // namespace baton::trigger
