#pragma once
// One client on one loop: engine, routes, registration and result sender, with their timers. The service gives it
// threads and sockets; a simulation gives it virtual time and a simulated network.

#include "client-sdk/src/engine.hpp"
#include "client-sdk/src/fetcher.hpp"
#include "client-sdk/src/registration.hpp"
#include "client-sdk/src/result_sender.hpp"
#include "client-sdk/src/routes.hpp"

namespace baton::client {

struct runtime_parts {
    time_source& time;
    random_source& random;
    http::client& http;
    executor& handlers;
};

struct runtime_settings {
    engine_limits limits;
    link_settings link; // identity.handlers, slots and queue are filled in from here
    std::set<std::string> handlers;
};

class runtime {
public:
    runtime(asio::any_io_executor loop, runtime_parts parts, runtime_settings settings);
    runtime(runtime const&) = delete;
    runtime& operator=(runtime const&) = delete;

    // For the listener: answers the calls of nodes. A client that fetches has none.
    http::handler handler();
    http::admitter admitter();

    // Heartbeats, reports and timers, until cancelled. Jobs that still run then call back into this object, so it must
    // outlive them.
    awaitable<void> run();

    // Beside run(): announces that the client drains, refuses new executions, waits for those it has and for the
    // acknowledgement of all results, then leaves. Returns within `grace`: near its end handlers are asked to stop;
    // executions that have not ended by then are in doubt for the nodes.
    awaitable<void> drain(duration grace, duration stop_ahead = 0s);

    engine const& state() const { return engine_; }
    bool registered() const { return registration_.registered(); }
    std::string const& instance() const { return registration_.instance(); }

private:
    void pump(); // starts ready jobs, and wakes timers and sender
    awaitable<void> fetch();
    awaitable<void> keep_time();
    awaitable<void> follow_handlers();
    awaitable<void> wait_idle(instant until);
    awaitable<void> wait_recorded(instant until);

    runtime_parts parts_;
    engine engine_;
    routes routes_;
    node_calls calls_;
    registration registration_;
    bool fetches_;
    fetcher fetcher_;
    result_sender sender_;
    waker pump_bell_; // after the end of a handler
    waker timer_bell_;
    instant tick_at_{}; // the end of the timer's sleep
    waker drain_bell_;
};

} // namespace baton::client
