#pragma once

#include "libs/base/loop.hpp"
#include "libs/base/process.hpp"
#include "libs/base/random.hpp"
#include "libs/lease/lease_store.hpp"
#include "trigger/election/decide.hpp"
#include "trigger/election/epoch.hpp"
#include "trigger/election/guard.hpp"
#include "trigger/election/mastership.hpp"
#include "trigger/settings.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace baton::trigger {

// What a node did as the election went: shown by `baton nodes` and REST, and watched by simulations.
struct election_event {
    verdict what;
    std::int64_t epoch;
    std::string reason;
};

// What a node may believe of its own mastership has changed, and what that rests on.
struct trust_event {
    std::string_view by; // seize, renew, guard_seize, guard_arm, guard_ping, guard_off, lost
    std::int64_t epoch;
    instant asked, answered; // of the statement
    instant lease_until;
    instant guard_until; // instant::max() when the guard does not bind
};

// How a term was won, and of the one before: when its holder last gave a sign of life, by this node's boot clock.
struct succession {
    enum class way { free, expired, guard } how = way::free;
    instant led_until{};    // instant{}: nobody knows
    bool first = false;     // nobody had led before
    std::string replaced{}; // the incarnation that had not given the lease back; empty: nobody, or not known
};
std::string_view to_string(succession::way how);

// Drives the election of one node: ticks, statements, deadlines, and the term of mastership as a scope.
// On the loop only.
class elector {
public:
    // Leads until it is cancelled or gives up by returning; both end the term.
    using duty = std::function<awaitable<void>(std::int64_t epoch)>;
    // Called with each row read, the moment before the request and the moment after the reply.
    using row_watcher = std::function<void(lease::lease_row const&, instant asked, instant answered)>;

    struct identity {
        std::string incarnation;
        std::string address; // information for the row: where web finds the master
    };

    elector(election_settings settings, identity self, lease::lease_store& lease, time_source& time,
            random_source& random, asio::any_io_executor loop);

    // Votes until cancelled or told to stop; runs `lead` for each term. Returns after the lease has been given up.
    awaitable<void> run(duty lead);

    // Give up the lease (after the duty has drained) and return from run().
    void stop();

    // Somebody proved that a higher epoch exists: the present term is void.
    void superseded(std::int64_t epoch, std::string const& who);

    // Waits for the guard beside the lease, and holds it while leading. Before `run`.
    void guard_by(lease::guard_store& store, guard_settings settings);

    succession const& began_by() const { return began_by_; } // of the present or last term
    std::string const& why_ended() const { return why_ended_; }
    // The highest epoch that this node gave back, which the database has acknowledged.
    std::int64_t released() const { return released_; }

    // Looks at the lock row now, without waiting for the next tick.
    void look() { bell_.wake(); }

    mastership const& state() const { return mastership_; }
    std::optional<lease::lease_row> const& last_row() const { return row_; }
    instant last_row_at() const { return row_at_; }

    void on_row(row_watcher watcher) { on_row_ = std::move(watcher); }
    void on_trust(std::function<void(trust_event const&)> watcher) { on_trust_ = std::move(watcher); }
    void on_event(std::function<void(election_event const&)> watcher) { on_event_ = std::move(watcher); }

    // When a term did not drain, the process ends (docs/election.md); without one, nothing does.
    void use(deadman& last_resort) { deadman_ = &last_resort; }

private:
    awaitable<void> vote(duty const& lead);
    awaitable<void> vote_to_the_end(duty const& lead); // and end the guard
    awaitable<void> stand();                           // until promoted or told to stop
    awaitable<void> hold();                            // ticks while leading; returns when the term is over
    awaitable<void> serve(duty const& lead);           // the duty; a failure of it ends the term
    awaitable<void> await_end();                       // until stop or superseded
    awaitable<void> watch();                           // says when the term is suspended and when it resumes
    awaitable<void> give_up(std::int64_t epoch);       // releases the lease
    awaitable<verdict> tick();
    awaitable<verdict> act(lease::lease_row row, decision what);
    void settle(verdict outcome, lease::lease_row const& row, decision const& what, instant asked);
    guard::election what_a_guard_asks();
    succession succession_to(lease::lease_row const& row) const;
    succession succession_of(lease::lease_row const& row, std::int64_t epoch) const;
    lease::seizure bid_for(lease::lease_row const& row) const;
    void promote(std::int64_t epoch, instant asked, duration ttl, succession by, char const* reason);
    void trust(std::string_view by, instant asked, instant answered);
    void lose(std::string why);
    void end_term(std::string why); // from outside of the ticks
    void report(verdict what, std::int64_t epoch, char const* reason);
    instant next_tick();

    election_settings settings_;
    identity self_;
    lease::lease_store& lease_;
    time_source& time_;
    random_source& random_;
    asio::any_io_executor loop_;
    mastership mastership_;
    observation seen_;
    std::int64_t term_ = 0;  // its epoch, from the winning to the end of the giving up, though it may be lost already
    std::int64_t heard_ = 0; // the highest epoch that anybody named
    std::int64_t ended_ = 0; // the highest epoch whose term is over here
    std::int64_t released_ = 0;
    std::optional<lease::lease_row> row_;
    instant row_at_{};
    verdict last_ = verdict::unknown;
    bool stopping_ = false;
    bool cut_short_ = false; // the term, by word from outside
    bool forfeited_ = false; // the term, though the lease is still ours
    struct {
        std::int64_t epoch = 0;
        succession by;
    } last_bid_;
    succession began_by_;
    std::string why_ended_;
    std::unique_ptr<guard> guard_;
    waker bell_;     // wakes the ticking
    waker end_bell_; // ends the term
    row_watcher on_row_;
    std::function<void(election_event const&)> on_event_;
    std::function<void(trust_event const&)> on_trust_;
    deadman* deadman_ = nullptr;
};

} // namespace baton::trigger
