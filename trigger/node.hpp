#pragma once

#include "libs/base/loop_link.hpp"
#include "libs/base/loop_meter.hpp"
#include "libs/base/process.hpp"
#include "libs/base/random.hpp"
#include "libs/base/time.hpp"
#include "libs/http/client.hpp"
#include "libs/http/message.hpp"
#include "libs/lease/guard_store.hpp"
#include "libs/lease/lease_store.hpp"
#include "libs/protocol/term_id.hpp"
#include "libs/storage/database.hpp"
#include "trigger/settings.hpp"

#include <memory>
#include <string>
#include <vector>

namespace baton::trigger {

// The seams of a node to the outside: the process passes MySQL and sockets, a simulation its own. Everything outlives
// the node.
struct world {
    time_source& time;
    random_source& random;
    storage::database& shared;   // several sessions
    storage::database& deciding; // one session, for the decisions of a master
    storage::database& signals;  // one session, for a master's reading of the signals of web
    storage::database& members;  // one session, for this node's heartbeats and the roster
    lease::lease_store& lease;   // on one session of its own
    lease::guard_store* guard;   // on another session; null without a guard
    http::client& http;
    std::string incarnation; // make_incarnation
    std::string secret;      // which callers of the internal endpoints must show
    deadman* last_resort;    // ends a process whose term does not drain; null in a simulation, which has no real time
    // The election has a loop, clock and numbers of its own, so that nothing that this node does delays it.
    loop_ref electing;
    time_source& election_time;
    storage::database& beating; // for the heartbeats of this node that the election's loop sends
    random_source& election_random;
    std::vector<measured_loop const*> loops{}; // whose steps the node shows; none in a simulation
    // The id of the lock row.
    protocol::namespace_id name_space = protocol::first_namespace;
};

// A trigger process: always a member of the cluster and a slave, at times the master. The election runs on a loop of
// its own, everything else on the working loop.
class node {
public:
    node(loop_ref working, settings settings, world world);
    ~node();

    // Before routes() answer: the secret that all nodes of the database share (storage::cluster_secret), with which
    // each checks the receipts of all.
    void share_receipts(std::string const& secret);

    // The endpoints for the listener: /client/v1, /internal/v1, /healthz, /readyz.
    http::handler routes();

    // Runs until `stop` or cancellation. After `stop` the node gives up mastership, drains and leaves; then this
    // returns. Throws if a part of the node fails.
    awaitable<void> run();
    void stop();

    bool leading() const;
    std::int64_t epoch() const;  // the highest that this node knows
    std::size_t clients() const; // that are registered with this node

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

} // namespace baton::trigger
