#pragma once

#include "libs/base/loop.hpp"
#include "libs/lease/guard_store.hpp"
#include "trigger/election/decide.hpp"
#include "trigger/election/mastership.hpp"
#include "trigger/settings.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace baton::trigger {

// Drives the guard of one node: waits for the lock while another leads, succeeds a master whose session has ended, and
// holds and pings while this node leads. On the loop only; beside an elector, which owns the term.
class guard {
public:
    // What the guard asks of the election.
    struct election {
        std::function<void()> look; // the lease may be free: read the row now
        // What to bid for, by the row as it was read.
        std::function<lease::seizure(lease::lease_row const&)> bid;
        // The lease is this node's since `asked`, guarded until `guard`; the session of its predecessor `from` had
        // ended by `ended`. False when that term is over already.
        std::function<bool(lease::seizure const&, std::string const& from, instant asked, instant guard, instant ended)>
            promoted;
        std::function<void(std::string_view by, instant asked, instant answered)> trust; // the mastership has changed
        std::function<void(std::string const& why)> forfeit;                             // the term cannot be kept
    };

    guard(guard_settings settings, std::string self, lease::guard_store& store, mastership& ship, time_source& time,
          asio::any_io_executor loop, election votes);

    // Until `end`.
    awaitable<void> run();
    // Ends the wait for the lock, and `run`.
    awaitable<void> end();

    // By the elector: a term has begun; it is over and the lease was given up.
    void term_began();
    void term_ended();

private:
    awaitable<void> round();
    awaitable<void> follow(); // while another leads: waits for the lock
    awaitable<void> claim();  // with the lock in hand and no term
    awaitable<void> defend(); // while this node leads
    awaitable<bool> regain();
    awaitable<void> arm(std::int64_t epoch);
    awaitable<void> ping();
    awaitable<void> let_go();
    awaitable<void> pause(duration span);
    void session_lost(std::string const& why);
    bool unreachable() const;
    instant trusted_from(instant asked) const; // until when, if it is acknowledged

    guard_settings settings_;
    std::string self_;
    lease::guard_store& store_;
    mastership& ship_;
    time_source& time_;
    election votes_;
    waker bell_;
    std::int64_t grant_ = 0;      // the lock is held under it
    std::int64_t last_grant_ = 0; // as it was when its session was lost
    instant granted_at_{};
    std::string unanswered_at_; // the server of an arming of this term that had no answer
    instant lost_at_{};         // when the session was, of a term that the guard binds
    bool in_term_ = false;      // from its beginning to the end of its giving up
    bool armed_ = false;
    duration patience_; // with a session that fails
    duration distance_; // from a lock that its master has yet to take
    bool complained_ = false;
    bool running_ = false;
    bool ending_ = false;
};

} // namespace baton::trigger
