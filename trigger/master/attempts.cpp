#include "trigger/master/attempts.hpp"

#include "libs/base/log.hpp"
#include "libs/base/outage.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

namespace baton::trigger {

namespace {
constexpr char plain_reason[] = "the database refused the reason of its end";
}

instant attempts::end_of_pause(utc_time due) const
{
    return scope_.term.time.now() + std::max<duration>(due - scope_.term.clock.now(), 0s);
}

void attempts::open(open_execution& one, utc_time due, protocol::attempt_cause cause)
{
    if (one.ending)
        return;
    if (one.cancel_requested)
        return cancel(one);
    if (protocol::is_additional(cause))
        due = std::max(due, scope_.term.clock.now() + protocol::pause_after_lost(one.lost));
    storage::next_attempt next{one.id, one.attempt, due, cause};
    next.begun = one.ran || one.begun || protocol::follows_result(cause);
    if (one.phase == phase::held) {
        next.client = one.where;
        one.last_client = one.doubted = one.where;
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
    one.begun = true;
    to_open_.back().died = true;
    to_open_.back().begun = true;
}

// Its next attempt may be opened at the same time.
void attempts::begin_end(open_execution& one)
{
    one.ending = true;
    scope_.open.move(one, phase::opening);
}

void attempts::cancel(open_execution& one, std::string const& reason)
{
    begin_end(one);
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
    begin_end(one);
    to_skip_[reason].push_back(one.id);
    bell_.wake();
}

void attempts::add_failure(open_execution& one, std::string why, bool died)
{
    begin_end(one);
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
            co_await write_all();
        } catch (unavailable const& reason) {
            log::outage(reason, "attempts", "opening or ending attempts failed, trying again in 200 ms",
                        {log::reason(reason.what())});
            trouble = true;
        }
        if (trouble)
            co_await scope_.term.time.sleep_for(200ms); // the write is conditional, so repeating it is harmless
        else if (refusals_.again() != 0s)
            co_await bell_.wait_until(scope_.term.time, scope_.term.time.now() + refusals_.again());
        else if (locked_.empty())
            co_await bell_.wait();
        else
            co_await write_locked_again();
    }
}

// Of a group that the database refuses as a whole nothing fails: it is tried again, together with what comes to it.
awaitable<void> attempts::write_all()
{
    refusals_.begin();
    for (bool more = true; more && !to_open_.empty();)
        more = co_await open_group();
    for (bool more = true; more && !to_cancel_.empty();)
        more = co_await cancel_group();
    for (bool more = true; more && !to_fail_.empty();)
        more = co_await fail_group();
    for (bool more = true; more && !to_skip_.empty();)
        more = co_await skip_group();
    refusals_.end();
}

awaitable<bool> attempts::open_group()
{
    auto const wanted = front(to_open_);
    auto const write = [&](std::vector<storage::next_attempt> const& some) -> awaitable<void> {
        co_await scope_.term.until_active(transaction_need);
        auto const done = co_await scope_.ledger.begin_attempts(scope_.term.fence, some);
        opened(some, done);
    };
    auto const outcome = co_await storage::write_in_halves(wanted, write);
    if (!refusals_.accept("attempts", outcome))
        co_return false;
    drop(to_open_, wanted.size());
    for (auto const& [next, why] : outcome.refused)
        quarantine(next.id, "its next attempt could not be recorded: " + why);
    co_return true;
}

void attempts::opened(std::vector<storage::next_attempt> const& wanted, std::vector<execution_id> const& done)
{
    std::unordered_set<execution_id> left(done.begin(), done.end());
    std::vector<execution_id> stale;
    for (auto const& next : wanted) {
        auto* one = scope_.open.find(next.id);
        if (one == nullptr || one->phase != phase::opening)
            continue;
        if (left.erase(next.id) == 0) {
            stale.push_back(next.id);
            continue;
        }
        one->attempt = next.attempt + 1;
        if (protocol::is_additional(next.cause)) {
            ++one->max_attempts;
            ++one->lost;
        }
        if (next.died)
            ++one->deaths;
        one->begun = one->begun || next.begun;
        one->ran = one->sent = one->out = one->marking = one->was_away = one->lost_by_client = false;
        one->given_back = false;
        one->checked_at = {};
        one->doubted.clear();
        one->due_at = next.due_at;
        if (!one->ending)
            begin_pause(*one);
    }
    scope_.due_changed.wake();
    scope_.open.mark_stale(stale);
}

void attempts::quarantine(execution_id id, std::string const& why)
{
    auto* const one = scope_.open.find(id);
    if (one == nullptr)
        return;
    log::error("attempts", "the database refuses to record an execution and takes others, it ends as failed",
               {log::reason(why), {"execution", id.value()}});
    fail(*one, why);
}

void attempts::drop_group(by_reason& all, by_reason::iterator group, std::size_t count)
{
    drop(group->second, count);
    if (group->second.empty())
        all.erase(group);
}

awaitable<bool> attempts::cancel_group()
{
    auto const group = to_cancel_.begin();
    auto const ids = front(group->second);
    auto const reason = group->first;
    std::vector<execution_id> left;
    auto const write = [&](std::vector<execution_id> const& some) -> awaitable<void> {
        co_await scope_.term.until_active(transaction_need);
        auto const locked = co_await scope_.ledger.cancel(scope_.term.fence, some, reason);
        note_ended(some, locked, left);
    };
    auto const outcome = co_await storage::write_in_halves(ids, write);
    if (!refusals_.accept("attempts", outcome))
        co_return false;
    drop_group(to_cancel_, group, ids.size());
    if (!left.empty())
        std::ranges::copy(left, std::back_inserter(locked_.to_cancel[reason]));
    for (auto const& [id, why] : outcome.refused)
        quarantine(id, "it could not be cancelled: " + why);
    co_return true;
}

awaitable<bool> attempts::skip_group()
{
    auto const group = to_skip_.begin();
    auto const ids = front(group->second);
    auto const reason = group->first;
    std::vector<execution_id> left;
    auto const write = [&](std::vector<execution_id> const& some) -> awaitable<void> {
        co_await scope_.term.until_active(transaction_need);
        auto const done = co_await scope_.ledger.skip(scope_.term.fence, some, reason);
        if (done.first_again && given_back_)
            given_back_(*done.first_again);
        note_ended(some, done.left, left);
    };
    auto const outcome = co_await storage::write_in_halves(ids, write);
    if (!refusals_.accept("attempts", outcome))
        co_return false;
    log::debug("attempts", "executions were skipped", {{"executions", ids.size() - left.size()}, log::reason(reason)});
    drop_group(to_skip_, group, ids.size());
    if (!left.empty())
        std::ranges::copy(left, std::back_inserter(locked_.to_skip[reason]));
    for (auto const& [id, why] : outcome.refused)
        quarantine(id, "it could not be skipped: " + why);
    co_return true;
}

// Another transaction, such as an edit, had locked them or their tasks.
awaitable<void> attempts::write_locked_again()
{
    co_await bell_.wait_until(scope_.term.time, scope_.term.time.now() + 200ms);
    auto const again = std::exchange(locked_, {});
    for (auto const& [reason, ids] : again.to_cancel)
        std::ranges::copy(ids, std::back_inserter(to_cancel_[reason]));
    for (auto const& [reason, ids] : again.to_skip)
        std::ranges::copy(ids, std::back_inserter(to_skip_[reason]));
    std::ranges::copy(again.to_fail, std::back_inserter(to_fail_));
}

// Those of `all` that were written have ended; the others go to `left`.
void attempts::note_ended(std::vector<execution_id> const& all, std::vector<execution_id> const& locked,
                          std::vector<execution_id>& left)
{
    std::unordered_set<execution_id> const stay(locked.begin(), locked.end());
    for (auto const id : all)
        if (!stay.contains(id))
            done_.ended(id);
    left.insert(left.end(), locked.begin(), locked.end());
}

awaitable<bool> attempts::fail_group()
{
    auto const all = front(to_fail_);
    std::vector<storage::undeliverable> left;
    auto const write = [&](std::vector<storage::undeliverable> const& some) -> awaitable<void> {
        co_await scope_.term.until_active(transaction_need);
        auto const locked = co_await scope_.ledger.fail(scope_.term.fence, some);
        std::unordered_set<execution_id> const stay(locked.begin(), locked.end());
        std::size_t died = 0;
        for (auto const& one : some)
            if (stay.contains(one.id)) {
                left.push_back(one);
            } else {
                died += one.died ? 1 : 0;
                done_.ended(one.id);
            }
        if (died != 0)
            log::warn("attempts", "executions have failed because their clients died", {{"executions", died}});
    };
    auto const outcome = co_await storage::write_in_halves(all, write);
    if (!refusals_.accept("attempts", outcome))
        co_return false;
    drop(to_fail_, all.size());
    std::ranges::move(left, std::back_inserter(locked_.to_fail));
    for (auto const& [one, why] : outcome.refused)
        keep_unended(one, why);
    co_return true;
}

// Its end is tried once more with a text that every column takes.
void attempts::keep_unended(storage::undeliverable one, std::string const& why)
{
    bool const tried = one.reason == plain_reason;
    log::error("attempts",
               tried ? "the database refuses the end of an execution, it stays open until the next term"
                     : "the database refuses the end of an execution, trying again without its reason",
               {log::reason(why), {"execution", one.id.value()}});
    if (tried)
        return;
    one.reason = plain_reason;
    to_fail_.push_back(std::move(one));
}

} // namespace baton::trigger
