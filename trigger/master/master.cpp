#include "trigger/master/master.hpp"

#include "libs/base/log.hpp"

namespace baton::trigger {

using namespace asio::experimental::awaitable_operators;

namespace {
constexpr int rows_of_a_page = 2'000;
constexpr duration begin_again = 20ms;  // after a take-over that the database cut short
constexpr duration clocks_apart = 10ms; // usual limit of the error of the last master's cluster clock
}

master::master(master_settings const& settings, trigger::term const& term, dependencies deps,
               asio::any_io_executor loop)
    : term_(term),
      deps_(deps),
      open_(term_.time),
      due_changed_(loop),
      planned_(loop),
      scope_{term_, deps_.ledger, open_, due_changed_, loop},
      planner_(settings.planner, term_, {deps_.ledger, book_, open_, deps_.ids}, loop,
               [this] {
                   due_changed_.wake();
                   planned_.wake();
               }),
      queue_(open_, loop),
      attempts_(scope_, queue_),
      in_doubt_(scope_, deps_.node, attempts_),
      loader_(scope_, book_, attempts_, in_doubt_),
      assigner_(settings.dispatcher, scope_, {deps_.node, queue_, in_doubt_}),
      completions_(scope_, {queue_, attempts_, planner_, deps_.node.clients, book_, deps_.ids}),
      sweeper_(settings, scope_, {deps_.node, attempts_, in_doubt_, queue_, assigner_, loader_}),
      signals_(settings.planner, scope_, deps_.shared, {planner_, assigner_, loader_, queue_, sweeper_}),
      janitor_(settings.retention, term_, deps_.shared)
{}

awaitable<void> master::run()
{
    bool const ours = co_await begin();
    if (!ours) {
        log::warn("term", "a newer master has raised the fence, this term ends", {{"epoch", term_.epoch()}});
        co_return;
    }
    deps_.log.acts(replayed_);
    co_await (planner_.run() && assigner_.run() && attempts_.run() && in_doubt_.run() && completions_.run() &&
              sweeper_.run() && signals_.run() && janitor_.run() && log_begin());
}

// Waits for the first page of firings, because due executions come before the log of terms, which only people read.
awaitable<void> master::log_begin()
{
    co_await planned_.wait_until(term_.time, term_.time.now() + 1s);
    co_await deps_.log.write_begin(term_.fence);
}

// Tries again if the database fails: the lease is held, and the next try gets a new session. False if a newer master
// has raised the fence.
awaitable<bool> master::begin()
{
    for (;;) {
        try {
            bool const ours = co_await deps_.ledger.raise(term_.fence);
            if (ours)
                co_await take_over();
            co_return ours;
        } catch (unavailable const& reason) {
            log::warn("term", "the take-over failed, trying again in 20 ms",
                      {log::reason(reason.what()), {"epoch", term_.epoch()}});
        }
        co_await term_.time.sleep_for(begin_again);
    }
}

// Loads every open execution before the term does anything else. The last master may have sent those that are past due,
// so these are in doubt.
awaitable<void> master::take_over()
{
    auto const began = term_.time.now();
    replayed_ = 0;
    co_await deps_.node.nodes.refresh();
    co_await deps_.node.clients.refresh();
    storage::open_cursor from;
    for (bool more = true; more;) {
        open_set::reading const seen(open_);
        auto const rows = co_await deps_.ledger.open(utc_time::max(), from, rows_of_a_page);
        auto const now = term_.clock.now();
        for (auto const& row : rows) {
            bool const past_due = row.due_at <= now + clocks_apart + term_.clock.error();
            replayed_ += past_due ? 1 : 0;
            if (past_due)
                loader_.load_in_doubt(row, seen);
            else
                loader_.load(row, seen);
        }
        more = rows.size() == rows_of_a_page;
        if (more)
            from = {rows.back().due_at, rows.back().id};
    }
    log::info("term", "took over the open executions",
              {{"epoch", term_.epoch()},
               {"executions", open_.size()},
               {"past_due", replayed_},
               {"ms", (term_.time.now() - began) / 1ms}});
}

// Null if this attempt is not one that is assigned to a node.
open_execution* master::find_assigned(execution_id execution, int attempt)
{
    auto* found = open_.find(execution);
    bool const assigned = found != nullptr && found->attempt == attempt && found->phase == phase::assigned;
    return assigned ? found : nullptr;
}

protocol::report_answer master::report(protocol::report_request const& report)
{
    bool const of_this_term = report.epoch == term_.epoch(); // assignments of an older term are void
    for (auto const& one : report.delivered) {
        auto* found = of_this_term ? find_assigned(one.execution, one.attempt) : nullptr;
        if (found == nullptr)
            continue;
        if (one.holds == 0)
            open_.move(*found, phase::held, one.client);
        else
            in_doubt_.add(*found,
                          protocol::attempt_cause::client_gone); // which was wrong: the client runs an earlier attempt
    }
    for (auto const& one : report.undelivered) {
        auto* found = of_this_term ? find_assigned(one.execution, one.attempt) : nullptr;
        if (found == nullptr)
            continue;
        if (one.client.empty() || !found->shard_instance.empty())
            attempts_.fail(*found, one.why);
        else
            attempts_.open(*found, term_.clock.now(), protocol::attempt_cause::client_gone);
    }
    for (auto const& one : report.finished)
        completions_.finished(one.execution, one.attempt, one.status);
    protocol::report_answer answer;
    answer.assigned = assigner_.next_number(report.node);
    return answer;
}

} // namespace baton::trigger
