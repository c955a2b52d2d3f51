#include "trigger/master/successor_tasks.hpp"

#include "libs/base/log.hpp"
#include "libs/base/outage.hpp"
#include "libs/storage/write_in_halves.hpp"

#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

namespace baton::trigger {

namespace {
constexpr int looked_at_once = 1'000;                // firings of parents
constexpr std::size_t started_at_once = 500;         // in one transaction, which keeps other writers of SQLite waiting
constexpr duration between_looks_at_parents = 100ms; // while a parent has not ended
constexpr duration between_idle_looks_at_parents = 500ms;
} // namespace

awaitable<void> successor_tasks::run()
{
    for (;;) {
        try {
            refusals_.begin();
            co_await look();
            refusals_.end();
            idle_ = idle_ || refusals_.again() != 0s;
        } catch (unavailable const& reason) {
            log::outage(reason, "successors",
                        "starting the tasks that run after ended executions failed, trying again in 500 ms",
                        {log::reason(reason.what())});
            idle_ = true;
        }
        co_await scope_.term.time.sleep_for(idle_ ? between_idle_looks_at_parents : between_looks_at_parents);
    }
}

// A definition that cannot be read is passed over: only that task stands still. What has no room in its service is
// skipped, since otherwise the executions of a service without clients would fill the memory.
void successor_tasks::start(storage::ended_parent const& parent, storage::successor_task const& child, page_room& room,
                            started& into)
{
    try {
        auto const task = book_.get(child.id, child.version, child.definition, std::nullopt);
        auto const service = protocol::service_of(task->definition);
        storage::follower one{parent.execution,
                              storage::make_execution(ids_.make<execution_id>(), task->id, task->version,
                                                      task->definition, parent.scheduled_at)};
        if (room.left(service) == 0) {
            one.skip_reason = reason_at_bound(task->definition.service);
        } else {
            room.take(service, 1);
            one.row.due_at = scope_.term.clock.now();
            into.open.push_back(make_open_firing(one.row, task));
        }
        into.rows.push_back(std::move(one));
    } catch (invalid_input const& wrong) {
        log::error(
            "successors",
            "the definition of a task that runs after another one cannot be read, the task is not started",
            {log::reason(wrong.what()), {"task", child.id.value()}, {"parent_execution", parent.execution.value()}});
    }
}

awaitable<successor_tasks::children> successor_tasks::children_of(std::vector<storage::ended_parent> const& ended)
{
    std::set<task_id> parents;
    for (auto const& one : ended)
        if (one.succeeded)
            parents.insert(one.task);
    children found;
    if (parents.empty())
        co_return found;
    std::vector<task_id> const asked(parents.begin(), parents.end());
    auto const read = co_await table_.of(asked);
    for (auto const& child : read)
        found.emplace(child.parent, child);
    co_return found;
}

// One transaction, unless the database refuses an execution because of its data.
awaitable<storage::followed> successor_tasks::follow(started const& some, std::set<execution_id>& again)
{
    bool refused = false;
    storage::followed done;
    try {
        done = co_await table_.follow(scope_.term.fence, some.rows, some.over);
    } catch (storage::rejected_data const&) {
        refused = true;
    }
    if (refused)
        co_await follow_in_halves(some, again, done);
    co_return done;
}

// The execution that the database refuses is skipped with the reason, and the others are inserted. If it refuses all,
// which may be its own fault, the parents stay.
awaitable<void> successor_tasks::follow_in_halves(started const& some, std::set<execution_id>& again,
                                                  storage::followed& done)
{
    auto write = [&](std::vector<storage::follower> const& rows) -> awaitable<void> {
        std::vector<execution_id> const none;
        auto part = co_await table_.follow(scope_.term.fence, rows, none);
        done.inserted.insert(done.inserted.end(), part.inserted.begin(), part.inserted.end());
        done.again.merge(part.again);
    };
    auto const inserted = co_await storage::write_in_halves(some.rows, write);
    bool const may_skip = refusals_.accept("successors", inserted);
    std::vector<storage::follower> to_skip;
    for (auto const& [one, why] : inserted.refused) {
        if (!may_skip) {
            again.insert(one.parent);
            continue;
        }
        log::error("successors", "the database refuses an execution that follows another one, it is skipped",
                   {log::reason(why), {"task", one.row.task.value()}, {"parent_execution", one.parent.value()}});
        to_skip.push_back(one);
        to_skip.back().skip_reason = "the database refused it: " + why;
    }
    auto const skipped = co_await storage::write_in_halves(to_skip, write);
    for (auto const& [one, why] : skipped.refused)
        log::error("successors", "the database refuses the record of a skipped execution, too",
                   {log::reason(why), {"task", one.row.task.value()}, {"parent_execution", one.parent.value()}});
    auto over = some.over;
    again.insert(done.again.begin(), done.again.end());
    std::erase_if(over, [&](auto id) { return again.contains(id); });
    std::vector<storage::follower> const none;
    co_await table_.follow(scope_.term.fence, none, over);
}

// The parents in `over` are forgotten with it, so all their successors are in this group or in an earlier one.
// `again`: parents that stay, because a successor could not be inserted yet.
awaitable<void> successor_tasks::write(started& some, std::set<execution_id>& again)
{
    co_await scope_.term.until_active(transaction_need);
    open_set::reading seen_by_others(scope_.open);
    for (auto const& one : some.open)
        seen_by_others.expect(one.id);
    std::erase_if(some.over, [&](auto id) { return again.contains(id); });
    storage::followed done;
    try {
        done = co_await follow(some, again);
    } catch (unavailable const&) { // they may be in the ledger all the same, and no other part has loaded them
        std::vector<execution_id> ids;
        for (auto const& one : some.open)
            ids.push_back(one.id);
        scope_.open.mark_stale(ids);
        throw;
    }
    std::unordered_set<execution_id> const there(done.inserted.begin(), done.inserted.end());
    for (auto& one : some.open)
        if (there.contains(one.id))
            scope_.open.add(std::move(one), seen_by_others);
    again.insert(done.again.begin(), done.again.end());
    some = {};
    scope_.due_changed.wake();
}

awaitable<void> successor_tasks::look()
{
    int seen = 0;
    auto const ended = co_await table_.ended(looked_up_to_, looked_at_once, seen);
    idle_ = seen == 0;
    if (ended.empty())
        co_return;
    auto const after = co_await children_of(ended);
    started some;
    std::set<execution_id> again;
    std::optional<page_room> room{std::in_place, settings_, scope_.open};
    for (auto const& one : ended) {
        auto const [begin, end] = one.succeeded ? after.equal_range(one.task) : std::pair(after.end(), after.end());
        for (auto child = begin; child != end; ++child) {
            start(one, child->second, *room, some);
            if (some.rows.size() < started_at_once)
                continue;
            co_await write(some, again);
            room.emplace(settings_, scope_.open); // which knows of them now
        }
        some.over.push_back(one.execution);
    }
    co_await write(some, again);
}

} // namespace baton::trigger
