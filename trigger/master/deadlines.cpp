#include "trigger/master/deadlines.hpp"

#include "libs/base/log.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

constexpr std::size_t deadlines_at_once = 200;
constexpr duration deadline_pause = 1s; // if no client is known to have the execution, or ending it failed
constexpr duration usual_stop = 500ms;  // a handler that returns sooner costs no further write

std::string reason_of(open_execution const& one, bool timed_out)
{
    auto const& task = one.task->definition;
    auto const grace = std::to_string(task.stop_grace / 1ms);
    if (!timed_out)
        return "the handler did not return within " + grace + " ms after the request to cancel";
    return "the handler did not return within " + grace + " ms after its timeout of " +
           std::to_string(task.timeout / 1ms) + " ms";
}

// How long ago a term before asked the attempt to stop for this cause; none if it did not.
std::optional<duration> asked_before(term_scope const& scope, open_execution const& one, protocol::stop_cause why)
{
    if (!one.stop || one.stop->attempt != one.attempt || one.stop->why != why)
        return std::nullopt;
    return std::max<duration>(scope.term.clock.database_now() - one.stop->at, 0s);
}

} // namespace

void deadlines::watch(open_execution const& one, protocol::stop_cause why, duration until_asked)
{
    auto const now = scope_.term.time.now();
    auto const asked_at = now + until_asked;
    auto const noted_at = asked_at + std::min(usual_stop, one.task->definition.stop_grace / 2);
    queue_.emplace(std::max(now, noted_at), watched{one.id, one.attempt, why, true, asked_at});
    bell_.wake();
}

void deadlines::started(execution_id id, int attempt, duration ran)
{
    auto* one = scope_.open.find(id);
    if (one == nullptr || one->attempt != attempt)
        return;
    one->running_attempt = attempt;
    scope_.open.run_is_known(*one);
    auto const timeout = one->task->definition.timeout;
    if (timeout == 0s || std::exchange(one->timed_attempt, attempt) == attempt)
        return;
    auto left = timeout - ran;
    if (auto const asked = asked_before(scope_, *one, protocol::stop_cause::timeout))
        left = std::min<duration>(left, -*asked);
    watch(*one, protocol::stop_cause::timeout, left);
}

void deadlines::stopping(open_execution& one)
{
    if (std::exchange(one.stopped_attempt, one.attempt) == one.attempt)
        return;
    auto const asked = asked_before(scope_, one, protocol::stop_cause::cancel);
    watch(one, protocol::stop_cause::cancel, -asked.value_or(0s));
}

void deadlines::end_now(storage::unresponsive_attempt one)
{
    auto const is_known = [&](auto const& other) { return other.id == one.id; };
    if (std::ranges::none_of(to_end_, is_known) && std::ranges::none_of(expired_, is_known) &&
        std::ranges::none_of(locked_expired_.items(), is_known))
        to_end_.push_back(std::move(one));
    bell_.wake();
}

// Takes what is due, and of this only executions that a client is known to have. Those in doubt are looked at again.
void deadlines::take_due()
{
    std::ranges::move(std::exchange(to_end_, {}), std::back_inserter(expired_));
    auto const now = scope_.term.time.now();
    std::ranges::move(locked_expired_.take(now), std::back_inserter(expired_));
    std::ranges::move(locked_requests_.take(now), std::back_inserter(requests_));
    while (!queue_.empty() && queue_.begin()->first <= now && expired_.size() + requests_.size() < deadlines_at_once) {
        auto const what = queue_.begin()->second;
        queue_.erase(queue_.begin());
        look_at(what, now);
    }
}

void deadlines::look_at(watched what, instant now)
{
    auto const* one = scope_.open.find(what.id);
    if (one == nullptr || one->attempt != what.attempt)
        return;
    if (!one->at_client()) {
        queue_.emplace(now + deadline_pause, what);
        return;
    }
    if (what.request) {
        requests_.push_back(what);
        what.request = false;
        queue_.emplace(std::max(now, what.asked_at + one->task->definition.stop_grace), what);
        return;
    }
    bool const timed_out = what.why == protocol::stop_cause::timeout;
    bool const cancelled = !timed_out || one->cancel_requested;
    auto const state = cancelled ? protocol::state::cancelled : protocol::state::timed_out;
    expired_.push_back(make_unresponsive(*one, state, reason_of(*one, timed_out)));
}

awaitable<void> deadlines::run()
{
    for (;;) {
        auto next = scope_.term.time.now() + 1h;
        try {
            co_await end_expired();
            if (!queue_.empty())
                next = queue_.begin()->first;
            next = std::min({next, locked_expired_.next(), locked_requests_.next()});
        } catch (unavailable const& reason) {
            log::warn("handlers",
                      "stopping executions, or ending them without their handlers, failed, trying again in 1 s",
                      {log::reason(reason.what())});
            next = scope_.term.time.now() + deadline_pause;
        }
        co_await bell_.wait_until(scope_.term.time, next);
    }
}

awaitable<void> deadlines::note_requests()
{
    co_await scope_.term.until_active(transaction_need);
    auto const now = scope_.term.time.now();
    std::vector<storage::stop_request> rows;
    for (auto const& each : requests_)
        rows.push_back({each.id, each.attempt, each.why, std::max<duration>(now - each.asked_at, 0s)});
    auto const locked = co_await scope_.ledger.note_stops(scope_.term.fence, rows);
    for (auto const& each : std::exchange(requests_, {}))
        if (std::ranges::find(locked, each.id) != locked.end())
            locked_requests_.add(each, now);
}

awaitable<void> deadlines::end_expired()
{
    for (;;) {
        if (expired_.empty() && requests_.empty())
            take_due();
        if (expired_.empty() && requests_.empty())
            co_return;
        if (!requests_.empty())
            co_await note_requests();
        if (expired_.empty())
            continue;
        co_await scope_.term.until_active(transaction_need);
        for (auto const& one : expired_)
            unresponsive_.expect(one);
        auto const done = co_await scope_.ledger.end_unresponsive(scope_.term.fence, expired_);
        for (auto& one : std::exchange(expired_, {}))
            ended(std::move(one), done);
    }
}

void deadlines::ended(storage::unresponsive_attempt one, storage::ended_runs const& done)
{
    if (std::ranges::find(done.ended, one.id) == done.ended.end()) {
        unresponsive_.drop(one.id); // its result has come
        if (std::ranges::find(done.locked, one.id) != done.locked.end())
            locked_expired_.add(std::move(one), scope_.term.time.now());
        return;
    }
    log::warn("handlers", "an execution has ended without its handler, which may still run",
              {log::reason(one.reason), {"execution", one.id.value()}, {"client", one.client}});
    unresponsive_.add(one);
    done_.ended_without_handler(one.id);
}

} // namespace baton::trigger
