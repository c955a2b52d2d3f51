#include "trigger/master/signals.hpp"

#include "libs/base/log.hpp"

#include <set>
#include <unordered_set>

namespace baton::trigger {

namespace {
constexpr int signals_at_once = 1'000;
constexpr int rows_of_a_task = 100'000;
}

awaitable<void> signal_reader::run()
{
    for (;;) {
        bool more = false;
        try {
            more = co_await round();
        } catch (unavailable const& reason) {
            log::warn("signals", "reading the signals of the web failed, trying again at the next poll",
                      {log::reason(reason.what())});
        }
        if (!more)
            co_await bell_.wait_until(scope_.term.time, scope_.term.time.now() + settings_.poll);
    }
}

awaitable<bool> signal_reader::round()
{
    auto const asked = scope_.term.clock.now();
    auto const found = co_await table_.pending(signals_at_once);
    std::set<task_id> tasks;
    std::vector<execution_id> runs;
    std::vector<execution_id> cancelled;
    std::vector<signal_id> done;
    for (auto const& one : found) {
        done.push_back(one.id);
        if (!one.kind) {
            log::error("signals", "a signal has an unknown kind, deleting it",
                       {{"kind", one.text}, {"signal", one.id.value()}, {"subject", one.subject}});
            continue;
        }
        switch (*one.kind) {
        case protocol::signal_kind::task:
            tasks.insert(task_id{one.subject});
            break;
        case protocol::signal_kind::run:
            runs.emplace_back(one.subject);
            break;
        case protocol::signal_kind::cancel:
            cancelled.emplace_back(one.subject);
            break;
        }
    }
    if (!tasks.empty())
        co_await reload_tasks(tasks);
    bool const more = found.size() == signals_at_once;
    if (!more)
        deps_.assigner.may_fire_until(asked + settings_.edit_lead / 2);
    if (!runs.empty()) {
        open_set::reading const seen(scope_.open);
        auto const rows = co_await scope_.ledger.open_among(runs);
        for (auto const& row : rows)
            deps_.loader.load(row, seen);
    }
    if (!cancelled.empty())
        co_await deps_.sweeper.cancel(cancelled);
    if (!found.empty()) {
        deps_.planner.wake();
        scope_.due_changed.wake();
        co_await table_.remove(done);
    }
    co_return more;
}

// Drops the planned firings that an edit took back, and loads those that it inserted.
awaitable<void> signal_reader::reload_tasks(std::set<task_id> tasks)
{
    std::unordered_set<execution_id> standing;
    for (auto const task : tasks) {
        open_set::reading const seen(scope_.open);
        auto const rows = co_await scope_.ledger.open_of_task(task, rows_of_a_task);
        for (auto const& row : rows) {
            standing.insert(row.id);
            deps_.loader.load(row, seen);
        }
    }
    std::vector<execution_id> missing;
    scope_.open.each([&](open_execution& one) {
        if (one.scheduled && one.phase == phase::waiting && tasks.contains(one.task->id) && !standing.contains(one.id))
            missing.push_back(one.id);
    });
    // The planner may have added some of them since the rows were read, so only a reading that begins now can tell.
    auto const rows = co_await scope_.ledger.open_among(missing);
    std::unordered_set<execution_id> open;
    for (auto const& row : rows)
        open.insert(row.id);
    for (auto const id : missing)
        if (auto const* one = scope_.open.find(id);
            one != nullptr && one->phase == phase::waiting && !open.contains(id))
            deps_.completions.ended(id);
}

} // namespace baton::trigger
