#pragma once
// The client's decisions: which executions it takes, starts, stops, remembers and reports. No threads, clocks or I/O:
// time is passed in, and the loop that owns it does the rest. docs/protocol.md states the same rules for readers.

#include "client-sdk/src/job.hpp"
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
#include <vector>

namespace baton::client {

struct engine_limits {
    int slots = 1;                    // jobs that run side by side
    int queue = 1'000;                // accepted beyond those
    std::size_t results = 10'000;     // held, or ended and not recorded
    duration remember = 10min;        // how long an ended execution is recognised
    std::size_t remembered = 500'000; // and how many of them
};

class engine {
public:
    engine(engine_limits limits, std::set<std::string> handlers);

    // Remembers the highest epoch; false when this one is lower, and its sender must be refused.
    bool observe(std::int64_t epoch);
    std::int64_t epoch() const { return epoch_; }

    // So long this client surely does not count as gone. Later, what waits here may be handed on: it does not begin.
    void trust_until(instant at) { trusted_until_ = at; }

    // Calls from nodes.
    protocol::dispatch_ack take(protocol::dispatch work, instant now);
    std::vector<protocol::held_execution> query(std::vector<std::int64_t> const& executions, instant now) const;
    // The same, and refuses from now on what it leaves out, up to the attempts named: they go out as the next ones.
    std::vector<protocol::held_execution> query(protocol::query_request const& asked, instant now);
    // Queued ones end at once, running ones are asked to stop. Returns what `query` would say afterwards.
    std::vector<protocol::held_execution> cancel(std::vector<std::int64_t> const& executions, reading now);

    // What has not begun is handed on by the nodes: it will not run here, nor be reported.
    void give_up_queued(instant now);

    // Running jobs. `start_ready` moves queued jobs into free slots; the caller runs them and calls `finish` once each.
    std::vector<std::shared_ptr<job>> start_ready(reading now);
    void finish(std::int64_t execution, outcome what);

    // Asks jobs past their timeout to stop, notes who has been running for a second, forgets the old. Due at
    // `next_tick`, for which only jobs that run count, each from its own `tick_of`.
    void tick(instant now);
    std::optional<instant> next_tick() const;
    instant tick_of(std::int64_t running) const;

    // Stopping.
    void drain() { draining_ = true; }
    bool draining() const { return draining_; }
    void stop_running(); // asks every running job to stop, and starts no more
    bool idle() const { return held_.empty(); }

    // Reports: results until they are recorded, then notes of what still runs. Several batches may be on their way.
    // After each, exactly one of `settle` (a node answered 200), `unsent` (nobody did) or `refused` (a node cannot read
    // it: it goes out in halves, until the culprit is alone and loses its value and error text, so that at least its
    // outcome becomes known).
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
        instant next_note = instant::max(); // when to look whether its progress is worth a report
        int noted = -1;                     // the progress last reported; -1: not even that it runs
        bool note_due = false;
    };

    void set_note(held& one, bool due);
    void note_again(protocol::result_report const& note);
    void refuse(std::int64_t execution, int attempt, instant now);
    void conclude(held const& one, protocol::state status, outcome what);
    std::optional<protocol::held_execution> known(std::int64_t execution, instant now) const;

    engine_limits limits_;
    std::set<std::string> handlers_;
    std::int64_t epoch_ = 0;
    bool draining_ = false;
    bool stopping_ = false;
    instant trusted_until_ = instant::max();
    std::unordered_map<std::int64_t, held> held_; // queued and running
    std::deque<std::int64_t> queue_;
    std::set<std::int64_t> running_; // in order of their ids, so that a simulation repeats
    int notes_ = 0;
    memory memory_;
    outbox results_;
};

} // namespace baton::client
