#pragma once
// When is a task due? libs/schedule computes the answer from the task's schedule (protocol::schedule_spec). Everything
// here is pure: it reads no clock and no table. Every function may be called from any thread.
//
//     schedule.hpp                      the firings of one schedule; the check and the description of a schedule
//     plan.hpp, jitter.hpp, misfire.hpp which firings become executions, and where the task goes on
//     cron.hpp, cron_firings.hpp        cron expressions, and their firings in a time zone
//     clock_notes.hpp                   what a schedule does where the clock changes
//     preview.hpp                       the next firings of a schedule before it is saved, and why they are these
//     window.hpp, calendar.hpp          daily windows; calendar intervals
//     time_zone.hpp, crontab.hpp        IANA time zones; crontab(5) files
//
// Spans of time are half-open everywhere: [from, until). The first instant after `at` is `at + tick`.
//
// To add a kind of schedule, such as the last business day of a month:
//   - libs/protocol/task.hpp and task.cpp: its name and its fields, as they stand in the task's JSON document;
//   - schedule.cpp: what the timetable keeps of these fields, and a case in timetable::first_from_start;
//   - describe.cpp: its description in plain English.
// The planner, edits and forecasts use the timetable only, so they need no change. Forms that list the kinds:
// docs/openapi.yaml, cli/task.cpp, cli/edit_document.cpp, web/ui.
//
// The name of a kind has at most 16 characters (task.schedule_kind on MySQL).
//
// misfire.hpp decides which late firings run; plan.cpp applies it for the master's planner and for edits.

#include "libs/protocol/task.hpp"
#include "libs/schedule/calendar.hpp"
#include "libs/schedule/calendar_filter.hpp"
#include "libs/schedule/cron.hpp"
#include "libs/schedule/time_zone.hpp"
#include "libs/schedule/window.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace baton::schedule {

inline constexpr duration tick{1}; // the resolution of instants

// A schedule that was checked and parsed once. A small value: the planner keeps one for each task. Only one with named
// calendars or with skips has an allocation.
class timetable {
public:
    // A fixed rate and a calendar interval count from start_at, or from `created_at` if the schedule has none. Throws
    // invalid_input with the field of the task's document that is wrong: "schedule.cron", "schedule.hash_seed",
    // "schedule.zone", "schedule.every_ms", "schedule.at", "schedule.days", "schedule.every", "schedule.start_at",
    // "schedule.end_at". Ignores fields that the kind does not use.
    timetable(protocol::schedule_spec const& spec, utc_time created_at);

    // The first firing at or after `from`. For a fixed delay, which has not run yet, that is `from` or start_at,
    // whichever is later. Empty if there is none, and always for kind `api`.
    std::optional<utc_time> first(utc_time from) const;
    // The same in pieces: `steps` is lowered for each change of the calendars that the search passes. Empty as well
    // when it reaches zero; then `from` is where the next piece goes on.
    struct piece {
        utc_time from;
        int steps;
    };
    std::optional<utc_time> first(piece& part) const;

    // The firings in [from, until) in order, at most `limit`. None for a fixed delay: they depend on how long runs
    // take.
    std::vector<utc_time> between(utc_time from, utc_time until, std::size_t limit) const;

    // The firings in [from, until) that people asked to skip, in order. `first` and `between` leave them out.
    std::vector<utc_time> skips_between(utc_time from, utc_time until) const;

    // Fixed delay: one period after `finished`, the end of the previous run. Empty for other kinds.
    std::optional<utc_time> after_completion(utc_time finished) const;

    // The instant at which the firing is due: by its jitter later than the firing.
    utc_time due_at(utc_time firing) const { return protocol::due_instant(firing_, firing); }
    // A fixed delay draws its jitter anew from each end.
    bool has_jitter() const { return firing_.jitter > 0s; }

    protocol::schedule_kind kind() const { return kind_; }

private:
    std::optional<utc_time> first_from_start(utc_time from) const;
    std::optional<utc_time> first_admitted(piece& part) const;
    std::optional<utc_time> before_end(utc_time at) const;

    std::variant<cron, window, calendar> rule_; // cron for the kinds that have no rule
    time_zone zone_;
    duration period_;
    utc_time start_;
    utc_time end_;
    protocol::firing_rules firing_;
    std::shared_ptr<calendar_filter const> calendars_; // null without any, and without skips
    clock_policy policy_;                              // kinds with a zone
    protocol::schedule_kind kind_;
};

static_assert(sizeof(timetable) <= 144);

// Throws invalid_input, naming the field, for a schedule that timetable refuses or that can never fire (no firing
// between start_at and end_at). Knows no present, so it accepts instants in the past.
void check_schedule(protocol::schedule_spec const& spec);

// Gives a schedule whose expression has an H, or that has a jitter, the seed that it lacks: that of the definition
// before the edit, or a new one from project and name.
void complete_schedule(protocol::task_definition& task, protocol::schedule_spec const* before = nullptr);

// The schedule in plain English: "every 5 minutes", "at 02:30 on Monday in Europe/Berlin". Throws like timetable.
std::string describe(protocol::schedule_spec const& spec);

// The part of a description that an expression alone gives: "at 02:30 on Monday".
std::string describe_cron(cron const& expression);

} // namespace baton::schedule
