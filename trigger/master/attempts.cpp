#include "trigger/master/attempts.hpp"

#include "libs/base/log.hpp"

#include <algorithm>
#include <unordered_set>

namespace baton::trigger {

namespace {

constexpr std::size_t most_at_once = 500;

template <class T>
std::vector<T> front(std::deque<T> const& from)
{
    return {from.begin(), from.begin() + static_cast<std::ptrdiff_t>(std::min(from.size(), most_at_once))};
}

} // namespace

void attempts::open(open_execution& one, utc_time due, protocol::attempt_cause cause)
{
    if (one.cancel_requested)
        return cancel(one);
    scope_.open.move(one, phase::opening);
    to_open_.push_back({one.id, one.attempt, due, cause});
    bell_.wake();
}

void attempts::cancel(open_execution& one)
{
    scope_.open.move(one, phase::opening);
    to_cancel_.push_back(one.id);
    bell_.wake();
}

void attempts::fail(open_execution& one, std::string why)
{
    scope_.open.move(one, phase::opening);
    to_fail_[std::move(why)].push_back(one.id);
    bell_.wake();
}

awaitable<void> attempts::run()
{
    for (;;) {
        bool trouble = false;
        try {
            while (!to_open_.empty())
                co_await open_group();
            while (!to_cancel_.empty())
                co_await end_group(to_cancel_, "cancelled on request", false);
            while (!to_fail_.empty()) {
                auto const why = to_fail_.begin()->first;
                co_await end_group(to_fail_.begin()->second, why, true);
                if (to_fail_[why].empty())
                    to_fail_.erase(why);
            }
        } catch (unavailable const& reason) {
            log::warn("attempts", "opening or ending attempts failed, trying again in 200 ms",
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
        if (protocol::replaces_lost(next.cause))
            ++one->max_attempts; // an attempt lost with a client or node is not the task's own
        one->due_at = next.due_at;
        scope_.open.wait(*one, next.due_at);
    }
    to_open_.erase(to_open_.begin(), to_open_.begin() + static_cast<std::ptrdiff_t>(wanted.size()));
    scope_.due_changed.wake();
    scope_.open.mark_stale(stale);
}

awaitable<void> attempts::end_group(std::deque<execution_id>& from, std::string why, bool failed)
{
    co_await scope_.term.until_active(transaction_need);
    auto const ids = front(from);
    if (failed)
        co_await scope_.ledger.fail(scope_.term.fence, ids, why);
    else
        co_await scope_.ledger.cancel(scope_.term.fence, ids, why);
    from.erase(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(ids.size()));
    for (auto const id : ids)
        done_.ended(id);
}

} // namespace baton::trigger
