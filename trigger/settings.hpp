#pragma once

#include "libs/base/time.hpp"
#include "trigger/election/epoch.hpp"

#include <cstddef>
#include <string>

namespace baton::trigger {

// The lease on the lock row (docs/election.md).
struct election_settings {
    std::string name_space = "master"; // of the lock row
    duration tick = 1s;                // from the end of one look at the row to the next
    duration ttl = 3s;                 // a lease that is not renewed for so long is over
    duration margin = 250ms;           // the master stops this long before
    duration initial_delay = 0s;       // before the first look
    duration grace = 5s;               // a term that has not ended so long after its deadline ends the process
    epoch_rule epochs = epoch_rule::counted;

    void validate() const; // each throws invalid_input naming the key ("election.ttl")
};

// The guard of the lease, a lock that dies with the master's session: for a quick take-over, never for safety.
struct guard_settings {
    bool enabled = true;
    duration wait = 300ms;  // the master acts for less than this after its last ping; its successor waits as long
    duration ping = 75ms;   // of the master, on the guard's session
    duration margin = 30ms; // the master stops this long before
    duration silence = 2s;  // MySQL: the server ends a guard's session that is silent for so long

    void validate() const;
};

struct planner_settings {
    duration look_ahead = 5s;              // how far ahead firings are planned
    duration poll = 200ms;                 // how often signals and the plan are looked at
    duration edit_lead = 1s;               // from an edit to the first instant that it decides
    std::size_t page = 500;                // tasks a transaction
    std::size_t firings_of_a_task = 1'000; // of one task a transaction; a task that is far behind takes several
    std::size_t open_limit = 1'000'000;  // executions in memory; above it planning waits and the tasks keep what is due
    std::size_t overdue_limit = 100'000; // of one service that nobody takes; above it its tasks wait
    duration sweep = 1s;                 // how often open rows are compared with memory

    void validate() const;
};

struct dispatcher_settings {
    std::size_t group = 500;           // executions a request
    std::size_t queue_limit = 100'000; // executions that a slave holds for its clients
    duration assign_limit = 2s;        // for a request from master to slave
    duration dispatch_limit = 5s;      // for a request from slave to client
    duration doubt_after = 10s;        // no word of an assignment for so long: the node is told again
    duration retry_pause = 100ms;      // before a client that was busy or could not be reached is tried again

    void validate() const;
};

struct client_settings {
    duration heartbeat = 5s; // asked of clients; gone after three
    int missed = 3;

    duration ttl() const { return heartbeat * missed; }
    void validate() const;
};

struct membership_settings {
    duration heartbeat = 1s;
    duration ttl = 4s; // a node silent for so long is gone

    void validate() const;
};

struct results_settings {
    std::size_t group = 2'000;        // results a transaction
    std::size_t queue_limit = 20'000; // waiting for the database; beyond it clients get 503 and keep their results

    void validate() const;
};

// What has ended long ago is deleted by the master, a piece at a time.
struct retention_settings {
    duration keep = 24h * 30; // an execution stays so long after it was due and has ended; 0: for ever
    std::size_t piece = 500;  // rows a transaction, at most
    int share = 10;           // percent of the time that this may take

    void validate() const;
};

struct settings {
    std::string name;     // of the node, for people; the host's name by default
    std::string address;  // where others reach it, "http://10.0.0.1:7800"
    std::string token;    // that clients must show; empty: none asked
    duration drain = 10s; // for a clean stop
    std::string history;  // a file that what this node believes and does is appended to; empty: none
    election_settings election;
    guard_settings guard;
    planner_settings planner;
    dispatcher_settings dispatcher;
    client_settings clients;
    membership_settings membership;
    results_settings results;
    retention_settings retention;

    void validate() const;
};

} // namespace baton::trigger
