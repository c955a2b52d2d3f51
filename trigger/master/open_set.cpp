#include "trigger/master/open_set.hpp"

namespace baton::trigger {

open_execution make_open_execution(storage::open_execution_row const& row, std::shared_ptr<known_task const> task)
{
    open_execution one;
    one.id = row.id;
    one.task = std::move(task);
    one.scheduled_at = row.scheduled_at;
    one.due_at = row.due_at;
    one.attempt = row.attempt;
    one.max_attempts = row.max_attempts;
    one.cancel_requested = row.cancel_requested;
    one.scheduled = row.cause == protocol::cause::schedule;
    one.parent = row.parent;
    one.shard_index = row.shard_index;
    one.shard_total = row.shard_total;
    one.shard_instance = row.shard_instance;
    if (row.payload)
        one.payload = protocol::json_text::check(*row.payload, "payload");
    return one;
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
    out.work.shard_index = execution.shard_index;
    out.work.shard_total = execution.shard_total;
    out.service = definition.service;
    out.routing =
        execution.shard_instance.empty() ? protocol::choice_for(definition.routing) : protocol::client_choice::instance;
    out.instance = execution.shard_instance;
    return out;
}

bool open_set::add(open_execution one, reading const& as_of)
{
    if (as_of.ended(one.id))
        return false;
    auto const [place, added] = executions_.try_emplace(one.id, std::move(one));
    if (!added)
        return false;
    wait(place->second, place->second.due_at);
    return true;
}

void open_set::erase(execution_id id)
{
    under_way_.erase(id);
    executions_.erase(id);
    for (auto* each : readings_)
        each->ended_.insert(id);
}

open_execution* open_set::find(execution_id id)
{
    auto const found = executions_.find(id);
    return found == executions_.end() ? nullptr : &found->second;
}

void open_set::move(open_execution& one, phase to, std::string where)
{
    one.phase = to;
    if (to == phase::waiting)
        under_way_.erase(one.id);
    else
        under_way_.emplace(one.id, &one);
    one.where = std::move(where);
    one.since = time_.now();
}

void open_set::wait(open_execution& one, utc_time due)
{
    move(one, phase::waiting);
    one.queued_at = due;
    queue_.put(due, one.id);
}

std::vector<execution_id> open_set::take_due(utc_time now, std::size_t most)
{
    auto due = queue_.take(now, most);
    std::unordered_set<execution_id> seen;
    std::erase_if(due, [&](auto id) {
        auto const* one = find(id);
        return one == nullptr || one->phase != phase::waiting || one->queued_at > now || !seen.insert(id).second;
    });
    return due;
}

std::size_t open_set::backlog(std::string const& service) const
{
    auto const found = backlog_.find(service);
    return found == backlog_.end() ? 0 : found->second;
}

void open_set::count_backlog(utc_time now)
{
    backlog_.clear();
    for (auto const& [id, one] : executions_)
        if (one.due_at <= now && (one.phase == phase::waiting || one.phase == phase::assigned))
            ++backlog_[one.task->definition.service];
}

} // namespace baton::trigger
