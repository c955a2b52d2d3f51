#include "trigger/master/completions.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"

namespace baton::trigger {

namespace {
constexpr int rows_at_once = 500;
}

void completions::finished(execution_id id, int attempt, protocol::state status)
{
    auto* one = scope_.open.find(id);
    if (one == nullptr && status == protocol::state::succeeded)
        scope_.open.erase(id); // a reading in progress must not take it in
    if (one == nullptr || one->phase == phase::opening)
        return;
    if (one->attempt > attempt && status == protocol::state::succeeded)
        return deps_.queue.ended(id); // an earlier attempt, which was given up, has done it
    if (one->attempt != attempt)
        return;
    auto const next = protocol::after_attempt(status, attempt, one->max_attempts, one->cancel_requested);
    if (next == protocol::state::retrying)
        deps_.next.open(*one, scope_.term.clock.now() + one->task->definition.retry_delay,
                        protocol::attempt_cause::retry);
    else
        deps_.queue.ended(id);
}

awaitable<void> completions::run()
{
    for (;;) {
        try {
            if (scope_.term.time.now() - looked_at_ >= 1s) {
                looked_at_ = scope_.term.time.now();
                deps_.queue.add_all();
            }
            co_await split();
            co_await close();
            co_await resume();
        } catch (unavailable const& reason) {
            log::warn("completions", "following the ends of executions failed, trying again in 1 s",
                      {log::reason(reason.what())});
        }
        co_await deps_.queue.wait_until(scope_.term.time, scope_.term.time.now() + 1s);
    }
}

void completions::replan()
{
    deps_.planner.wake();
    scope_.due_changed.wake();
}

awaitable<void> completions::split()
{
    auto const broadcasts = deps_.queue.to_split();
    for (auto const id : broadcasts)
        co_await split_one(id);
}

// One shard for each live client that serves the handler, durable before any is sent. Without a client it waits.
awaitable<void> completions::split_one(execution_id id)
{
    auto const* parent = scope_.open.find(id);
    if (parent == nullptr) {
        deps_.queue.was_split(id);
        co_return;
    }
    std::vector<storage::new_execution> shards;
    std::vector<open_execution> open_executions;
    auto const& definition = parent->task->definition;
    for (auto const* client : deps_.clients.of_service(definition.service)) {
        if (!client->takes_work() || !client->handlers.contains(definition.handler))
            continue;
        open_execution one = *parent;
        one.id = deps_.ids.make<execution_id>();
        one.parent = id;
        one.phase = phase::waiting;
        one.attempt = 1;
        one.due_at = scope_.term.clock.now();
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
    co_await scope_.term.until_active(transaction_need);
    open_set::reading const seen(scope_.open);
    bool const inserted = co_await scope_.ledger.expand(scope_.term.fence, id, shards);
    deps_.queue.was_split(id);
    if (inserted)
        for (auto& one : open_executions)
            scope_.open.add(std::move(one), seen);
    replan();
}

awaitable<void> completions::close()
{
    auto const asked = deps_.queue.take_parents();
    for (std::size_t begin = 0; begin < asked.size(); begin += rows_at_once) {
        auto const end = std::min(begin + rows_at_once, asked.size());
        std::vector<execution_id> const some(asked.begin() + static_cast<std::ptrdiff_t>(begin),
                                             asked.begin() + static_cast<std::ptrdiff_t>(end));
        co_await scope_.term.until_active(transaction_need);
        auto const closed = co_await scope_.ledger.close_parents(scope_.term.fence, some);
        for (auto const id : closed)
            deps_.queue.ended(id);
    }
}

// Nothing for a definition that this program cannot read: only that task stands still.
std::optional<storage::advance> completions::after_completion(storage::delayed_task const& row)
{
    try {
        auto const task = deps_.book.get(row.id, row.version, row.definition, row.created_at);
        storage::advance step;
        step.id = row.id;
        step.version = row.version;
        step.next = task->timetable->after_completion(row.ended_at);
        step.waiting_for = row.execution;
        return step;
    } catch (invalid_input const& failure) {
        log::error("completions", "a fixed-delay task cannot be read, it will not fire again until it is edited",
                   {log::reason(failure.what()), {"task", row.id.value()}});
        return std::nullopt;
    }
}

awaitable<void> completions::resume()
{
    bool moved = false;
    while (deps_.queue.take_delayed()) {
        auto const ready = co_await scope_.ledger.delayed_ready(rows_at_once);
        std::vector<storage::advance> steps;
        for (auto const& row : ready)
            if (auto const next = after_completion(row))
                steps.push_back(*next);
        if (steps.empty())
            break;
        co_await scope_.term.until_active(transaction_need);
        co_await scope_.ledger.resume_delayed(scope_.term.fence, steps);
        moved = true;
        if (ready.size() == rows_at_once)
            deps_.queue.delayed_remain();
    }
    if (moved)
        replan();
}

} // namespace baton::trigger
