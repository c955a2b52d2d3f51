#include "trigger/election/guard.hpp"

#include "libs/base/log.hpp"

namespace baton::trigger {

namespace {

constexpr duration wait_step = 2s; // a longer wait would not notice a broken network
constexpr duration shortest_pause = 20ms;
constexpr duration longest_pause = 500ms;
constexpr duration between_readings = 50ms; // of the row, while a successor waits
constexpr duration out_of_reach = 3s;       // a term that depends on the guard is forfeited after so long without it
constexpr duration too_soon = 1s;           // a wait that ends earlier without the lock was interrupted

} // namespace

guard::guard(guard_settings settings, std::string self, dependencies deps, asio::any_io_executor loop, election calls)
    : settings_(settings),
      self_(std::move(self)),
      deps_(deps),
      election_(std::move(calls)),
      waker_(std::move(loop)),
      retry_pause_(shortest_pause),
      reclaim_pause_(shortest_pause)
{}

void guard::term_began()
{
    in_term_ = true;
    unanswered_at_.clear(); // an arming of an older epoch matches nothing
    lost_at_ = deps_.time.now();
    waker_.wake();
}

void guard::term_ended()
{
    in_term_ = false;
    armed_ = false;
    waker_.wake();
}

awaitable<void> guard::run()
{
    running_ = true;
    while (!ending_) {
        std::optional<std::string> failure;
        try {
            co_await round();
        } catch (unavailable const& reason) {
            failure = reason.what();
        }
        if (!failure) {
            retry_pause_ = shortest_pause;
            failure_logged_ = false;
            continue;
        }
        session_lost(*failure);
        // The lease alone could be renewed for ever while no master acts.
        if (deps_.mastership.epoch() != 0 && deps_.mastership.guarded() && unreachable() &&
            deps_.time.now() < deps_.mastership.lease_until())
            election_.forfeit("the guard is out of reach");
        auto const span = deps_.mastership.epoch() != 0 ? shortest_pause : retry_pause_;
        retry_pause_ = std::min(retry_pause_ * 2, longest_pause);
        co_await pause(span);
    }
    try {
        if (grant_ != 0 && deps_.mastership.epoch() == 0)
            co_await release(); // the others wake
    } catch (unavailable const&) {
        // Then the end of the session wakes them.
    }
    running_ = false;
}

bool guard::unreachable() const
{
    return deps_.time.now() - lost_at_ > out_of_reach;
}

awaitable<void> guard::end()
{
    ending_ = true;
    waker_.wake();
    for (auto const until = deps_.time.now() + 1s; running_ && deps_.time.now() < until;) {
        try {
            co_await deps_.store.interrupt();
        } catch (unavailable const&) {
            // Then the wait ends by itself.
        }
        co_await deps_.time.sleep_for(10ms);
    }
}

awaitable<void> guard::round()
{
    if (deps_.mastership.epoch() != 0)
        co_await defend();
    else if (in_term_)
        co_await waker_.wait(); // lost, but not yet drained and given up: the lock is released after the lease
    else if (grant_ != 0)
        co_await claim();
    else
        co_await follow();
}

void guard::session_lost(std::string const& why)
{
    if (!failure_logged_)
        log::warn("guard", "the session of the guard failed, trying again", {log::reason(why)});
    failure_logged_ = true;
    if (grant_ != 0) {
        last_grant_ = grant_;
        lost_at_ = deps_.time.now();
    }
    grant_ = 0;
    armed_ = false;
}

awaitable<void> guard::pause(duration span)
{
    auto const until = deps_.time.now() + span;
    co_await waker_.wait_until(deps_.time, until);
}

awaitable<void> guard::release()
{
    armed_ = false;
    co_await deps_.store.drop();
    grant_ = 0;
}

awaitable<void> guard::follow()
{
    auto const asked = deps_.time.now();
    grant_ = co_await deps_.store.take(wait_step);
    if (deps_.time.now() - asked >= too_soon)
        reclaim_pause_ = shortest_pause; // a guarded master held it
    if (grant_ == 0 && !ending_ && deps_.time.now() - asked < too_soon)
        co_await pause(longest_pause); // the wait was interrupted
    granted_at_ = deps_.time.now();    // after the reply: the holder's trust is measured from here
}

awaitable<void> guard::claim()
{
    auto const seen = co_await deps_.store.poll();
    if (deps_.mastership.epoch() != 0 || in_term_ || ending_)
        co_return;
    auto what = decide_handover(seen, self_, granted_at_, deps_.time.now(), deps_.store.proves_end());
    if (!election_.may_be_elected())
        what.act = handover::release;
    if (what.act == handover::wait) {
        // A master that knows that it has lost the lock gives up the lease before then.
        auto const again = std::min(what.ripe, deps_.time.now() + between_readings);
        co_await waker_.wait_until(deps_.time, again);
    } else if (what.act == handover::vacant) {
        election_.look();
        co_await pause(shortest_pause);
    } else if (what.act == handover::release) {
        co_await release();
        auto const until =
            deps_.time.now() + std::exchange(reclaim_pause_, std::min(reclaim_pause_ * 2, longest_pause));
        while (!ending_ && deps_.mastership.epoch() == 0 && deps_.time.now() < until)
            co_await waker_.wait_until(deps_.time, until);
    } else {
        auto const seizure = election_.make_seizure(seen.row);
        auto const asked = deps_.time.now();
        bool const ours = co_await deps_.store.seize(seizure, settings_.wait, grant_);
        if (!ours) {
            co_await pause(shortest_pause);
            co_return; // the next reading shows the cause
        }
        reclaim_pause_ = shortest_pause;
        auto const from = seen.row.owner.value_or("");
        armed_ = election_.promoted(seizure, from, asked, trusted_from(asked), granted_at_);
    }
}

awaitable<void> guard::defend()
{
    if (grant_ == 0) {
        bool const back = co_await regain();
        if (!back)
            co_return;
    }
    auto const epoch = deps_.mastership.epoch();
    if (!armed_ && epoch != 0)
        co_await arm(epoch);
    while (armed_ && deps_.mastership.epoch() != 0 && !ending_) {
        if (deps_.store.proves_end())
            co_await waker_.wait();
        else
            co_await ping();
    }
}

// Takes the lock back after its session was lost. A term that does not depend on the guard waits for the lock. One that
// does only tries, because other nodes may be waiting to succeed it.
awaitable<bool> guard::regain()
{
    bool const bound = deps_.mastership.guarded();
    auto const limit = bound ? duration{} : wait_step;
    grant_ = co_await deps_.store.take(limit);
    granted_at_ = deps_.time.now();
    if (grant_ != 0)
        co_return true;
    if (bound) {
        bool const others = co_await deps_.store.held_elsewhere(last_grant_);
        if (others || unreachable()) {
            election_.forfeit(others ? "another session holds the guard's lock" : "the guard is out of reach");
            co_return false;
        }
    }
    // The holder is a leftover: this node's own former session, or that of a dead process. It is no successor's.
    bool const ours = deps_.time.now() < deps_.mastership.lease_until();
    if (ours && (bound || deps_.time.now() - lost_at_ > 2 * wait_step))
        co_await deps_.store.evict();
    co_await pause(shortest_pause);
    co_return false;
}

awaitable<void> guard::arm(std::int64_t epoch)
{
    // That arming may still take effect, and its server may have granted the lock to another node.
    if (!unanswered_at_.empty() && unanswered_at_ != deps_.store.server()) {
        election_.forfeit("an arming at another server may still take effect");
        co_return;
    }
    bool const was_bound = deps_.mastership.guarded();
    auto const asked = deps_.time.now();
    // The guard binds from before the request, which may take effect without an answer. It frees only when
    // acknowledged.
    if (!was_bound) {
        deps_.mastership.guard(trusted_from(asked));
        election_.trust("guard_arm", asked, asked);
    }
    unanswered_at_ = deps_.store.server();
    bool const armed = co_await deps_.store.arm(self_, epoch, settings_.wait, grant_);
    unanswered_at_.clear();
    if (deps_.mastership.epoch() != epoch) // an answer for a term that is over
        co_return;
    armed_ = armed;
    if (armed_) {
        deps_.mastership.guard(trusted_from(asked));
        election_.trust("guard_arm", asked, deps_.time.now());
        co_return;
    }
    // Refused, so without effect: the lease is over, or the guard's server does not have the row yet, or never will.
    bool free = !was_bound;
    if (was_bound)
        free = co_await deps_.store.disarm(self_, epoch);
    if (free && deps_.mastership.epoch() == epoch) {
        deps_.mastership.guard(mastership::unguarded);
        election_.trust("guard_off", asked, deps_.time.now());
    }
    co_await release();
    co_await pause(2 * longest_pause);
}

awaitable<void> guard::ping()
{
    auto const epoch = deps_.mastership.epoch();
    auto const asked = deps_.time.now();
    bool const held = co_await deps_.store.held(grant_);
    if (!held) {
        session_lost("the lock is not held any more");
        co_return;
    }
    if (armed_ && deps_.mastership.epoch() == epoch) {
        deps_.mastership.guard(trusted_from(asked));
        election_.trust("guard_ping", asked, deps_.time.now());
    }
    auto const next = asked + settings_.ping;
    while (deps_.mastership.epoch() != 0 && !ending_ && deps_.time.now() < next)
        co_await waker_.wait_until(deps_.time, next);
}

instant guard::trusted_from(instant asked) const
{
    return deps_.store.proves_end() ? mastership::unguarded : asked + shrunk(settings_.wait) - settings_.margin;
}

} // namespace baton::trigger
