#pragma once
// A simulated database server with sessions, named locks and faults.

#include "libs/sim/host.hpp"
#include "libs/sim/memory_store.hpp"
#include "libs/sim/session_table.hpp"
#include "libs/storage/database.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace baton::sim {

// Latency and faults of the database and of the network to it. Probabilities are per call. Each call draws all of them
// in this order, so that setting one to 0 does not change the faults of later calls.
struct database_faults {
    duration min_latency = 200us; // latency of one direction: uniform between these two
    duration max_latency = 1ms;
    double spike = 0; // probability that one direction takes up to `spike_max` longer
    duration spike_max = 0us;
    double stall = 0; // probability of a pause between a statement's start and its execution (lock wait, slow disk)
    duration stall_min = 0us;
    duration stall_max = 0us;
    double lose_request = 0; // the request never arrives, and the caller gets no answer
    double lose_reply = 0;   // the statement takes effect, but the caller gets no answer
    double deadlock = 0;     // a transaction is rolled back at its end and run again

    // Faults of sessions whose client has gone. They are drawn independently of the calls.
    duration notice_max = 1s; // longest time until the server notices that the client of a lock waiter has gone
    double ghost = 0.25;      // probability that such a session, if granted the lock meanwhile, holds it
    duration ghost_max = 1s;  // for up to this time; otherwise it holds the lock for one latency
};

// The settings of a client connection, like storage::database_settings but with limits in microseconds.
struct connection {
    std::size_t sessions = 1;
    duration read_limit = 1s; // a call without an answer throws `unavailable` after this time
    duration idle_limit{};    // wait_timeout: the server ends a session that is idle for this time; 0: never
};

// A database server: one SQLite database in memory, on the loop, with the faults of a real server.
//
// Calls. A call waits for a free session, travels, starts, may stall, executes, and its answer travels back, each step
// at its own instant. `baton_now_us()` is the server's clock at the *start*, even after a stall. Requests and answers
// get lost, hosts are partitioned from the server, the server freezes and crashes, and its clock steps. If a caller
// gives up or dies while the server has its statement, the statement becomes an orphan: its text, session was recorded
// from the call and rolled back, executes later with whatever effect it then has. A call cannot be cancelled; only the
// death of its host ends the wait. A frozen host does not give up while it is frozen, but its requests go on.
//
// Sessions. Each session of a connection is a session of the server with an id, created when its first call arrives.
// The server ends it when it is idle for the idle limit, when it is killed, and when the server crashes; ids then start
// again at 1. The client learns of that end when its next call fails. Like the real client, a transaction and a session
// unused for 5 s reconnect instead. The client closes the session when it gives up on a call and when its process dies.
// The server learns of that after one latency (or, during a partition, when it heals), after the request that is under
// way, and not before the running statement has ended. Until then the session is a ghost, session keeps its locks.
//
// Named locks, by the SQL functions in session_functions.hpp. They belong to a session, session may acquire one several
// times and must release it as often; they end with the session. A waiter waits in simulated time, in order of arrival.
// Its call then runs again from the start, so it must not write before it waits. A waiter whose client has gone stays
// in the queue until the server notices, and may be granted the lock.
//
// Not modelled. A call is one step on the server: the statements of two calls never interleave, so there are no
// isolation anomalies and no lock waits between calls (`stall` stands for those). Of a call with several statements
// outside a transaction, only the first can become an orphan. A transaction owner caller gave up while it stalled is
// either rolled back or committed with its answer lost, with equal probability. Connecting takes no time. A statement
// that is killed while it stalls never takes effect. There are no deadlocks between named locks, and no limit on the
// execution time of a statement.
class database_server {
public:
    database_server(environment env, std::uint64_t seed);
    ~database_server();

    database_faults faults;

    std::unique_ptr<storage::database> connect(host& client, connection settings);

    // Access without latency and faults, for the schema and for a test's own queries.
    std::unique_ptr<storage::database> direct();
    // Replaces all tables by those of another server.
    void copy_tables(database_server& from);
    // The same as `direct`, outside coroutines.
    void inspect(std::function<void(soci::session&)> const& look);

    utc_time utc() const { return env_.time.utc() + clock_offset_; }
    void step_clock(duration by);
    void freeze_for(duration span); // SIGSTOP: requests and running statements wait
    void crash_for(duration span);  // running statements have no effect; connections are refused for this time
    void partition(std::string const& host_name);
    void heal(std::string const& host_name);
    void set_server_id(std::string text) { sessions_.set_server_id(std::move(text)); } // simulates another server

    std::size_t sessions() const { return sessions_.all().size(); } // open sessions, from the server's point of view
    std::uint64_t calls() const { return calls_; }
    std::uint64_t orphaned_statements() const { return orphaned_; } // statements executed after their caller had gone

private:
    class session_pool;
    class plain;
    struct drawn_faults;
    struct client_session;
    struct call;
    struct orphan;

    drawn_faults draw();
    duration latency(random_source& random);
    bool partitioned(host const& client) const { return partitioned_.contains(client.name()); }

    // The steps of one call, from a free session to the answer.
    awaitable<void> carry_out(host& client, client_session& session, memory_store::job const& work,
                              bool in_transaction);
    awaitable<void> serve(call& mine);
    awaitable<void> thaw(call const& mine);
    awaitable<void> wait(call const& mine, instant until);
    awaitable<void> wait_for_lock(call& mine);
    void send(call const& mine);
    bool attach(call const& mine);
    void execute(call& mine);
    void run(call& mine);
    void abandon(call& mine);
    void abandon_statement(call const& mine);
    void abandon_transaction(call& mine);
    awaitable<void> finish_orphan(orphan rest);

    // The life of a session on the server.
    session_handle open(host const& client, duration idle_limit);
    void statement_over(server_session& session);
    void end_session(server_session& session, char const* why);
    std::shared_ptr<lock_wait> queue(std::shared_ptr<lock_wait> wanted, std::shared_ptr<event> caller);
    void wait_over(lock_wait& wait);
    void hang_up(session_handle const& session);
    void hang_up(host const& client);
    awaitable<void> thaw();
    awaitable<void> deliver_close(session_handle session);
    awaitable<void> end_absent_waiter(session_handle session);
    awaitable<void> end_ghost(session_handle session);
    awaitable<void> watch_silence(session_handle session);
    awaitable<void> time_out(std::shared_ptr<lock_wait> wait);

    // More members than usual: one server has one state of faults, counters and sessions.
    environment env_;
    seeded_random random_;  // faults of calls
    seeded_random endings_; // faults of sessions whose client has gone
    session_table sessions_;
    memory_store store_;
    duration clock_offset_{};
    instant frozen_until_{};
    instant down_until_{};
    std::uint64_t crashes_ = 0;
    std::uint64_t calls_ = 0;
    std::uint64_t orphaned_ = 0;
    std::set<std::string> partitioned_;
};

} // namespace baton::sim
