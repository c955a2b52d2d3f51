#pragma once
// The schedule of a registered task: what its definition means in instants. The one meaning that the planner, the web's
// edits and its forecasts share. Pure; every function may be called from any thread.

#include "libs/protocol/task.hpp"
#include "libs/schedule/schedule.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace baton::schedule {

// A fixed rate counts from start_at, or from the task's creation where there is none.
definition to_definition(protocol::schedule_spec const& spec, utc_time created_at);

// A task's schedule, checked and parsed once: small, to be kept for each task. It belongs to one version of the task.
class firing_plan {
public:
    // Throws invalid_input naming the field of the task's document ("schedule.cron", "schedule.every_ms").
    firing_plan(protocol::task_definition const& task, utc_time created_at);

    // The first firing at or after `from`; for a fixed delay (which nothing has run for yet) `from` or start_at,
    // whichever is later. Nothing if there is none, and always nothing for tasks that only the API starts.
    std::optional<utc_time> first(utc_time from) const;

    // The firings in [from, until) in order, at most `limit`. A fixed delay has none that are known beforehand.
    std::vector<utc_time> between(utc_time from, utc_time until, std::size_t limit) const;

    // Fixed delay: the firing that follows the end of the last run. Nothing for the other kinds.
    std::optional<utc_time> after_completion(utc_time finished) const { return rule_.next_after_completion(finished); }

    kind what() const { return rule_.what(); }

private:
    compiled rule_;
};

// The same for a single question.
std::optional<utc_time> first_firing(protocol::task_definition const& task, utc_time created_at, utc_time from);
std::vector<utc_time> firings(protocol::task_definition const& task, utc_time created_at, utc_time from, utc_time until,
                              std::size_t limit);

// Throws invalid_input, naming the field, for a schedule that means nothing (cron expression, zone, period) or that can
// never fire whatever the time is (nothing between start_at and end_at). It knows no present, so it accepts instants
// that are past.
void check_schedule(protocol::task_definition const& task);

} // namespace baton::schedule
