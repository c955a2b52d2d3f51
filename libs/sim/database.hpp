#pragma once

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

    // Of a session whose client has gone; drawn apart from the calls.
    duration notice_most = 1s; // so long may pass until the server sees that one who waits for a lock has gone,
    double ghost = 0.25;       // and one that got the lock meanwhile holds it for a moment, or in so many cases
    duration ghost_most = 1s;  // for up to so long
};

// How a host uses the server: like storage::database_settings, with limits as fine as a simulation wants.
struct connection {
    std::size_t sessions = 1;
    duration read_limit = 1s; // a caller who hears nothing for so long gets `unavailable`
    duration idle_limit{};    // wait_timeout: the server ends a session that is silent for so long; 0: never
};

// A database server: one SQLite database in memory, on the loop, made as bad as the real thing.
//
// Modelled. A call waits for a free session, travels, starts, may stall, executes, and its answer travels back, each
// step at its own instant. `baton_now_us()` is the server's clock at the *start*, also after a stall. Requests and
// answers get lost, hosts are cut off, the server freezes, crashes, and its clock steps. When a caller gives up or dies
// while its statement is in the server's hands, the server goes on: the statement's text (recorded from the call and
// rolled back) executes later, with whatever effect it then has. A call cannot be cancelled, only the death of its host
// ends the waiting; a host that stands still gives nothing up meanwhile, and what it asked goes on. A transaction may
// be rolled back by a deadlock and run again.
//
// Sessions. Each session of a connection is one of the server, with an id, made when its first call arrives. The server
// ends it when it is silent for the idle limit (one with a statement in the server's hands is not), when it is killed
// and when the server crashes, after which ids begin anew; the client learns of that from the failure of its next call,
// which a transaction and a session unused for 5 s avoid by connecting again, like the real client. The client
// closes it when it gives up on a call and when its process dies: within a way the server hears of it, if the host is
// not cut off (then once it is mended), behind the request that is on its way, and not before the statement in its
// hands is done. Whoever is cut off or lost the reply is a ghost that holds its locks for nobody until one of these.
//
// Named locks, by the functions of session_functions.hpp: baton_get_lock, baton_release_lock, baton_lock_holder,
// baton_connection_id, baton_server_id, baton_kill_query, baton_kill. They belong to a session, which may get the same
// one repeatedly and must then release it as often; they end with it. One that waits does so in simulated time, in the
// order of arrival, and then its call is run again from the start: so it must wait before it has written anything. A
// waiter whose client has gone stays in the queue until the server notices, and may be granted the lock.
//
// Not modelled. A call is one step on the server: two calls never interleave their statements, so there are no
// isolation anomalies and no lock waits between them (`stall` stands for those), and of a stand-alone call with several
// statements only the first can be left behind in the server. A transaction whose caller gave up while it stalled is
// rolled back, or was committed with its answer lost: half of the cases each. Connecting takes no time of its own. A
// killed statement that stalls has no effect, and never all of it. Of MySQL's locks by name, deadlocks between them and
// the limit of a statement's time are left out.
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
    void set_server_id(std::string text) { sessions_.set_server_id(std::move(text)); } // as another server has

    std::size_t sessions() const { return sessions_.all().size(); } // that the server holds for open
    std::uint64_t calls() const { return calls_; }
    std::uint64_t left_behind() const { return left_behind_; } // statements that executed for nobody

private:
    class session_pool;
    class plain;
    struct fate;
    struct client_session;
    struct call;
    struct remnant;

    fate draw();
    duration way(random_source& random);
    static duration between(random_source& random, duration least, duration most);
    bool parted(host const& who) const { return parted_.contains(who.name()); }

    // The course of one call, from a free session to the answer.
    awaitable<void> carry_out(host& who, client_session& session, memory_store::job const& work, bool in_transaction);
    awaitable<void> serve(call& mine);
    awaitable<void> thaw(call const& mine);
    awaitable<void> wait(call const& mine, instant until);
    awaitable<void> wait_for_lock(call& mine);
    void send(call const& mine);
    bool attach(call const& mine);
    void execute(call& mine);
    void run(call& mine);
    void leave_behind(call& mine);
    void leave_statement(call const& mine);
    void leave_transaction(call& mine);
    awaitable<void> finish_alone(remnant rest);

    // The course of a session on the server.
    session_handle open(host const& who, duration idle_limit);
    void statement_over(server_session& which);
    void end_session(server_session& which, char const* why);
    std::shared_ptr<lock_wait> queue(std::shared_ptr<lock_wait> wanted, std::shared_ptr<bell> caller);
    void wait_over(lock_wait& wait);
    void hang_up(session_handle const& which);
    void hang_up(host const& who);
    awaitable<void> thaw();
    awaitable<void> say_goodbye(session_handle which);
    awaitable<void> notice_absence(session_handle which);
    awaitable<void> end_ghost(session_handle which);
    awaitable<void> watch_silence(session_handle which);
    awaitable<void> time_out(std::shared_ptr<lock_wait> wait);

    asio::io_context& loop_;
    virtual_time& time_;
    trace& log_;
    seeded_random random_;  // of the calls
    seeded_random endings_; // of the sessions that their clients leave
    session_table sessions_;
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
