#pragma once

#include "libs/storage/ledger_rows.hpp"

#include <optional>

namespace baton::trigger {

// Due tasks, in the order of their next firings.
struct due_range {
    storage::due_cursor from;
    utc_time until;
};

// The due tasks that the planner leaves for later, because it cannot plan all of them in time: at most one range. The
// tasks outside of it are planned first, so neither other services' tasks of the same instant wait for it, nor tasks
// that come into the look-ahead later.
class plan_backlog {
public:
    bool empty() const { return !range_; }
    // The range that a pass over all due tasks reads next when it has come to `from`. It leaves the backlog out.
    due_range around(storage::due_cursor from, utc_time due_until) const;
    // A pass begins.
    void begin_pass();
    // The pass has no time left for the tasks from `from` on: they become the backlog, or a part of it. At the first
    // calls of a pass these are only the tasks of the same service that are due at the same instant; then all tasks of
    // a span of time that grows tenfold at each call, so that those just after a herd are not left. Returns where the
    // pass goes on.
    storage::due_cursor leave(storage::due_cursor from, utc_time due_until);

    // Of the backlog, if it is not empty.
    due_range const& range() const { return *range_; }
    void go_on(storage::due_cursor from) { range_->from = from; } // the tasks before it are planned
    void clear() { range_.reset(); }                              // all are planned

private:
    std::optional<due_range> range_;
    storage::due_cursor behind_; // the end of the range, for the pass
    int calls_ = 0;              // of leave() in this pass
};

} // namespace baton::trigger
