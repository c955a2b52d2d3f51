#include "trigger/master/planner.hpp"

#include "libs/base/log.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

constexpr std::size_t rows_limit = 2'000; // of executions a transaction: short enough for a shared SQLite file

open_execution make_open_execution(std::shared_ptr<known_task const> task, storage::new_execution const& row)
{
    open_execution one;
    one.id = row.id;
    one.task = std::move(task);
    one.scheduled_at = row.scheduled_at;
    one.due_at = row.scheduled_at;
    one.max_attempts = row.max_attempts;
    one.scheduled = true;
    return one;
}

} // namespace

void add_to_page(storage::due_task const& due, std::shared_ptr<known_task const> task, schedule::task_plan const& plan,
                 id_generator& ids, page_plan& page)
{
    storage::advance step;
    step.id = due.id;
    step.version = due.version;
    step.seen = due.next_fire_at;
    step.next = plan.next;
    for (auto const at : plan.firings) {
        auto row = storage::make_execution(ids.make<execution_id>(), task->id, task->version, task->definition, at);
        page.open_executions.push_back(make_open_execution(task, row));
        if (plan.waits)
            step.waiting_for = row.id;
        page.executions.push_back(std::move(row));
    }
    page.tasks.push_back(std::move(step));
}

planner::planner(planner_settings settings, term& term, planner_parts parts, asio::any_io_executor loop,
                 std::function<void()> planned)
    : settings_(settings), term_(term), parts_(parts), waker_(loop), planned_(std::move(planned))
{}

awaitable<void> planner::run()
{
    for (;;) {
        try {
            co_await round();
        } catch (unavailable const& failure) {
            // The commit may have happened although no answer came: the sweep finds its rows, which are due later.
            log::warn("planner", "planning failed, trying again in the next round", {log::reason(failure.what())});
            behind_ = false;
        }
        // After a large round the next one comes sooner, and so is smaller.
        auto const pause = behind_ ? 1ms : settings_.look_ahead / (planned_in_round_ > rows_limit ? 20 : 5);
        co_await waker_.wait_until(term_.time, term_.time.now() + pause);
    }
}

awaitable<void> planner::round()
{
    behind_ = false;
    planned_in_round_ = 0;
    storage::due_cursor from;
    bool more = true;
    while (more && parts_.open.size() < settings_.open_limit) {
        co_await term_.until_active(transaction_need);
        auto const now = term_.clock.now(); // again for each page, since a round may have many
        look_ahead const ahead{now + settings_.look_ahead / 2, now + settings_.look_ahead};
        more = co_await page(ahead, from);
        planned_();
    }
}

awaitable<bool> planner::page(look_ahead ahead, storage::due_cursor& from)
{
    auto const begin = from;
    auto const due = co_await parts_.ledger.due(ahead.due_until, begin, static_cast<int>(settings_.page));
    auto plan = prepare(due, ahead, from);
    if (!plan.tasks.empty()) {
        open_set::reading const seen(parts_.open); // the sweeper may read the new rows before this answer comes
        bool const done = co_await parts_.ledger.plan(term_.fence, plan.tasks, plan.executions);
        if (!done) { // an edit changed one of the tasks: read the page again
            from = begin;
            co_return true;
        }
        planned_in_round_ += plan.executions.size();
        for (auto& one : plan.open_executions)
            parts_.open.add(std::move(one), seen);
    }
    bool const all_taken = due.empty() || from.id == due.back().id;
    co_return !all_taken || due.size() == settings_.page;
}

page_plan planner::prepare(std::vector<storage::due_task> const& due, look_ahead ahead, storage::due_cursor& from)
{
    page_plan page;
    for (auto const& row : due) {
        if (page.executions.size() >= rows_limit)
            break;
        from = {row.next_fire_at, row.id};
        try {
            auto const task = parts_.book.get(row.id, row.version, row.definition, row.created_at);
            if (parts_.open.backlog(task->definition.service) >= settings_.overdue_limit)
                continue; // no client takes the service's overdue work: the task keeps its place
            auto const room = std::min(settings_.firings_of_a_task, rows_limit - page.executions.size());
            auto const plan = schedule::plan_task(*task->timetable, row.next_fire_at, ahead.plan_until, room);
            add_to_page(row, task, plan, parts_.ids, page);
            behind_ = behind_ || (plan.next && *plan.next < ahead.due_until);
        } catch (invalid_input const& failure) {
            log::error("planner", "a task cannot be planned; it stays due until it is edited",
                       {log::reason(failure.what()), {"task", row.id.value()}});
        }
    }
    return page;
}

} // namespace baton::trigger
