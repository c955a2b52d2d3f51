#include "trigger/master/completions.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"

namespace baton::trigger {

namespace {
constexpr int rows_at_once = 500;
}

completions::completions(term& term, storage::ledger& ledger, open_set& open, attempts& next, registry& clients,
                         task_book& book, id_generator& ids, asio::any_io_executor loop, std::function<void()> replan)
    : term_(term),
      ledger_(ledger),
      open_(open),
      next_(next),
      clients_(clients),
      book_(book),
      ids_(ids),
      replan_(std::move(replan)),
      bell_(loop)
{}

void completions::finished(execution_id id, int attempt, protocol::state status)
{
    auto* one = open_.find(id);
    if (one == nullptr && status == protocol::state::succeeded)
        open_.erase(id); // whoever reads it just now must not take it in
    if (one == nullptr || one->phase == phase::opening)
        return;
    if (one->attempt > attempt && status == protocol::state::succeeded)
        return ended(id); // an earlier attempt, which was given up, has done it
    if (one->attempt != attempt)
        return;
    auto const next = protocol::after_attempt(status, attempt, one->max_attempts, one->cancel_requested);
    if (next == protocol::state::retrying)
        next_.open(*one, term_.clock.now() + one->task->definition.retry_delay, protocol::attempt_cause::retry);
    else
        ended(id);
}

void completions::ended(execution_id id)
{
    auto const* one = open_.find(id);
    if (one == nullptr)
        return;
    if (one->parent)
        parents_.insert(*one->parent);
    if (one->task->definition.schedule.kind == protocol::schedule_kind::fixed_delay)
        delayed_ = true;
    bool const news = one->parent || delayed_;
    open_.erase(id);
    if (news)
        bell_.wake();
}

void completions::broadcast(std::vector<execution_id> ids)
{
    for (auto const id : ids)
        if (auto* one = open_.find(id)) {
            open_.move(*one, phase::parent);
            to_split_.insert(id);
        }
    bell_.wake();
}

awaitable<void> completions::run()
{
    for (;;) {
        try {
            if (term_.time.now() - looked_at_ >= 1s) {
                looked_at_ = term_.time.now();
                delayed_ = true;
                open_.each_under_way([&](open_execution& one) {
                    if (one.phase == phase::parent)
                        parents_.insert(one.id);
                });
            }
            co_await split();
            co_await close();
            co_await resume();
        } catch (unavailable const& reason) {
            log::old::warn("following completions: {}", reason.what());
        }
        co_await bell_.wait_until(term_.time, term_.time.now() + 1s);
    }
}

awaitable<void> completions::split()
{
    auto const now = std::vector<execution_id>(to_split_.begin(), to_split_.end());
    for (auto const id : now)
        co_await split_one(id);
}

// One shard for each live client that serves the handler, durable before any is sent. Without a client it waits.
awaitable<void> completions::split_one(execution_id id)
{
    auto const* parent = open_.find(id);
    if (parent == nullptr) {
        to_split_.erase(id);
        co_return;
    }
    std::vector<storage::new_execution> shards;
    std::vector<open_execution> open_executions;
    auto const& definition = parent->task->definition;
    for (auto const* client : clients_.of_service(definition.service)) {
        if (!client->takes_work() || !client->handlers.contains(definition.handler))
            continue;
        open_execution one = *parent;
        one.id = ids_.make<execution_id>();
        one.parent = id;
        one.phase = phase::waiting;
        one.attempt = 1;
        one.due_at = term_.clock.now();
        one.shard_index = static_cast<int>(shards.size());
        one.shard_instance = client->row.instance;
        auto row = storage::make_execution(one.id, one.task->id, one.task->version, definition, one.scheduled_at);
        row.cause = protocol::cause::shard;
        row.parent = id;
        row.shard_index = one.shard_index;
        row.shard_instance = one.shard_instance;
        shards.push_back(std::move(row));
        open_executions.push_back(std::move(one));
    }
    if (shards.empty())
        co_return;
    for (std::size_t i = 0; i < shards.size(); ++i)
        shards[i].shard_total = open_executions[i].shard_total = static_cast<int>(shards.size());
    co_await term_.until_active(transaction_need);
    open_set::reading const seen(open_);
    bool const inserted = co_await ledger_.expand(term_.fence, id, shards);
    to_split_.erase(id);
    if (inserted)
        for (auto& one : open_executions)
            open_.add(std::move(one), seen);
    replan_();
}

awaitable<void> completions::close()
{
    std::vector<execution_id> const asked(parents_.begin(), parents_.end());
    parents_.clear();
    for (std::size_t begin = 0; begin < asked.size(); begin += rows_at_once) {
        auto const end = std::min(begin + rows_at_once, asked.size());
        std::vector<execution_id> const some(asked.begin() + static_cast<std::ptrdiff_t>(begin),
                                             asked.begin() + static_cast<std::ptrdiff_t>(end));
        co_await term_.until_active(transaction_need);
        auto const closed = co_await ledger_.close_parents(term_.fence, some);
        for (auto const id : closed)
            ended(id);
    }
}

// Nothing for a definition that cannot be read, which another version may have written: that one task stands.
std::optional<storage::advance> completions::after_completion(storage::delayed_task const& row)
{
    try {
        auto const task = book_.get(row.id, row.version, row.definition, row.created_at);
        storage::advance step;
        step.id = row.id;
        step.version = row.version;
        step.next = task->timetable->after_completion(row.ended_at);
        step.waiting_for = row.execution;
        return step;
    } catch (invalid_input const& failure) {
        log::old::error("task {} cannot be read: {}", row.id.value(), failure.what());
        return std::nullopt;
    }
}

awaitable<void> completions::resume()
{
    bool moved = false;
    while (delayed_) {
        delayed_ = false;
        auto const ready = co_await ledger_.delayed_ready(rows_at_once);
        std::vector<storage::advance> steps;
        for (auto const& row : ready)
            if (auto const next = after_completion(row))
                steps.push_back(*next);
        if (steps.empty())
            break;
        co_await term_.until_active(transaction_need);
        co_await ledger_.resume_delayed(term_.fence, steps);
        moved = true;
        delayed_ = delayed_ || ready.size() == rows_at_once;
    }
    if (moved)
        replan_();
}

} // namespace baton::trigger
