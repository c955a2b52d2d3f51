#include "trigger/master/overdue_look.hpp"

#include "trigger/master/rest.hpp"

namespace baton::trigger {

namespace {

constexpr int keys_at_once = 2'000;
constexpr duration overdue_after = 1s; // a younger execution may be on its way into memory
constexpr duration most_behind = 10s;  // what became overdue before this is left to the slow look
constexpr duration turn = 1min;        // of the slow look, at least
constexpr int share = 2;               // of the time, in percent, for the slow look

} // namespace

awaitable<std::vector<storage::open_key>> overdue_look::next()
{
    std::vector<storage::open_key> found;
    next_ = seen_;
    co_await read_recent(found);
    if (term_.time.now() >= next_.old_again_at)
        co_await read_old(found);
    co_return found;
}

void overdue_look::seen()
{
    seen_ = next_;
}

awaitable<void> overdue_look::read_recent(std::vector<storage::open_key>& found)
{
    auto const until = term_.clock.now() - overdue_after;
    if (next_.recent.due_at < until - most_behind)
        next_.recent = {until - most_behind, {}};
    auto const keys = co_await ledger_.open_keys(until, next_.recent, keys_at_once);
    found.insert(found.end(), keys.begin(), keys.end());
    if (keys.size() == keys_at_once)
        next_.recent = {keys.back().due_at, keys.back().id};
    else
        next_.recent = {until, {}};
}

awaitable<void> overdue_look::read_old(std::vector<storage::open_key>& found)
{
    auto const began = term_.time.now();
    auto const keys = co_await ledger_.open_keys(next_.recent.due_at, next_.old, keys_at_once);
    auto const now = term_.time.now();
    found.insert(found.end(), keys.begin(), keys.end());
    next_.old = {};
    next_.old_again_at = now + rest_after(now - began, share);
    if (keys.size() == keys_at_once)
        next_.old = {keys.back().due_at, keys.back().id};
    else
        next_.old_again_at = std::max(next_.old_again_at, now + turn);
}

} // namespace baton::trigger
