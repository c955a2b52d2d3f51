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

attempts::attempts(term& term, storage::ledger& ledger, open_set& open, asio::any_io_executor loop,
                   std::function<void()> opened, std::function<void(std::vector<execution_id>)> stale)
    : term_(term), ledger_(ledger), open_(open), opened_(std::move(opened)), stale_(std::move(stale)), bell_(loop)
{}

void attempts::open(open_execution& one, utc_time due, protocol::attempt_cause cause)
{
    if (one.cancel_requested)
        return cancel(one);
    open_.move(one, phase::opening);
    to_open_.push_back({one.id, one.attempt, due, cause});
    bell_.wake();
}

void attempts::cancel(open_execution& one)
{
    open_.move(one, phase::opening);
    to_cancel_.push_back(one.id);
    bell_.wake();
}

void attempts::fail(open_execution& one, std::string why)
{
    open_.move(one, phase::opening);
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
            log::old::warn("opening attempts: {}", reason.what());
            trouble = true;
        }
        if (trouble)
            co_await term_.time.sleep_for(200ms); // a repeated attempt is conditional: doing it again is harmless
        else
            co_await bell_.wait();
    }
}

awaitable<void> attempts::open_group()
{
    co_await term_.until_active(transaction_need);
    auto const wanted = front(to_open_);
    auto const done = co_await ledger_.begin_attempts(term_.fence, wanted);
    std::unordered_set<execution_id> opened(done.begin(), done.end());
    std::vector<execution_id> stale;
    for (auto const& next : wanted) {
        auto* one = open_.find(next.id);
        if (one == nullptr || one->phase != phase::opening)
            continue;
        if (opened.erase(next.id) == 0) {
            stale.push_back(next.id);
            continue;
        }
        one->attempt = next.attempt + 1;
        if (protocol::replaces_lost(next.cause))
            ++one->max_attempts; // it does not count against the task's own attempts
        one->due_at = next.due_at;
        open_.wait(*one, next.due_at);
    }
    to_open_.erase(to_open_.begin(), to_open_.begin() + static_cast<std::ptrdiff_t>(wanted.size()));
    opened_();
    if (!stale.empty())
        stale_(std::move(stale));
}

awaitable<void> attempts::end_group(std::deque<execution_id>& from, std::string why, bool failed)
{
    co_await term_.until_active(transaction_need);
    auto const ids = front(from);
    if (failed)
        co_await ledger_.fail(term_.fence, ids, why);
    else
        co_await ledger_.cancel(term_.fence, ids, why);
    from.erase(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(ids.size()));
    for (auto const id : ids)
        ended_(id);
}

} // namespace baton::trigger
