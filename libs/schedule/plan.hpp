#pragma once
// Which firings of a task become rows of the ledger, and where the task goes on: for the master's planner and for
// edits. Both treat late firings by the task's misfire policy (misfire.hpp).

#include "libs/protocol/edit_plan.hpp"
#include "libs/schedule/schedule.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace baton::schedule {

struct task_plan {
    std::vector<utc_time> firings;
    std::vector<utc_time> skipped; // by the misfire policy; at most most_skipped. Without a jitter all before `firings`
    std::vector<utc_time> left_out; // that people asked to skip, before `next`
    std::optional<utc_time> next;   // the first firing behind these, or one that people asked to skip
    std::optional<utc_time>
        look; // when the planner has to look at the task again: before anything from `next` on is due
    std::optional<utc_time> resume; // the task has fired as often as it may; `next` if one of its firings is given back
    bool waits = false;             // fixed delay: the end of this firing decides the next one
};

inline constexpr std::int64_t no_maximum = std::numeric_limits<std::int64_t>::max();

struct plan_bounds {
    utc_time cursor;                // the first firing that is not planned, or an instant between it and the one before
    utc_time now;                   // what is late is decided against this
    utc_time until;                 // no firing that is due at or after this
    std::size_t limit;              // of firings, at least one
    std::int64_t left = no_maximum; // of the task's maximum of firings
    bool by_instant = false;        // `until` bounds the instants of the firings, however much later they are due
};

// A fixed delay has no late firings: its next run counts from the end of the one before. Skipped firings do not count
// for the maximum.
task_plan plan_task(timetable const& times, protocol::misfire_policy const& policy, plan_bounds bounds);

// Once an edit has taken this many overdue firings, it leaves the others to its next transaction.
inline constexpr std::size_t most_overdue = 10'000;

// Takes the firings that people asked to skip into the plan, from bounds.cursor as far as the plan goes: up to
// bounds.until and to its `next`. The next one becomes `next`, if it is earlier. For the functions that make plans.
void add_left_out(timetable const& times, plan_bounds const& bounds, task_plan& plan);

// An edit of a task that takes effect at `line`. Firings before the line belong to the definition `before`, so those
// without a row are inserted. Planned rows at or after the line are cancelled. The definition `after` fires from the
// line on. The misfire policy of `before` decides which of the late firings are inserted.
//
// A fixed delay never overlaps itself: it waits for its last firing while that runs, also while the task is disabled.
// If it was a fixed delay with the same period, its next firing stays at its instant. Otherwise it fires a period after
// the end of its last firing, and not before the line.
//
// `before` is null for a task that is being created, `after` for one that is being deleted. The plan is unfinished if
// more than most_overdue firings are overdue. Throws invalid_input like timetable.
protocol::edit_plan plan_edit(protocol::task_definition const* before, protocol::task_definition const* after,
                              protocol::task_progress const& progress, utc_time line);

// Where a task stands whose zones have other rules from an instant on.
struct zone_progress {
    std::optional<utc_time> cursor;    // the first firing that is not planned, by the old rules
    std::optional<utc_time> resume_at; // in its place if the task has fired as often as it may
    std::optional<utc_time> line;      // from which on the rules are others; none: perhaps ever since `valid_from`
    utc_time valid_from;               // of the definition
    std::optional<utc_time> recorded;  // the last firing before the cursor that has a row
};

struct zone_course {
    bool changes = false; // otherwise the task stays as it is
    std::optional<utc_time> next;
    std::optional<utc_time> look;
    std::optional<utc_time> resume;
};

// `times` has the new rules. Firings before the line are those of the old rules, so a cursor there stays.
zone_course follow_zones(timetable const& times, zone_progress const& progress);

} // namespace baton::schedule
