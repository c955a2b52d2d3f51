#pragma once

#include "libs/base/loop.hpp"
#include "libs/lease/guard_store.hpp"
#include "trigger/election/decide.hpp"
#include "trigger/election/mastership.hpp"
#include "trigger/election/settings.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace baton::trigger {

// Drives the guard of one node: waits for the guard's lock while another node leads, succeeds a master whose session
// has ended, and holds and pings the lock while this node leads (docs/election.md). Works for an elector, which owns
// the term. On the loop only.
class guard {
public:
    // The election's side.
    struct election {
        std::function<void()> look;           // the lease may be free: read the row now
        std::function<bool()> may_be_elected; // this node may be elected
        // A seizure of the row as it was read.
        std::function<lease::seizure(lease::lease_row const&)> make_seizure;
        // This node has held the lease since `asked`, guarded until `guard`. The session of the former holder `from`
        // had ended by `ended`. False if that term is over already.
        std::function<bool(lease::seizure const&, std::string const& from, instant asked, instant guard, instant ended)>
            promoted;
        // The guard's deadline of the mastership has changed.
        std::function<void(std::string_view by, instant asked, instant answered)> trust;
        std::function<void(std::string const& why)> forfeit; // end the term: it cannot be kept
    };

    // All of it lives longer than the guard.
    struct dependencies {
        lease::guard_store& store;
        trigger::mastership& mastership;
        time_source& time;
    };

    guard(guard_settings settings, std::string self, dependencies deps, asio::any_io_executor loop, election calls);

    // Runs until `end`.
    awaitable<void> run();
    // Ends the wait for the lock, and `run`.
    awaitable<void> end();

    // The elector reports that a term has begun, and that it is over and the lease given up.
    void term_began();
    void term_ended();

private:
    awaitable<void> round();
    awaitable<void> follow(); // while another node leads: waits for the lock
    awaitable<void> claim();  // while this node holds the lock without a term
    awaitable<void> defend(); // while this node leads
    awaitable<bool> regain();
    awaitable<void> arm(std::int64_t epoch);
    awaitable<void> ping();
    awaitable<void> release();
    awaitable<void> pause(duration span);
    void session_lost(std::string const& why);
    bool unreachable() const;
    instant trusted_from(instant asked) const; // the deadline that follows from a ping sent at `asked`

    // More members than usual: they are the state of one protocol, and each round reads and writes it as a whole.
    guard_settings settings_;
    std::string self_;
    dependencies deps_;
    election election_;
    waker waker_;
    std::int64_t grant_ = 0;      // of the lock; 0 while it is not held
    std::int64_t last_grant_ = 0; // when the session was lost
    instant granted_at_{};
    std::string unanswered_at_; // the server at which an arming in this term went unanswered
    instant lost_at_{};         // when the session was lost, in a term that depends on the guard
    bool in_term_ = false;      // until the lease is given up
    bool armed_ = false;
    duration retry_pause_;   // pause after a failure of the session
    duration reclaim_pause_; // pause after releasing a lock that the present master has yet to take
    bool failure_logged_ = false;
    bool running_ = false;
    bool ending_ = false;
};

} // namespace baton::trigger
