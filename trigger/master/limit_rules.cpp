#include "trigger/master/limit_rules.hpp"

namespace baton::trigger {

namespace {

limit_step late_start(open_execution const& one)
{
    if (one.begun || one.parent) // or its broadcast has begun
        return limit_step::none;
    switch (one.phase) {
    case phase::waiting:
        return one.task->definition.limits.late_start == protocol::late_start::skip ? limit_step::skip
                                                                                    : limit_step::fail;
    case phase::assigned:
    case phase::in_doubt:
    case phase::opening:
        return limit_step::look_again;
    case phase::held:
    case phase::runs_earlier:
    case phase::parent:
        break;
    }
    return limit_step::none;
}

limit_step end_of_all(open_execution const& one)
{
    switch (one.phase) {
    case phase::waiting:
        return limit_step::time_out;
    case phase::held:
    case phase::runs_earlier:
        return limit_step::abandon;
    case phase::assigned:
    case phase::in_doubt:
    case phase::opening:
        return limit_step::look_again;
    case phase::parent: // its shards have the same limit
        break;
    }
    return limit_step::none;
}

} // namespace

std::optional<utc_time> limit_of(open_execution const& one, limit_kind kind)
{
    auto const& limits = one.task->definition.limits;
    auto const span = kind == limit_kind::start ? limits.start_within : limits.total;
    return span > 0s ? std::optional(one.since_due + span) : std::nullopt;
}

limit_step step_at_limit(open_execution const& one, limit_kind kind)
{
    return kind == limit_kind::start ? late_start(one) : end_of_all(one);
}

std::string reason_of_limit(open_execution const& one, limit_kind kind)
{
    auto const& limits = one.task->definition.limits;
    if (kind == limit_kind::start)
        return "no client took it within " + std::to_string(limits.start_within / 1ms) + " ms (start_within)";
    return "it did not end within " + std::to_string(limits.total / 1ms) + " ms (total)";
}

} // namespace baton::trigger
