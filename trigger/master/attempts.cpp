#include "trigger/master/attempts.hpp"

#include "libs/base/log.hpp"
#include "libs/base/outage.hpp"
#include "trigger/master/write_group.hpp"

#include <algorithm>
#include <unordered_set>

namespace baton::trigger {

instant attempts::end_of_pause(utc_time due) const
{
    return scope_.term.time.now() + std::max<duration>(due - scope_.term.clock.now(), 0s);
}

void attempts::open(open_execution& one, utc_time due, protocol::attempt_cause cause)
{
    if (one.cancel_requested)
        return cancel(one);
    if (protocol::replaces_lost(cause))
        due = std::max(due, scope_.term.clock.now() + protocol::pause_after_lost(one.lost));
    storage::next_attempt next{one.id, one.attempt, due, cause};
    if (one.phase == phase::held) {
        next.client = one.where;
        one.last_client = one.where;
        next.since = scope_.term.clock.now() - (scope_.term.time.now() - one.since);
    }
    one.delayed_until = end_of_pause(due);
    scope_.open.move(one, phase::opening);
    to_open_.push_back(std::move(next));
    bell_.wake();
}

void attempts::retry(open_execution& one, utc_time ended)
{
    auto const& task = one.task->definition;
    auto const lost = one.max_attempts - task.max_attempts; // each attempt that was lost has raised it by one
    protocol::failed_attempt const which{one.id, one.attempt, std::max(one.attempt - lost, 1)};
    open(one, ended + protocol::pause_before_retry(task.retry, task.retry_delay, which),
         protocol::attempt_cause::retry);
}

void attempts::retry_recorded(open_execution& one, utc_time due)
{
    // The database has dated the end of the attempt, and its clock may have been set back since or before.
    auto const ended = due - one.task->definition.retry_delay;
    auto const ago = std::max<duration>(scope_.term.clock.database_now() - ended, 0s);
    retry(one, scope_.term.clock.now() - ago);
}

void attempts::client_died(open_execution& one, protocol::attempt_cause cause)
{
    auto const deaths = one.deaths + 1;
    auto const pause = protocol::pause_after_deaths(deaths, one.task->definition.max_deaths);
    if (one.cancel_requested)
        return cancel(one);
    if (!pause)
        return add_failure(one, protocol::reason_of_deaths(deaths), true);
    open(one, scope_.term.clock.now() + *pause, cause);
    to_open_.back().died = true;
}

void attempts::cancel(open_execution& one, std::string const& reason)
{
    scope_.open.move(one, phase::opening);
    to_cancel_[reason].push_back(one.id);
    bell_.wake();
}

void attempts::fail(open_execution& one, std::string why, protocol::state as)
{
    add_failure(one, std::move(why), false);
    to_fail_.back().state = as;
}

void attempts::skip(open_execution& one, std::string const& reason)
{
    scope_.open.move(one, phase::opening);
    to_skip_[reason].push_back(one.id);
    bell_.wake();
}

void attempts::add_failure(open_execution& one, std::string why, bool died)
{
    scope_.open.move(one, phase::opening);
    to_fail_.push_back({one.id, std::move(why), died});
    bell_.wake();
}

void attempts::wait(open_execution& one)
{
    one.delayed_until = end_of_pause(one.due_at);
    begin_pause(one);
}

void attempts::begin_pause(open_execution& one)
{
    if (one.suspect())
        suspects_.join(one);
    else
        scope_.open.wait_for(one, one.delayed_until);
}

awaitable<void> attempts::run()
{
    for (;;) {
        bool trouble = false;
        try {
            while (!to_open_.empty())
                co_await open_group();
            while (!to_cancel_.empty())
                co_await cancel_group();
            while (!to_fail_.empty())
                co_await fail_group();
            while (!to_skip_.empty())
                co_await skip_group();
        } catch (unavailable const& reason) {
            log::outage(reason, "attempts", "opening or ending attempts failed, trying again in 200 ms",
                        {log::reason(reason.what())});
            trouble = true;
        }
        if (trouble)
            co_await scope_.term.time.sleep_for(200ms); // the write is conditional, so repeating it is harmless
        else
            co_await bell_.wait();
    }
}

awaitable<void> attempts::open_group()
{
    co_await scope_.term.until_active(transaction_need);
    auto const wanted = front(to_open_);
    auto const done = co_await scope_.ledger.begin_attempts(scope_.term.fence, wanted);
    std::unordered_set<execution_id> opened(done.begin(), done.end());
    std::vector<execution_id> stale;
    for (auto const& next : wanted) {
        auto* one = scope_.open.find(next.id);
        if (one == nullptr || one->phase != phase::opening)
            continue;
        if (opened.erase(next.id) == 0) {
            stale.push_back(next.id);
            continue;
        }
        one->attempt = next.attempt + 1;
        if (protocol::replaces_lost(next.cause)) {
            ++one->max_attempts; // an attempt lost with a client or node is not the task's own
            ++one->lost;
        }
        if (next.died)
            ++one->deaths;
        one->ran = false;
        one->due_at = next.due_at;
        begin_pause(*one);
    }
    drop(to_open_, wanted.size());
    scope_.due_changed.wake();
    scope_.open.mark_stale(stale);
}

void attempts::drop_group(by_reason& all, by_reason::iterator group, std::size_t count)
{
    drop(group->second, count);
    if (group->second.empty())
        all.erase(group);
}

awaitable<void> attempts::cancel_group()
{
    co_await scope_.term.until_active(transaction_need);
    auto const group = to_cancel_.begin();
    auto const ids = front(group->second);
    co_await scope_.ledger.cancel(scope_.term.fence, ids, group->first);
    drop_group(to_cancel_, group, ids.size());
    for (auto const id : ids)
        done_.ended(id);
}

awaitable<void> attempts::skip_group()
{
    co_await scope_.term.until_active(transaction_need);
    auto const group = to_skip_.begin();
    auto const ids = front(group->second);
    auto const again = co_await scope_.ledger.skip(scope_.term.fence, ids, group->first);
    if (again && given_back_)
        given_back_(*again);
    log::debug("attempts", "executions were skipped", {{"executions", ids.size()}, log::reason(group->first)});
    drop_group(to_skip_, group, ids.size());
    for (auto const id : ids)
        done_.ended(id);
}

awaitable<void> attempts::fail_group()
{
    co_await scope_.term.until_active(transaction_need);
    auto const some = front(to_fail_);
    co_await scope_.ledger.fail(scope_.term.fence, some);
    auto const died = std::count_if(some.begin(), some.end(), [](auto const& one) { return one.died; });
    if (died != 0)
        log::warn("attempts", "executions have failed because their clients died", {{"executions", died}});
    drop(to_fail_, some.size());
    for (auto const& one : some)
        done_.ended(one.id);
}

} // namespace baton::trigger
