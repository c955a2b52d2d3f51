#include "trigger/master/deadlines.hpp"

#include "libs/base/log.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

constexpr std::size_t deadlines_at_once = 200;
constexpr duration deadline_pause = 1s; // if no client is known to have the execution, or ending it failed

std::string reason_of(open_execution const& one, bool timed_out)
{
    auto const& task = one.task->definition;
    auto const grace = std::to_string(task.stop_grace / 1ms);
    if (!timed_out)
        return "the handler did not return within " + grace + " ms after the request to cancel";
    return "the handler did not return within " + grace + " ms after its timeout of " +
           std::to_string(task.timeout / 1ms) + " ms";
}

} // namespace

void deadlines::watch(duration after, watched const& what)
{
    queue_.emplace(scope_.term.time.now() + after, what);
    bell_.wake();
}

void deadlines::started(execution_id id, int attempt, duration ran)
{
    auto* one = scope_.open.find(id);
    if (one == nullptr || one->attempt != attempt)
        return;
    auto const& task = one->task->definition;
    if (task.timeout > 0s && std::exchange(one->timed_attempt, attempt) != attempt)
        watch(std::max<duration>(task.timeout + task.stop_grace - ran, 0s), {id, attempt, cause::timeout});
}

void deadlines::stopping(open_execution& one)
{
    if (std::exchange(one.stopped_attempt, one.attempt) != one.attempt)
        watch(one.task->definition.stop_grace, {one.id, one.attempt, cause::cancel});
}

void deadlines::end_now(storage::unresponsive_attempt one)
{
    auto const is_known = [&](auto const& other) { return other.id == one.id; };
    if (std::ranges::none_of(to_end_, is_known) && std::ranges::none_of(expired_, is_known))
        to_end_.push_back(std::move(one));
    bell_.wake();
}

// Those that are over and that a client is known to have. Executions in doubt are looked at again.
std::vector<storage::unresponsive_attempt> deadlines::take_expired()
{
    auto expired = std::exchange(to_end_, {});
    auto const now = scope_.term.time.now();
    while (!queue_.empty() && queue_.begin()->first <= now && expired.size() < deadlines_at_once) {
        auto const what = queue_.begin()->second;
        queue_.erase(queue_.begin());
        auto const* one = scope_.open.find(what.id);
        if (one == nullptr || one->attempt != what.attempt)
            continue;
        if (one->phase != phase::held) {
            queue_.emplace(now + deadline_pause, what);
            continue;
        }
        bool const cancelled = what.why == cause::cancel || one->cancel_requested;
        expired.push_back({one->id, one->attempt, one->where,
                           cancelled ? protocol::state::cancelled : protocol::state::timed_out,
                           reason_of(*one, what.why == cause::timeout)});
    }
    return expired;
}

awaitable<void> deadlines::run()
{
    for (;;) {
        auto next = scope_.term.time.now() + 1h;
        try {
            co_await end_expired();
            if (!queue_.empty())
                next = queue_.begin()->first;
        } catch (unavailable const& reason) {
            log::warn("handlers", "ending executions without their handlers failed, trying again in 1 s",
                      {log::reason(reason.what())});
            next = scope_.term.time.now() + deadline_pause;
        }
        co_await bell_.wait_until(scope_.term.time, next);
    }
}

awaitable<void> deadlines::end_expired()
{
    for (;;) {
        if (expired_.empty())
            expired_ = take_expired();
        if (expired_.empty())
            co_return;
        co_await scope_.term.until_active(transaction_need);
        for (auto const& one : expired_)
            unresponsive_.expect(one);
        auto const ended = co_await scope_.ledger.end_unresponsive(scope_.term.fence, expired_);
        for (auto const& one : std::exchange(expired_, {})) {
            if (std::ranges::find(ended, one.id) == ended.end()) {
                unresponsive_.drop(one.id); // its result has come
                continue;
            }
            log::warn("handlers", "an execution has ended without its handler, which may still run",
                      {log::reason(one.reason), {"execution", one.id.value()}, {"client", one.client}});
            unresponsive_.add(one);
            done_.ended_without_handler(one.id);
        }
    }
}

} // namespace baton::trigger
