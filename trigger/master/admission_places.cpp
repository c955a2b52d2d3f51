#include "trigger/master/admission_places.hpp"

namespace baton::trigger {

concurrency_gate::place place_of(open_execution const& one)
{
    auto const& task = one.task->definition;
    return {one.task->id, protocol::key_hash(task.concurrency, one.payload ? *one.payload : task.payload)};
}

utc_time place_in_gate(protocol::task_definition const& task, utc_time due)
{
    bool const newest_counts = task.concurrency.when_full == protocol::when_full::replace;
    return newest_counts ? due : protocol::place_in_line(due, task.priority);
}

utc_time place_in_gate(open_execution const& one)
{
    return place_in_gate(one.task->definition, one.since_due);
}

concurrency_gate::candidate candidate_of(open_execution const& one, bool may_skip)
{
    return {one.id, place_in_gate(one), may_skip, one.forced, one.task->version};
}

bool has_gate(open_execution const& one)
{
    return one.task->definition.concurrency.limit != 0 && !one.parent;
}

limit_tree::member member_of(open_execution const& one, known_task const& holding)
{
    auto const& task = one.task->definition;
    return {one.id,
            one.task->id,
            holding.version,
            holding.definition.rate,
            protocol::service_of(task),
            one.place_in_line(),
            one.broadcast(),
            one.parent.has_value()};
}

} // namespace baton::trigger
