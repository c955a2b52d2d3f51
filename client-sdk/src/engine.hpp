#pragma once
// The client's decisions: which executions it takes, starts, stops, remembers and reports. No threads, clocks or I/O:
// its owner passes the time in. docs/protocol.md states the same rules.

#include "client-sdk/src/job.hpp"
#include "client-sdk/src/known_terms.hpp"
#include "client-sdk/src/memory.hpp"
#include "client-sdk/src/outbox.hpp"
#include "libs/protocol/client_wire.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace baton::client {

struct engine_limits {
    int slots = 1;                    // jobs that run at the same time
    int queue = 10'000;               // accepted beyond those
    std::size_t results = 10'000;     // held, or ended and not recorded
    duration remember = 10min;        // how long an ended execution is recognised once its result is recorded
    std::size_t remembered = 500'000; // and how many of them
};

class engine {
public:
    engine(engine_limits limits, std::set<std::string> handlers);

    // Remembers the highest epoch of the namespace; false when this one is lower, and its sender must be refused.
    bool observe(protocol::term_id term) { return terms_.observe(term); }
    known_terms const& terms() const { return terms_; }

    // Until then the nodes surely count this client as live. Later they may hand its queued jobs on, so none starts.
    void trust_until(instant at) { trusted_until_ = at; }

    // Calls from nodes. `term` is that of the dispatch, observed before.
    protocol::dispatch_ack take(protocol::dispatch work, instant now, protocol::term_id term, bool moved = false);
    std::vector<protocol::held_execution> query(std::vector<execution_id> const& executions, instant now) const;
    // The same. From now on it also refuses the executions that it does not have, up to the attempts asked for, because
    // the nodes open the next attempts.
    std::vector<protocol::held_execution> query(protocol::query_request const& asked, instant now);
    // Ends queued executions at once and asks running ones to stop. Returns the same as `query` afterwards.
    std::vector<protocol::held_execution> cancel(std::vector<execution_id> const& executions, reading now);

    // Gives back those that have not begun, up to these attempts, and names them, also if they were given back before.
    // They do not begin unless they are dispatched again, in a message that comes after this one.
    std::vector<protocol::attempt_key> give_back(std::vector<execution_id> const& executions,
                                                 std::vector<int> const& attempts, instant now);
    // Those of the last minute, for the next home: the answer may have been lost with the last one.
    std::vector<protocol::attempt_key> given_back(instant now);

    // The attempts that it has, running ones first, at most `most`.
    std::vector<protocol::attempt_key> attempts(std::size_t most) const;

    // Drops the queued executions, which the nodes hand on: they neither run here nor are reported.
    void give_up_queued(instant now);

    // Running jobs. `start_ready` moves queued jobs into free slots; the caller runs them and calls `finish` once each.
    std::vector<std::shared_ptr<job>> start_ready(reading now);
    void finish(execution_id execution, outcome end);

    // Asks jobs past their timeout to stop, notes those that have run for a second, forgets old executions. Due at
    // `next_tick`, the earliest `tick_of` of the running jobs.
    void tick(instant now);
    std::optional<instant> next_tick() const;
    instant tick_of(execution_id running) const;

    // Stopping.
    void drain() { draining_ = true; }
    bool draining() const { return draining_; }
    void stop_running(); // asks every running job to stop, and starts no more
    bool idle() const { return held_.empty(); }

    // Reports: results until they are recorded, then notes of running jobs. Several batches may be on their way. Each
    // is followed by exactly one of `settle` (a node answered 200), `unsent` (no answer) or `refused` (a node cannot
    // read it). A refused batch goes out again in halves, until the unreadable result is alone; that one loses its
    // value and error text, so that at least its outcome becomes known.
    std::vector<protocol::result_report> batch(instant now, std::size_t most, std::size_t bytes);
    void settle(std::vector<protocol::result_report> const& sent, std::vector<protocol::attempt_key> const& recorded,
                instant now);
    void unsent(std::vector<protocol::result_report> const& sent);
    void refused(std::vector<protocol::result_report> const& sent, std::string const& why, instant now);
    outbox& results() { return results_; }
    bool has_notes() const { return notes_ > 0; }

    int free_slots() const;
    int free() const; // executions that it would still accept
    std::set<std::string> const& handlers() const { return handlers_; }
    engine_limits const& limits() const { return limits_; }

private:
    struct held {
        std::shared_ptr<job> work;
        std::optional<reading> started;
        instant deadline = instant::max();
        bool cancelled = false;
        bool interrupted = false;           // asked to stop because the client stops
        instant next_note = instant::max(); // when to compare its progress with the last report
        int noted = -1;                     // the progress last reported; -1: none yet
        bool note_due = false;
    };

    void set_note(held& one, bool due);
    void note_again(protocol::result_report const& note);
    void refuse(execution_id execution, int attempt, instant now);
    void conclude(held const& one, protocol::state status, outcome end);
    std::optional<protocol::held_execution> known(execution_id execution, instant now) const;

    // More members than usual: one state machine, which each event reads as a whole.
    engine_limits limits_;
    std::set<std::string> handlers_;
    known_terms terms_;
    bool draining_ = false;
    bool stopping_ = false;
    instant trusted_until_ = instant::max();
    std::unordered_map<execution_id, held> held_; // queued and running
    std::deque<execution_id> queue_;
    std::set<execution_id> running_; // ordered, so that a simulation repeats exactly
    int notes_ = 0;
    memory memory_;
    std::deque<std::pair<instant, protocol::attempt_key>> given_back_; // lately
    outbox results_;
};

} // namespace baton::client
