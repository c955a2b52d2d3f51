#include "libs/schedule/task_schedule.hpp"

#include "libs/base/error.hpp"

namespace baton::schedule {

namespace {

// "At or after" is "after the microsecond before"; the very first microsecond has none before it.
utc_time just_before(utc_time at)
{
    return at == utc_time::min() ? at : at - duration{1};
}

// The document calls the period every_ms.
compiled compile_task(protocol::task_definition const& task, utc_time created_at)
{
    try {
        return compile(to_definition(task.schedule, created_at));
    } catch (invalid_input const& wrong) {
        if (wrong.field() == "schedule.period")
            throw invalid_input("schedule.every_ms", wrong.what());
        throw;
    }
}

kind to_kind(protocol::schedule_kind which)
{
    switch (which) {
    case protocol::schedule_kind::cron:
        return kind::cron;
    case protocol::schedule_kind::fixed_rate:
        return kind::fixed_rate;
    case protocol::schedule_kind::fixed_delay:
        return kind::fixed_delay;
    case protocol::schedule_kind::once:
        return kind::once;
    case protocol::schedule_kind::api:
        break;
    }
    return kind::api;
}

} // namespace

definition to_definition(protocol::schedule_spec const& spec, utc_time created_at)
{
    definition result;
    result.what = to_kind(spec.kind);
    result.cron = spec.cron;
    result.zone = spec.zone;
    result.period = spec.every;
    result.start_at = spec.kind == protocol::schedule_kind::once ? spec.at : spec.start_at;
    if (spec.kind == protocol::schedule_kind::fixed_rate && !spec.start_at)
        result.start_at = created_at;
    result.end_at = spec.end_at;
    return result;
}

firing_plan::firing_plan(protocol::task_definition const& task, utc_time created_at)
    : rule_(compile_task(task, created_at))
{}

std::optional<utc_time> firing_plan::first(utc_time from) const
{
    return what() == kind::fixed_delay ? rule_.first(from) : rule_.next(just_before(from));
}

std::vector<utc_time> firing_plan::between(utc_time from, utc_time until, std::size_t limit) const
{
    return rule_.between(just_before(from), just_before(until), limit);
}

std::optional<utc_time> first_firing(protocol::task_definition const& task, utc_time created_at, utc_time from)
{
    return firing_plan(task, created_at).first(from);
}

std::vector<utc_time> firings(protocol::task_definition const& task, utc_time created_at, utc_time from, utc_time until,
                              std::size_t limit)
{
    return firing_plan(task, created_at).between(from, until, limit);
}

void check_schedule(protocol::task_definition const& task)
{
    auto const& spec = task.schedule;
    auto const rule = compile_task(task, utc_time{}); // as if created at the epoch: before every end
    if (spec.start_at && spec.end_at && !rule.first(*spec.start_at - duration{1}))
        throw invalid_input("schedule.end_at", "this schedule never fires between schedule.start_at and its end");
}

} // namespace baton::schedule
