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
    co_await read_recent(found);
    if (term_.time.now() >= old_again_at_)
        co_await read_old(found);
    co_return found;
}

awaitable<void> overdue_look::read_recent(std::vector<storage::open_key>& found)
{
    auto const until = term_.clock.now() - overdue_after;
    if (recent_.due_at < until - most_behind)
        recent_ = {until - most_behind, {}};
    auto const keys = co_await ledger_.open_keys(until, recent_, keys_at_once);
    found.insert(found.end(), keys.begin(), keys.end());
    if (keys.size() == keys_at_once)
        recent_ = {keys.back().due_at, keys.back().id};
    else
        recent_ = {until, {}};
}

awaitable<void> overdue_look::read_old(std::vector<storage::open_key>& found)
{
    auto const began = term_.time.now();
    auto const keys = co_await ledger_.open_keys(recent_.due_at, old_, keys_at_once);
    auto const now = term_.time.now();
    found.insert(found.end(), keys.begin(), keys.end());
    old_ = {};
    old_again_at_ = now + rest_after(now - began, share);
    if (keys.size() == keys_at_once)
        old_ = {keys.back().due_at, keys.back().id};
    else
        old_again_at_ = std::max(old_again_at_, now + turn);
}

} // namespace baton::trigger
