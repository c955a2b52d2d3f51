#include "trigger/master/late_sends.hpp"

#include "libs/base/outage.hpp"
#include "trigger/master/write_group.hpp"

#include <algorithm>
#include <unordered_set>

namespace baton::trigger {

namespace {
constexpr duration late_after = 2s;           // what is sent earlier is sent before its task's stop holds
constexpr duration keeps_its_mark = 1s;       // while it waits
constexpr duration soon_back = 500ms;         // what is sent again so soon is sent before its task's stop holds
constexpr duration unmarked_again = 1s;       // for one that the ledger did not mark: the sweeper has read it by then
constexpr duration after_failure = 200ms;     // of a transaction
constexpr std::size_t late_looked_at = 2'000; // in one step of the loop
}

bool late_sends::concerns(open_execution const& one) const
{
    if (one.marking || one.noted || one.was_away || mark_.must_mark(one))
        return true;
    if (one.task->definition.at_most_once() && !one.out)
        return true;
    // By its first attempt: an attempt that replaces a lost one is due only now.
    return !one.out && one.since_due <= scope_.term.clock.now() - late_after && stops_unknown_ && stops_unknown_();
}

std::size_t late_sends::room(protocol::service_view service) const
{
    auto const found = queues_.find(service);
    return found == queues_.end() ? most_in_a_group : most_in_a_group - std::min(found->second.size(), most_in_a_group);
}

void late_sends::take(open_execution& one)
{
    if (std::exchange(one.marking, true))
        return;
    protocol::value_of(queues_, protocol::service_of(one.task->definition)).push_back({one.id, one.attempt});
    bell_.wake();
}

void late_sends::returned(open_execution& one)
{
    one.was_away = one.was_away || scope_.term.time.now() - one.checked_at > soon_back;
    one.sent = false;
    expire_mark_later(one);
}

// The mark is taken back a second after the last of these calls.
void late_sends::expire_mark_later(open_execution& one)
{
    auto const until = scope_.term.time.now() + keeps_its_mark;
    one.mark_kept_until = until;
    idle_.emplace_back(until, protocol::attempt_key{one.id, one.attempt});
}

awaitable<void> late_sends::run()
{
    for (;;) {
        bool trouble = false;
        try {
            for (; !queues_.empty(); co_await unmark_idle())
                co_await mark_group();
            co_await unmark_idle();
        } catch (unavailable const& reason) {
            log::outage(reason, "late sends", "marking executions before they are sent failed, trying again in 200 ms",
                        {log::reason(reason.what())});
            trouble = true;
        }
        if (trouble)
            co_await scope_.term.time.sleep_for(after_failure); // a mark that is written twice does no harm
        else
            co_await bell_.wait_until(scope_.term.time, scope_.term.time.now() + keeps_its_mark / 2);
    }
}

// Services take turns: each has an even share of the group, beginning behind the last one.
late_sends::group late_sends::next_group()
{
    group out;
    auto const share = std::max<std::size_t>(most_in_a_group / queues_.size(), 1);
    auto at = queues_.upper_bound(last_);
    for (auto left = queues_.size(); left > 0 && out.attempts.size() < most_in_a_group; --left) {
        if (at == queues_.end())
            at = queues_.begin();
        auto const count = std::min({at->second.size(), share, most_in_a_group - out.attempts.size()});
        out.attempts.insert(out.attempts.end(), at->second.begin(),
                            at->second.begin() + static_cast<std::ptrdiff_t>(count));
        out.taken[at->first] = count;
        last_ = at->first;
        ++at;
    }
    return out;
}

awaitable<void> late_sends::mark_group()
{
    co_await scope_.term.until_active(transaction_need);
    auto const next = next_group();
    auto const done = co_await scope_.ledger.mark_before_sending(scope_.term.fence, next.attempts);
    std::unordered_set<execution_id> const marked(done.begin(), done.end());
    for (auto const& each : next.attempts)
        go_on(each, marked.contains(each.execution));
    scope_.due_changed.wake();
    for (auto const& [service, count] : next.taken) {
        auto const queue = queues_.find(service);
        drop(queue->second, count);
        if (queue->second.empty())
            queues_.erase(queue);
        if (marked_)
            marked_(service);
    }
}

void late_sends::go_on(protocol::attempt_key const& which, bool marked)
{
    auto* one = scope_.open.find(which.execution);
    if (one != nullptr && one->attempt == which.attempt) {
        one->marking = false;
        if (marked) {
            one->out = true;
            one->was_away = false;
            one->checked_at = scope_.term.time.now();
        }
        if (marked && std::exchange(one->noted, false) && !one->admitted_at)
            one->admitted_at = scope_.term.clock.now(); // a limit made it late, even if that is gone by now
    }
    if (find_waiting(which) == nullptr)
        return;
    if (marked) {
        expire_mark_later(*one);
    } else {
        scope_.open.mark_stale({which.execution});
        scope_.open.wait_for(*one, scope_.term.time.now() + unmarked_again);
    }
}

open_execution* late_sends::find_waiting(protocol::attempt_key const& which)
{
    auto* one = scope_.open.find(which.execution);
    bool const waits = one != nullptr && one->attempt == which.attempt && one->phase == phase::waiting;
    return waits ? one : nullptr;
}

// The mark goes from memory first, so that nothing is sent by a mark that is being taken back.
awaitable<void> late_sends::unmark_idle()
{
    if (idle_.empty() || idle_.front().first > scope_.term.time.now())
        co_return;
    co_await scope_.term.until_active(
        transaction_need); // first: nothing may be sent between the step in memory and the write
    auto const now = scope_.term.time.now();
    std::vector<protocol::attempt_key> some;
    for (auto left = late_looked_at;
         left > 0 && !idle_.empty() && idle_.front().first <= now && some.size() < most_in_a_group;
         --left, idle_.pop_front()) {
        auto* one = find_waiting(idle_.front().second);
        if (one == nullptr || one->mark_kept_until > now || one->sent || one->marking ||
            !std::exchange(one->out, false))
            continue;
        some.push_back(idle_.front().second);
    }
    if (some.empty())
        co_return;
    co_await scope_.ledger.unmark(scope_.term.fence, some);
}

} // namespace baton::trigger
