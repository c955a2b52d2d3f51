#include "trigger/master/signals.hpp"

#include "libs/base/log.hpp"

#include <set>
#include <unordered_set>

namespace baton::trigger {

namespace {
constexpr int signals_at_once = 1'000;
constexpr int rows_of_a_task = 100'000;
}

signal_reader::signal_reader(planner_settings settings, term& term, storage::database& shared, storage::ledger& ledger,
                             open_set& open, asio::any_io_executor loop, reactions to)
    : settings_(settings), term_(term), table_(shared), ledger_(ledger), open_(open), to_(std::move(to)), bell_(loop)
{}

awaitable<void> signal_reader::run()
{
    for (;;) {
        bool more = false;
        try {
            more = co_await round();
        } catch (unavailable const& reason) {
            log::old::warn("reading signals: {}", reason.what());
        }
        if (!more)
            co_await bell_.wait_until(term_.time, term_.time.now() + settings_.poll);
    }
}

awaitable<bool> signal_reader::round()
{
    auto const asked = term_.clock.now();
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
        to_.may_fire_until(asked + settings_.edit_lead / 2);
    if (!runs.empty()) {
        open_set::reading const seen(open_);
        auto const rows = co_await ledger_.open_among(runs);
        for (auto const& row : rows)
            to_.load(row, seen);
    }
    if (!cancelled.empty())
        co_await to_.cancel(cancelled);
    if (!found.empty()) {
        to_.replan();
        co_await table_.remove(done);
    }
    co_return more;
}

// Planned firings that an edit took back are dropped, those that it inserted are taken in.
awaitable<void> signal_reader::reload_tasks(std::set<task_id> tasks)
{
    std::unordered_set<execution_id> standing;
    for (auto const task : tasks) {
        open_set::reading const seen(open_);
        auto const rows = co_await ledger_.open_of_task(task, rows_of_a_task);
        for (auto const& row : rows) {
            standing.insert(row.id);
            to_.load(row, seen);
        }
    }
    std::vector<execution_id> missing;
    open_.each([&](open_execution& one) {
        if (one.scheduled && one.phase == phase::waiting && tasks.contains(one.task->id) && !standing.contains(one.id))
            missing.push_back(one.id);
    });
    // The planner may have added some of them since they were read: only a reading begun now can tell.
    auto const rows = co_await ledger_.open_among(missing);
    std::unordered_set<execution_id> open;
    for (auto const& row : rows)
        open.insert(row.id);
    for (auto const id : missing)
        if (auto const* one = open_.find(id); one != nullptr && one->phase == phase::waiting && !open.contains(id))
            to_.dropped(id);
}

} // namespace baton::trigger
