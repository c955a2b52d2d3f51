#pragma once

#include "libs/base/backoff.hpp"
#include "libs/base/loop.hpp"
#include "libs/base/process.hpp"
#include "libs/base/random.hpp"
#include "libs/lease/lease_store.hpp"
#include "trigger/election/decide.hpp"
#include "trigger/election/epoch.hpp"
#include "trigger/election/guard.hpp"
#include "trigger/election/mastership.hpp"
#include "trigger/election/settings.hpp"
#include "trigger/election/succession.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace baton::trigger {

// The outcome of one tick of the election.
struct election_event {
    verdict what;
    std::int64_t epoch; // that the outcome is about
    std::string reason;
};

// A change of the time for which this node may trust its mastership, and the statement that it follows from.
struct trust_event {
    std::string_view by; // seize, renew, guard_seize, guard_arm, guard_ping, guard_off, lost
    std::int64_t epoch;
    instant asked, answered; // of the statement
    instant lease_until;
    instant guard_until; // instant::max() when the guard does not bind
};

// Drives the election of one node: the ticks, the statements, the deadlines, and the term of mastership as a scope
// (docs/election.md). On its own loop only, unless a comment says otherwise; the terms run on another one
// (election_proxy).
class elector {
public:
    // Runs one term. The elector cancels it when the term ends; if it returns, the term ends too.
    using duty = std::function<awaitable<void>(std::int64_t epoch)>;
    // Called with each row that was read, the time before the request and the time after the reply.
    using row_watcher = std::function<void(lease::lease_row const&, instant asked, instant answered)>;

    struct identity {
        std::string incarnation;
        std::string address; // for the row, where the web finds the master
    };

    // All of it lives longer than the elector.
    struct dependencies {
        lease::lease_store& lease;
        time_source& time;
        random_source& random;
    };

    elector(election_settings settings, identity self, dependencies deps, asio::any_io_executor loop);

    // Takes part in the election until it is cancelled or `stop` is called, and runs `lead` for each term. Returns
    // after the lease has been given up.
    awaitable<void> run(duty lead);

    // Ends the term, gives up the lease after the duty has drained, and lets run() return.
    void stop();

    // `source` has proved that this epoch exists. If it is higher than the present term's, that term is void.
    void superseded(std::int64_t epoch, std::string const& source);

    // Any thread: if the present term is void by that, it does not act any more. Returns true then; superseded() must
    // follow.
    bool supersede(std::int64_t epoch) { return mastership_.supersede(epoch); }

    // Uses a guard beside the lease. Call it before `run`.
    void guard_by(lease::guard_store& store, guard_settings settings);

    succession const& began_by() const { return began_by_; } // of the present or last term
    std::string const& why_ended() const { return why_ended_; }
    // The highest epoch that this node released with the database's acknowledgement.
    std::int64_t released() const { return released_; }

    // Reads the lock row now, without waiting for the next tick.
    void look() { bell_.wake(); }

    mastership const& state() const { return mastership_; } // any thread may read it
    std::optional<lease::lease_row> const& last_row() const { return row_; }
    instant last_row_at() const { return row_at_; }

    void on_row(row_watcher watcher) { on_row_ = std::move(watcher); }
    void on_trust(std::function<void(trust_event const&)> watcher) { on_trust_ = std::move(watcher); }
    void on_event(std::function<void(election_event const&)> watcher) { on_event_ = std::move(watcher); }

    // Called after why_ended() or released() has changed.
    void on_end(std::function<void()> watcher) { on_end_ = std::move(watcher); }

    // `stamp` is counted up while the terms' loop runs; it is called on this loop. If that loop stands still for
    // `election.stuck`, the term is given up, and this node is not elected until it goes on.
    void require_progress(std::function<std::uint64_t()> stamp) { progress_ = std::move(stamp); }

    bool stuck() const { return stuck_; } // that loop stands still

    // Ends the process if a lost term does not drain within its grace (docs/election.md).
    void use(deadman& last_resort) { deadman_ = &last_resort; }

private:
    awaitable<void> vote(duty const& lead);
    awaitable<void> vote_to_the_end(duty const& lead); // then ends the guard
    awaitable<void> watch_progress();
    awaitable<void> stand();                 // ticks until promoted or stopped
    awaitable<void> hold();                  // ticks until the term is over
    awaitable<void> serve(duty const& lead); // runs the duty; its failure ends the term
    void rest_after_failure(std::string const& why, duration led);
    bool is_resting() const { return deps_.time.now() < rests_until_; }
    awaitable<void> await_end();                 // until `stop` or a higher epoch
    awaitable<void> watch();                     // logs when the term is suspended and when it resumes
    awaitable<void> give_up(std::int64_t epoch); // releases the lease
    awaitable<verdict> tick();
    awaitable<verdict> act(lease::lease_row row, decision what);
    void settle(verdict outcome, lease::lease_row const& row, decision const& what, instant asked);
    guard::election calls_of_guard();
    succession how_confirmed(lease::lease_row const& row, std::int64_t epoch) const;
    lease::seizure make_seizure(lease::lease_row const& row) const;
    void promote(std::int64_t epoch, instant asked, duration ttl, succession by, char const* reason);
    void trust(std::string_view by, instant asked, instant answered);
    void lose(std::string why);
    void note_end(std::string why);
    void end_term(std::string why); // for a cause outside of the ticks
    void report(verdict what, std::int64_t epoch, char const* reason);
    instant next_tick();

    // More members than usual: they are the state of one protocol, and each tick reads and writes it as a whole.
    election_settings settings_;
    identity self_;
    dependencies deps_;
    asio::any_io_executor loop_;
    mastership mastership_;
    observation seen_;
    std::int64_t term_ = 0;  // the epoch of the term from its win until give_up ends, even if it is lost before
    std::int64_t heard_ = 0; // the highest epoch that this node has read
    std::int64_t ended_ = 0; // the highest epoch of a term that is over here
    std::int64_t released_ = 0;
    std::optional<lease::lease_row> row_;
    instant row_at_{};
    verdict last_ = verdict::unknown;
    bool stopping_ = false;
    bool cut_short_ = false;          // end_term has ended the term
    bool stuck_ = false;              // the terms' loop stands still
    backoff pauses_{{1s, 60s, 5min}}; // after terms that failed
    instant rests_until_{};           // after one
    bool forfeited_ = false;          // the guard has ended the term, though the lease is still ours
    struct {
        std::int64_t epoch = 0;
        succession by;
    } last_seizure_;
    succession began_by_;
    std::string why_ended_;
    std::unique_ptr<guard> guard_;
    waker bell_;     // wakes the ticking
    waker end_bell_; // ends the term
    row_watcher on_row_;
    std::function<void(election_event const&)> on_event_;
    std::function<void(trust_event const&)> on_trust_;
    std::function<void()> on_end_;
    std::function<std::uint64_t()> progress_;
    deadman* deadman_ = nullptr;
};

} // namespace baton::trigger
