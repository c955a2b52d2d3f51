#include "trigger/master/master.hpp"

#include "libs/base/log.hpp"

namespace baton::trigger {

using namespace asio::experimental::awaitable_operators;

namespace {
constexpr int rows_of_a_page = 2'000;
constexpr duration begin_again = 20ms;  // after a take-over that the database cut short
constexpr duration clocks_apart = 10ms; // by which the last master's estimate of the time may have been off, as a rule
}

master::master(settings const& settings, surroundings outside)
    : settings_(settings),
      with_(std::move(outside)),
      open_(with_.term.time),
      planner_(settings.planner, with_.term, {with_.ledger, book_, open_, with_.ids}, with_.loop,
               [this] {
                   assigner_.wake();
                   planned_.wake();
               }),
      attempts_(
          with_.term, with_.ledger, open_, with_.loop, [this] { assigner_.wake(); },
          [this](std::vector<execution_id> ids) { sweeper_.reread(std::move(ids)); }),
      in_doubt_(with_.term, open_, attempts_, with_.clients, with_.stub, with_.nodes, with_.http, with_.loop),
      assigner_(settings.dispatcher, with_.term, open_, with_.nodes, with_.here, with_.stub, with_.http, with_.loop,
                {[this](std::vector<execution_id> ids) { completions_.broadcast(std::move(ids)); },
                 [this](execution_id id) {
                     if (auto* one = open_.find(id); one != nullptr && one->phase == phase::assigned)
                         in_doubt_.add(*one, protocol::attempt_cause::node_gone);
                 },
                 with_.heard, with_.leaving}),
      completions_(with_.term, with_.ledger, open_, attempts_, with_.clients, book_, with_.ids, with_.loop,
                   [this] {
                       planner_.wake();
                       assigner_.wake();
                   }),
      sweeper_(
          settings.planner, settings.dispatcher, settings.clients,
          {with_.term, with_.ledger, open_, attempts_, in_doubt_, completions_, assigner_, with_.clients, with_.nodes},
          [this](storage::open_execution_row const& row, open_set::reading const& seen) { load(row, false, seen); }),
      signals_(
          settings.planner, with_.term, with_.shared, with_.ledger, open_, with_.loop,
          {[this](utc_time limit) { assigner_.may_fire_until(limit); },
           [this](storage::open_execution_row const& row, open_set::reading const& seen) { load(row, false, seen); },
           [this](execution_id id) { completions_.ended(id); },
           [this](std::vector<execution_id> ids) { return sweeper_.cancel(std::move(ids)); },
           [this] {
               planner_.wake();
               assigner_.wake();
           }}),
      janitor_(settings.retention, with_.term, with_.shared),
      planned_(with_.loop)
{
    in_doubt_.on_return([this] { assigner_.trust_replaced(); });
    attempts_.on_ended([this](execution_id id) { completions_.ended(id); });
}

awaitable<void> master::run()
{
    bool const ours = co_await begin();
    if (!ours) {
        log::old::warn("epoch {}: a newer master has raised the fence", with_.term.epoch());
        co_return;
    }
    with_.terms.acts(replayed_);
    co_await (planner_.run() && assigner_.run() && attempts_.run() && in_doubt_.run() && completions_.run() &&
              sweeper_.run() && signals_.run() && janitor_.run() && note_begin());
}

// Not before the first page of firings is planned: what is due comes before what people read of it.
awaitable<void> master::note_begin()
{
    co_await planned_.wait_until(with_.term.time, with_.term.time.now() + 1s);
    co_await with_.terms.write_begin(with_.term.fence);
}

// A session that the last outage broke is no reason to give the term away: the lease is held, and the next try gets a
// new session. False when a newer master has raised the fence.
awaitable<bool> master::begin()
{
    for (;;) {
        try {
            bool const ours = co_await with_.ledger.raise(with_.term.fence);
            if (ours)
                co_await take_over();
            co_return ours;
        } catch (unavailable const& reason) {
            log::old::warn("epoch {}: taking over: {}", with_.term.epoch(), reason.what());
        }
        co_await with_.term.time.sleep_for(begin_again);
    }
}

// What is open comes into memory before anything else happens: what is past due may be out already, and is asked after.
awaitable<void> master::take_over()
{
    auto const began = with_.term.time.now();
    replayed_ = 0;
    co_await with_.nodes.refresh();
    co_await with_.clients.refresh();
    storage::open_cursor from;
    for (bool more = true; more;) {
        open_set::reading const seen(open_);
        auto const rows = co_await with_.ledger.open(utc_time::max(), from, rows_of_a_page);
        auto const now = with_.term.clock.now();
        for (auto const& row : rows) {
            bool const past_due = row.due_at <= now + clocks_apart + with_.term.clock.error();
            replayed_ += past_due ? 1 : 0;
            load(row, past_due, seen);
        }
        more = rows.size() == rows_of_a_page;
        if (more)
            from = {rows.back().due_at, rows.back().id};
    }
    log::old::info("epoch {}: took over {} open executions in {} ms", with_.term.epoch(), open_.size(),
                   (with_.term.time.now() - began) / 1ms);
}

void master::load(storage::open_execution_row const& row, bool may_be_out, open_set::reading const& seen)
{
    if (open_.find(row.id) != nullptr || seen.ended(row.id))
        return;
    try {
        if (!row.unreadable.empty())
            throw invalid_input("", row.unreadable);
        auto task = book_.get(row.task, row.version, row.definition, std::nullopt);
        open_.add(make_open_execution(row, std::move(task)), seen);
    } catch (invalid_input const& failure) {
        log::error("dispatch", "an execution cannot be read, it stays open and is not delivered",
                   {log::reason(failure.what()), {"execution", row.id.value()}, {"task", row.task.value()}});
        return;
    }
    auto& one = *open_.find(row.id);
    if (row.state == protocol::state::retrying)
        attempts_.open(one, row.due_at, protocol::attempt_cause::retry);
    else if (one.broadcast() && row.state == protocol::state::running)
        open_.move(one, phase::parent);
    else if (row.cancel_requested && !may_be_out)
        attempts_.cancel(one);
    else if (may_be_out && !one.broadcast())
        in_doubt_.add(one, protocol::attempt_cause::take_over);
    assigner_.wake();
}

protocol::report_answer master::report(protocol::report_request const& what)
{
    bool const of_this_term = what.epoch == epoch(); // what an older one assigned is void
    for (auto const& one : what.delivered) {
        auto* known = open_.find(one.execution);
        if (!of_this_term || known == nullptr || known->attempt != one.attempt || known->phase != phase::assigned)
            continue;
        if (one.holds == 0)
            open_.move(*known, phase::held, one.client);
        else
            in_doubt_.add(
                *known,
                protocol::attempt_cause::client_gone); // which was not: it runs what was opened anew in its stead
    }
    for (auto const& one : what.undelivered) {
        auto* known = open_.find(one.execution);
        if (!of_this_term || known == nullptr || known->attempt != one.attempt || known->phase != phase::assigned)
            continue;
        if (one.client.empty() || !known->shard_instance.empty())
            attempts_.fail(*known, one.why);
        else
            attempts_.open(*known, with_.term.clock.now(), protocol::attempt_cause::client_gone);
    }
    for (auto const& one : what.finished)
        completions_.finished(one.execution, one.attempt, one.status);
    protocol::report_answer answer;
    answer.assigned = assigner_.next_number(what.node);
    return answer;
}

} // namespace baton::trigger
