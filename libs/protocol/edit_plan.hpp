#pragma once
// An edit of a task: the facts that it starts from and the changes that it makes. libs/storage reads the facts and
// writes the changes; schedule::plan_edit decides. These types never travel on the wire.

#include "libs/base/id.hpp"
#include "libs/protocol/task.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace baton::protocol {

// A firing that has its row in the ledger.
struct recorded_firing {
    enum class state {
        fixed,   // an edit cannot change it
        planned, // by its schedule and not sent yet, so an edit may cancel it
        skipped, // if it is ahead, a person asked for it: an edit plans the firing anew
    };
    execution_id id;
    utc_time scheduled_at;
    state is = state::fixed;
};

// The latest firing of a task, but for those that the edit cancels. A fixed delay counts from its end.
struct last_firing {
    execution_id id;
    bool runs = false; // it is open, or its handler has not returned
    utc_time ended_at; // otherwise
};

// How far planning has come with a task.
struct task_progress {
    utc_time created_at;
    utc_time now;                          // by the database's clock
    std::optional<utc_time> next_fire_at;  // the first firing that is not planned
    std::optional<last_firing> last;       // of a task that the edit makes or leaves a fixed delay, if it is known
    std::vector<recorded_firing> recorded; // from next_fire_at or the line on, whichever is earlier
    std::int64_t firings = 0;              // that count for the maximum
};

struct edit_plan {
    // More firings are overdue than one transaction takes. `insert`, `skipped` and `left_out` are the first of them,
    // and the old definition goes on at `next`, `look` and `firings`. Write these, then plan the edit again.
    bool unfinished = false;
    std::vector<utc_time> insert;  // firings of the old definition, in order
    std::vector<utc_time> skipped; // by its misfire policy, in order
    std::string skip_reason;
    std::vector<utc_time> left_out;   // firings of the old definition that people asked to skip, in order
    std::vector<execution_id> cancel; // planned rows
    std::vector<execution_id> replan; // rows of firings ahead that people asked to skip: they give up their places
    std::optional<utc_time> next;     // the first firing of the new definition
    std::optional<utc_time> look;     // when the planner has to look at the task: not after `next` or its jitter
    std::optional<utc_time> resume;   // in place of `next` if the task has fired as often as it may
    std::int64_t firings = 0;         // that count for the maximum from now on
    bool never_fires = false;         // the new schedule has no firing because of its calendars: refuse it
    int zone_version = 0;             // of the zone database by which this was computed (storage::zone_version)
    bool waits = false;               // for the last inserted firing or, if there is none, for task_progress::last
};

// schedule::plan_edit
using edit_planner = edit_plan (*)(task_definition const* before, task_definition const* after,
                                   task_progress const& progress, utc_time line);

} // namespace baton::protocol
