#pragma once

#include "libs/base/asio.hpp"
#include "libs/base/process.hpp"
#include "libs/base/random.hpp"
#include "libs/base/time.hpp"
#include "libs/http/client.hpp"
#include "libs/http/message.hpp"
#include "libs/lease/guard_store.hpp"
#include "libs/lease/lease_store.hpp"
#include "libs/storage/database.hpp"
#include "trigger/settings.hpp"

#include <memory>
#include <string>

namespace baton::trigger {

// The seams of a node to the outside: the process passes MySQL and sockets, a simulation its own. Everything outlives
// the node.
struct world {
    time_source& time;
    random_source& random;
    storage::database& shared;   // several sessions
    storage::database& deciding; // one session, for the decisions of a master
    lease::lease_store& lease;   // on one session of its own
    lease::guard_store* guard;   // on another session; null without a guard
    http::client& http;
    std::string incarnation; // make_incarnation
    std::string secret;      // which callers of the internal endpoints must show
    deadman* last_resort;    // ends a process whose term does not drain; null in a simulation, which has no real time
};

// A trigger process: always a member of the cluster and a carrier (slave), at times the master. Everything runs on one
// loop.
class node {
public:
    node(asio::any_io_executor loop, settings settings, world world);
    ~node();

    // The endpoints for the listener: /client/v1, /internal/v1, /healthz, /readyz.
    http::handler routes();

    // Runs until `stop` or cancellation. After `stop` the node gives up mastership, drains and leaves; then this
    // returns. Throws if a part of the node fails.
    awaitable<void> run();
    void stop();

    bool leading() const;
    std::int64_t epoch() const; // the highest that this node knows

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

} // namespace baton::trigger
