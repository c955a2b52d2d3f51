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
// tasks outside of it are planned first, so those that come into the look-ahead later do not wait for it.
class plan_backlog {
public:
    bool empty() const { return !range_; }
    // What a pass over all due tasks reads next when it has come to `from`: nothing of the backlog.
    due_range around(storage::due_cursor from, utc_time due_until) const;
    // A pass begins.
    void begin_pass();
    // The pass has no time left for the tasks from there on. It goes on behind some of them: it leaves a span that is
    // longer at each call, because what fires after a crowd is found best just behind it, if the crowd is short.
    storage::due_cursor leave(storage::due_cursor from, utc_time due_until);

    // Of the backlog, if it is not empty.
    due_range const& range() const { return *range_; }
    // It is planned up to there, or all of it.
    void go_on(storage::due_cursor from) { range_->from = from; }
    void clear() { range_.reset(); }

private:
    std::optional<due_range> range_;
    duration span_{};
};

} // namespace baton::trigger
