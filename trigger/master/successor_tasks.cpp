#include "trigger/master/successor_tasks.hpp"

#include "libs/base/log.hpp"
#include "libs/base/outage.hpp"

#include <algorithm>
#include <set>

namespace baton::trigger {

namespace {
constexpr int looked_at_once = 1'000;
constexpr duration between_looks = 100ms; // while a parent has not ended
constexpr duration between_idle_looks = 500ms;
} // namespace

awaitable<void> successor_tasks::run()
{
    for (;;) {
        try {
            co_await look();
        } catch (unavailable const& reason) {
            log::outage(reason, "successors", "starting tasks after others failed, trying again in 500 ms",
                        {log::reason(reason.what())});
            idle_ = true;
        }
        co_await scope_.term.time.sleep_for(idle_ ? between_idle_looks : between_looks);
    }
}

// A definition that cannot be read is passed over: only that task stands still.
void successor_tasks::start(storage::ended_parent const& parent, storage::successor_task const& child, started& into)
{
    try {
        auto const task = book_.get(child.id, child.version, child.definition, std::nullopt);
        auto row = storage::make_execution(ids_.make<execution_id>(), task->id, task->version, task->definition,
                                           parent.scheduled_at);
        row.due_at = scope_.term.clock.now();
        into.open.push_back(make_open_firing(row, task));
        into.rows.push_back(std::move(row));
    } catch (invalid_input const& wrong) {
        log::error("successors", "a task that runs after another one cannot be read, it does not run",
                   {log::reason(wrong.what()), {"task", child.id.value()}});
    }
}

awaitable<void> successor_tasks::look()
{
    int seen = 0;
    auto const ended = co_await table_.ended(looked_up_to_, looked_at_once, seen);
    idle_ = seen == 0;
    if (ended.empty())
        co_return;
    std::set<task_id> parents;
    std::vector<execution_id> over;
    for (auto const& one : ended) {
        over.push_back(one.execution);
        if (one.succeeded)
            parents.insert(one.task);
    }
    std::vector<task_id> const asked(parents.begin(), parents.end());
    std::vector<storage::successor_task> children;
    if (!asked.empty())
        children = co_await table_.of(asked);
    started all;
    for (auto const& one : ended)
        for (auto const& child : children)
            if (one.succeeded && child.parent == one.task)
                start(one, child, all);
    co_await scope_.term.until_active(transaction_need);
    open_set::reading seen_by_others(scope_.open);
    for (auto const& one : all.open)
        seen_by_others.expect(one.id);
    auto const inserted = co_await table_.follow(scope_.term.fence, all.rows, over);
    for (auto& one : all.open)
        if (std::ranges::find(inserted, one.id) != inserted.end())
            scope_.open.add(std::move(one), seen_by_others);
    scope_.due_changed.wake();
}

} // namespace baton::trigger
