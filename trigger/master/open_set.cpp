#include "trigger/master/open_set.hpp"

namespace baton::trigger {

flight make_flight(storage::open_execution_row const& row, std::shared_ptr<known_task const> task)
{
    flight one;
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
        one.payload = nlohmann::json::parse(*row.payload, nullptr, false);
    return one;
}

protocol::assignment make_assignment(flight const& of)
{
    auto const& definition = of.task->definition;
    protocol::assignment out;
    out.work.execution = of.id.value();
    out.work.attempt = of.attempt;
    out.work.task = of.task->id.value();
    out.work.task_name = definition.name;
    out.work.handler = definition.handler;
    out.work.payload = of.payload ? *of.payload : definition.payload;
    out.work.scheduled_at = to_micros(of.scheduled_at);
    out.work.timeout_us = definition.timeout.count();
    out.work.shard_index = of.shard_index;
    out.work.shard_total = of.shard_total;
    out.service = definition.service;
    out.routing = of.shard_instance.empty() ? std::string(to_string(definition.routing)) : "instance";
    out.instance = of.shard_instance;
    return out;
}

bool open_set::add(flight one, reading const& as_of)
{
    if (as_of.ended(one.id))
        return false;
    auto const [place, added] = flights_.try_emplace(one.id, std::move(one));
    if (!added)
        return false;
    wait(place->second, place->second.due_at);
    return true;
}

void open_set::erase(execution_id id)
{
    under_way_.erase(id);
    flights_.erase(id);
    for (auto* each : readings_)
        each->ended_.insert(id);
}

flight* open_set::find(execution_id id)
{
    auto const found = flights_.find(id);
    return found == flights_.end() ? nullptr : &found->second;
}

void open_set::move(flight& one, phase to, std::string where)
{
    one.phase = to;
    if (to == phase::waiting)
        under_way_.erase(one.id);
    else
        under_way_.emplace(one.id, &one);
    one.where = std::move(where);
    one.since = time_.now();
}

void open_set::wait(flight& one, utc_time due)
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
    for (auto const& [id, one] : flights_)
        if (one.due_at <= now && (one.phase == phase::waiting || one.phase == phase::assigned))
            ++backlog_[one.task->definition.service];
}

} // namespace baton::trigger
