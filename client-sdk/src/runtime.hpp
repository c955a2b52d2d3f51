#pragma once
// One client on one loop: engine, routes and link, and the timers and bells between them. The service gives it threads
// and sockets, a simulation virtual time and a simulated network.

#include "client-sdk/src/engine.hpp"
#include "client-sdk/src/link.hpp"
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

    // For the listener: answers the calls of nodes.
    http::handler handler();

    // Heartbeats, reports and timers, until cancelled. A job that still runs then calls back into this object: it must
    // outlive the executor's use of it.
    awaitable<void> run();

    // Beside run(): announces that it drains, refuses new work, waits for what it has, and for the acknowledgement of
    // all results, then says good-bye. Returns within `grace`: near its end handlers are asked to stop, and what has
    // not ended by then is left to the nodes, which find it in doubt.
    awaitable<void> drain(duration grace);

    engine const& state() const { return engine_; }
    bool registered() const { return link_.registered(); }
    std::string const& instance() const { return link_.instance(); }

private:
    void pump(); // starts what can start, and lets timers and link look
    awaitable<void> keep_time();
    awaitable<void> follow_handlers();
    awaitable<void> wait_idle(instant until);
    awaitable<void> wait_recorded(instant until);

    runtime_parts parts_;
    engine engine_;
    routes routes_;
    link link_;
    waker pump_bell_; // rung when handlers have ended
    waker timer_bell_;
    instant tick_at_{}; // until when the timer sleeps
    waker drain_bell_;
};

} // namespace baton::client
