#include "trigger/master/open_execution.hpp"

#include <utility>

namespace baton::trigger {

namespace {

// A jitter moves a firing behind its instant. A task after another one is due when that has succeeded.
utc_time first_due(storage::open_execution_row const& row, protocol::schedule_spec const& schedule)
{
    if (row.cause == protocol::cause::schedule && schedule.kind != protocol::schedule_kind::after)
        return protocol::due_instant(schedule.firing, row.scheduled_at);
    return row.asked_for() ? row.scheduled_at : row.created_at;
}

} // namespace

open_execution make_open_firing(storage::new_execution const& row, std::shared_ptr<known_task const> task)
{
    open_execution one;
    one.id = row.id;
    one.task = std::move(task);
    one.scheduled_at = row.scheduled_at;
    one.due_at = row.due_at.value_or(row.scheduled_at);
    one.since_due = one.due_at;
    one.max_attempts = row.max_attempts;
    one.scheduled = true;
    return one;
}

open_execution make_open_execution(storage::open_execution_row const& row, std::shared_ptr<known_task const> task)
{
    open_execution one;
    one.id = row.id;
    one.task = std::move(task);
    one.scheduled_at = row.scheduled_at;
    one.due_at = row.due_at;
    one.since_due = first_due(row, one.task->definition.schedule);
    one.attempt = row.attempt;
    one.max_attempts = row.max_attempts;
    one.deaths = row.deaths;
    one.ran = row.runs();
    one.begun = row.begun || row.state == protocol::state::retrying;
    one.out = row.out || one.ran;
    one.stop = row.stop;
    one.noted = row.state == protocol::state::waiting;
    one.cancel_requested = row.cancel_requested;
    one.scheduled = row.cause == protocol::cause::schedule;
    one.forced = row.cause == protocol::cause::forced;
    one.parent = row.parent;
    one.shard_index = row.shard_index;
    one.shard_total = row.shard_total;
    one.shard_instance = row.shard_instance;
    one.last_client = row.last_client;
    one.payload = row.payload;
    return one;
}

storage::unresponsive_attempt make_unresponsive(open_execution const& one, protocol::state state, std::string reason)
{
    storage::unresponsive_attempt out{one.id, one.attempt, one.where, state, std::move(reason)};
    if (one.phase == phase::runs_earlier)
        out.running = one.earlier_attempt;
    return out;
}

namespace {

protocol::past_execution told(std::optional<storage::past_execution> const& one)
{
    protocol::past_execution out;
    if (!one)
        return out;
    out.execution = one->execution;
    out.scheduled_at = to_micros(one->scheduled_at);
    out.ended_at = one->ended_at ? to_micros(*one->ended_at) : 0;
    out.state = one->state;
    return out;
}

void tell_past(open_execution const& execution, protocol::dispatch& work)
{
    auto const& wanted = execution.task->definition.context;
    if (!execution.past)
        return;
    if (wanted.previous)
        work.previous = told(execution.past->previous);
    if (wanted.last_success)
        work.last_success = told(execution.past->last_success);
}

} // namespace

void open_execution::note_failure_told(instant now)
{
    if (std::exchange(failed_attempt, attempt) != attempt)
        failed_since = now;
}

bool open_execution::fails_interrupted() const
{
    auto const& definition = task->definition;
    auto const& classes = definition.retry.final_errors;
    return definition.at_most_once() || std::ranges::find(classes, protocol::interrupted) != classes.end();
}

protocol::assignment make_assignment(open_execution const& execution)
{
    auto const& definition = execution.task->definition;
    protocol::assignment out;
    out.work.execution = execution.id;
    out.work.attempt = execution.attempt;
    out.work.task = execution.task->id;
    out.work.task_name = definition.name;
    out.work.handler = definition.handler;
    out.work.payload = execution.payload ? *execution.payload : definition.payload;
    out.work.scheduled_at = to_micros(execution.scheduled_at);
    out.work.timeout_us = definition.timeout.count();
    out.work.final_errors = definition.retry.final_errors;
    if (definition.at_most_once())
        out.work.final_errors.emplace_back(protocol::interrupted);
    out.work.shard_index = execution.shard_index;
    out.work.shard_total = execution.shard_total;
    tell_past(execution, out.work);
    out.project = definition.project;
    out.service = definition.service;
    out.instance = execution.instance();
    out.routing = out.instance.empty() ? protocol::choice_for(definition.routing) : protocol::client_choice::instance;
    out.tag = definition.route.tag;
    out.once = definition.at_most_once();
    return out;
}

} // namespace baton::trigger
