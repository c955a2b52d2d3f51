#pragma once

#include "libs/sim/host.hpp"
#include "libs/sim/memory_store.hpp"
#include "libs/storage/database.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace baton::sim {

// How bad the database and the way to it are. Probabilities are per call; each call draws all of them, in this order,
// so that a knob at 0 does not shift the fate of later calls.
struct database_faults {
    duration quickest = 200us; // one way, between these two
    duration slowest = 1ms;
    double hurdle = 0; // a way takes up to `hurdle_most` longer
    duration hurdle_most = 0us;
    double stall = 0; // lock wait, slow disk: so much time between the statement's start and its execution
    duration stall_least = 0us;
    duration stall_most = 0us;
    double lose_request = 0; // never arrives; the caller hears nothing
    double lose_reply = 0;   // the effect stands; the caller hears nothing
    double deadlock = 0;     // a transaction is rolled back when it is done, and run again
};

// How a host uses the server: like storage::database_settings, with limits as fine as a simulation wants.
struct connection {
    std::size_t sessions = 1;
    duration read_limit = 1s; // a caller who hears nothing for so long gets `unavailable`
};

// A database server: one SQLite database in memory, on the loop, made as bad as the real thing.
//
// Modelled. A call waits for a free session, travels, starts, may stall, executes, and its answer travels back, each
// step at its own instant. `baton_now_us()` is the server's clock at the *start*, also after a stall. Requests and
// answers get lost, hosts are cut off, the server freezes, crashes, and its clock steps. When a caller gives up or dies
// while its statement is in the server's hands, the server goes on: the statement's text (recorded from the call and
// rolled back) executes later, with whatever effect it then has. A call cannot be cancelled, only the death of its host
// ends the waiting. A transaction may be rolled back by a deadlock and run again.
//
// Not modelled. A call is one step on the server: two calls never interleave their statements, so there are no
// isolation anomalies and no lock waits between them (`stall` stands for those), and of a stand-alone call with several
// statements only the first can be left behind in the server. A transaction whose caller gave up while it stalled is
// rolled back, or was committed with its answer lost: half of the cases each.
class database_server {
public:
    database_server(asio::io_context& loop, virtual_time& time, trace& log, std::uint64_t seed);
    ~database_server();

    database_faults faults;

    std::unique_ptr<storage::database> connect(host& who, connection how);

    // No latency and no faults: for the schema, and for the eyes of a test.
    std::unique_ptr<storage::database> direct();
    // The same outside coroutines.
    void inspect(std::function<void(soci::session&)> const& look);

    utc_time utc() const { return time_.utc() + clock_offset_; }
    void step_clock(duration by);
    void freeze_for(duration span); // SIGSTOP: what arrives waits, and so does what has begun
    void crash_for(duration span);  // what is in progress has no effect; connections are refused until then
    void part(std::string const& host_name);
    void mend(std::string const& host_name);

    std::uint64_t calls() const { return calls_; }
    std::uint64_t left_behind() const { return left_behind_; } // statements that executed for nobody

private:
    class session_pool;
    class plain;
    struct fate;
    struct call;

    fate draw();
    duration way();
    duration between(duration least, duration most);
    bool parted(host const& who) const { return parted_.contains(who.name()); }

    // The course of one call, from a free session to the answer.
    awaitable<void> carry_out(host& who, duration read_limit, memory_store::job const& work, bool in_transaction);
    awaitable<void> serve(call& mine);
    awaitable<void> thaw(call const& mine);
    awaitable<void> wait(call const& mine, instant until);
    void execute(call& mine);
    void leave_behind(call& mine);
    awaitable<void> finish_alone(std::string text, instant at, std::optional<utc_time> begun, std::string whose);

    asio::io_context& loop_;
    virtual_time& time_;
    trace& log_;
    seeded_random random_;
    memory_store store_;
    duration clock_offset_{};
    instant frozen_until_{};
    instant down_until_{};
    std::uint64_t crashes_ = 0;
    std::uint64_t calls_ = 0;
    std::uint64_t left_behind_ = 0;
    std::set<std::string> parted_;
};

} // namespace baton::sim
