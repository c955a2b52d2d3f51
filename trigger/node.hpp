#pragma once

#include "libs/base/asio.hpp"
#include "libs/base/process.hpp"
#include "libs/base/random.hpp"
#include "libs/base/time.hpp"
#include "libs/http/client.hpp"
#include "libs/http/message.hpp"
#include "libs/lease/lease.hpp"
#include "libs/storage/database.hpp"
#include "trigger/settings.hpp"

#include <memory>
#include <string>

namespace baton::trigger {

// What the outside world gives a node: the process fills it with MySQL and sockets, a simulation with its own.
struct world {
    time_source& time;
    random_source& random;
    storage::database& shared;   // several sessions
    storage::database& deciding; // one session: what a master decides
    lease::lease_store& lease;   // on one session of its own
    lease::guard_store* guard;   // on another; none where there is none
    http::client& http;
    std::string incarnation; // make_incarnation
    std::string secret;      // that callers of the internal endpoints must show
    deadman* last_resort;    // for a term that does not drain; none in a simulation, where real time says nothing
};

// A trigger process: always a member and a carrier (slave), and at times the master. Everything on one loop.
class node {
public:
    node(asio::any_io_executor loop, settings settings, world outside);
    ~node();

    // What the listener serves: /client/v1, /internal/v1, /healthz, /readyz.
    http::handler routes();

    // Runs until `stop` or cancellation. After `stop`: gives up mastership if held, drains, leaves, returns.
    awaitable<void> run();
    void stop();

    bool leading() const;
    std::int64_t epoch() const; // highest that this node has seen

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

} // namespace baton::trigger
