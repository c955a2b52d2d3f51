#pragma once

#include "libs/base/id.hpp"
#include "libs/base/time.hpp"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace baton::trigger {

// The edits that web has announced and not committed yet, as the signals show them. The firings of such a task from the
// edit's line on wait until the edit is there or is given up, because its commit may be on its way. On the loop only.
class pending_edits {
public:
    // The announcement `which` was read. `line`: no firing before it is touched by the edit.
    void announced(signal_id which, task_id task, utc_time line, instant now);
    // A complete reading found these announcements only: the other edits are committed or given up.
    void keep_only(std::set<signal_id> const& which);

    utc_time first_line() const; // of those that are announced; the end of time if none is
    bool any_of(task_id task) const { return lines_.contains(task); }
    // Must a firing of the task at this instant wait?
    bool hold(task_id task, utc_time at) const;
    // The announcements that have been there for as long as an edit may take.
    std::vector<signal_id> overdue(instant now) const;

private:
    struct announcement {
        task_id task;
        utc_time line;
        instant since;
    };
    std::map<signal_id, announcement> known_;
    std::map<task_id, std::set<std::pair<utc_time, signal_id>>> lines_;
};

} // namespace baton::trigger
