#include "trigger/clean_stop.hpp"

#include "libs/base/log.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr duration move_limit = 2s;  // for the clients to find another home
constexpr duration stall_limit = 1s; // without a single delivery
constexpr duration note_limit = 1s;  // for writing down what is out: without it the successor asks about more
}

awaitable<void> clean_stop::run()
{
    co_await request_.wait();
    stopping_ = true;
    if (!joined_)
        co_return;
    log::info("node", "stopping, delivering the executions that wait for clients",
              {{"executions", deps_.deliveries.load()}});
    auto const until = deps_.time.now() + drain_;
    try {
        co_await deps_.nodes.drain(); // from now on no master assigns to this node
    } catch (unavailable const& reason) {
        log::warn("node", "marking this node as draining failed, stopping anyway", {log::reason(reason.what())});
    }
    co_await send_clients_on(until);
    co_await note_what_is_out();
    deps_.election.stop(); // another node may lead while this one delivers
    co_await deliver_rest(until);
    while (electing_ && deps_.time.now() < until + grace_)
        co_await deps_.time.sleep_for(5ms);
    try {
        co_await deps_.nodes.leave();
    } catch (unavailable const& reason) {
        log::warn("node", "removing this node's row failed, the row will expire", {log::reason(reason.what())});
    }
}

awaitable<void> clean_stop::note_what_is_out()
{
    auto const last = deps_.time.now() + note_limit;
    for (auto* mine = deps_.link.here(); mine != nullptr && deps_.time.now() < last; mine = deps_.link.here()) {
        if (mine->note_what_is_out())
            co_return;
        co_await deps_.time.sleep_for(5ms);
    }
}

// Executions that no client can take go back to the master at once. A client that has a request and does not answer
// cannot be told from a slow one, so while nothing moves the stop waits a little. The master asks the clients about the
// rest.
awaitable<void> clean_stop::deliver_rest(instant until)
{
    auto left = deps_.deliveries.load();
    auto moved_at = deps_.time.now();
    while (left != 0 && deps_.time.now() < until) {
        deps_.deliveries.give_back_stuck();
        auto const load = deps_.deliveries.load();
        if (load < left)
            moved_at = deps_.time.now();
        left = load;
        if (deps_.time.now() - moved_at >= stall_limit)
            break;
        co_await deps_.time.sleep_for(10ms);
    }
    if (left != 0)
        log::info("node", "stopping without the answers of clients, the master asks them", {{"executions", left}});
}

// The clients are asked to move (home_watches) because this node drains. Those that do not hear that find another home
// when this node has ended.
awaitable<void> clean_stop::send_clients_on(instant until)
{
    auto const last = std::min(until, deps_.time.now() + move_limit);
    while (deps_.nodes.has_peer() && deps_.clients.size() != 0 && deps_.time.now() < last)
        co_await deps_.time.sleep_for(5ms);
}

} // namespace baton::trigger
