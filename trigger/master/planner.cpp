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

void plan_task(storage::due_task const& due, std::shared_ptr<known_task const> task, utc_time horizon,
               std::size_t limit, id_generator& ids, page_plan& out)
{
    storage::advance step;
    step.id = due.id;
    step.version = due.version;
    step.seen = due.next_fire_at;
    bool const delayed = task->plan->what() == schedule::kind::fixed_delay;
    std::vector<utc_time> firings{due.next_fire_at};
    if (!delayed)
        firings = task->plan->between(due.next_fire_at, horizon + duration{1}, limit);
    for (auto const at : firings) {
        auto row = storage::make_execution(ids.make<execution_id>(), task->id, task->version, task->definition, at);
        out.open_executions.push_back(make_open_execution(task, row));
        if (delayed)
            step.waiting_for = row.id;
        out.executions.push_back(std::move(row));
    }
    if (!delayed)
        step.next = task->plan->first((firings.empty() ? due.next_fire_at : firings.back()) + duration{1});
    out.tasks.push_back(std::move(step));
}

planner::planner(planner_settings settings, term& term, storage::ledger& ledger, task_book& book, open_set& open,
                 id_generator& ids, asio::any_io_executor loop, std::function<void()> planned)
    : settings_(settings),
      term_(term),
      ledger_(ledger),
      book_(book),
      open_(open),
      ids_(ids),
      bell_(loop),
      planned_(std::move(planned))
{}

awaitable<void> planner::run()
{
    for (;;) {
        try {
            co_await round();
        } catch (unavailable const& reason) {
            // A commit without an answer may have happened: the sweep finds its rows, which are due later.
            log::old::warn("planning: {}", reason.what());
            behind_ = false;
        }
        // Much to plan is planned in more and smaller rounds.
        auto const pause = behind_ ? 1ms : settings_.look_ahead / (planned_in_round_ > rows_limit ? 20 : 5);
        co_await bell_.wait_until(term_.time, term_.time.now() + pause);
    }
}

awaitable<void> planner::round()
{
    behind_ = false;
    planned_in_round_ = 0;
    storage::due_cursor from;
    bool more = true;
    while (more && open_.size() < settings_.open_limit) {
        co_await term_.until_active(transaction_need);
        auto const now = term_.clock.now(); // anew for each page, of which there may be many
        more = co_await page({now + settings_.look_ahead / 2, now + settings_.look_ahead}, from);
        planned_();
    }
}

awaitable<bool> planner::page(reach ahead, storage::due_cursor& from)
{
    auto const begin = from;
    auto const due = co_await ledger_.due(ahead.take, begin, static_cast<int>(settings_.page));
    auto plan = prepare(due, ahead, from);
    if (!plan.tasks.empty()) {
        open_set::reading const seen(open_); // the sweeper may be quicker than the answer
        bool const done = co_await ledger_.plan(term_.fence, plan.tasks, plan.executions);
        if (!done) { // somebody edited one of them: look again
            from = begin;
            co_return true;
        }
        planned_in_round_ += plan.executions.size();
        for (auto& one : plan.open_executions)
            open_.add(std::move(one), seen);
    }
    bool const all_taken = due.empty() || from.id == due.back().id;
    co_return !all_taken || due.size() == settings_.page;
}

page_plan planner::prepare(std::vector<storage::due_task> const& due, reach ahead, storage::due_cursor& from)
{
    page_plan plan;
    for (auto const& row : due) {
        if (plan.executions.size() >= rows_limit)
            break;
        from = {row.next_fire_at, row.id};
        try {
            auto const task = book_.get(row.id, row.version, row.definition, row.created_at);
            if (open_.backlog(task->definition.service) >= settings_.overdue_limit)
                continue; // nobody takes what is due of this service: the task keeps its place
            auto const room = std::min(settings_.firings_of_a_task, rows_limit - plan.executions.size());
            plan_task(row, task, ahead.plan, room, ids_, plan);
            behind_ = behind_ || (plan.tasks.back().next && *plan.tasks.back().next <= ahead.take);
        } catch (invalid_input const& failure) {
            log::old::error("task {} cannot be planned: {}", row.id.value(), failure.what());
        }
    }
    return plan;
}

} // namespace baton::trigger
