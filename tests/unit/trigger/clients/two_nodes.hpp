#pragma once

#include "libs/base/error.hpp"
#include "libs/protocol/revision.hpp"
#include "libs/sim/sim.hpp"
#include "trigger/clients/registry.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace baton::trigger {

inline protocol::register_request make_request()
{
    protocol::register_request request;
    request.revision = protocol::wire_revision;
    request.service = "billing";
    request.instance = "host:1";
    request.address = "http://127.0.0.1:4711";
    request.secret = "0123456789abcdef";
    request.handlers = {"close-day"};
    request.generation = 1;
    return request;
}

// The time of a process that can be stopped, as by SIGSTOP: nothing in it wakes before it goes on.
class stoppable_time final : public time_source {
public:
    explicit stoppable_time(time_source& base) : base_(base) {}

    instant now() const override { return base_.now(); }
    utc_time utc() const override { return base_.utc(); }
    awaitable<void> sleep_until(instant at) override
    {
        co_await base_.sleep_until(at);
        while (base_.now() < goes_on_)
            co_await base_.sleep_until(goes_on_);
    }

    void stop_for(duration span) { goes_on_ = base_.now() + span; }

private:
    time_source& base_;
    instant goes_on_{};
};

// Two nodes that hear clients, in virtual time; "host:1" has joined at the first.
struct two_nodes {
    sim::stage stage{3};
    client_settings settings; // gone after three heartbeats

    struct node {
        explicit node(two_nodes& in, std::string const& name)
            : host(in.stage.add_host(name)),
              time(host.time()),
              database(in.stage.database.connect(host, {.sessions = 1, .read_limit = 1s})),
              clients(in.settings, name, *database, time, in.stage.loop.get_executor())
        {
            host.spawn(clients.run());
            host.spawn(clients.write_rows());
            host.spawn(clients.write_schemas());
        }
        sim::host& host;
        stoppable_time time;
        std::unique_ptr<storage::database> database;
        registry clients;
    };
    std::map<std::string, std::int64_t> tried;            // registrations, by instance
    std::map<std::string, std::int64_t> taken_generation; // of the last that a node took
    std::unique_ptr<node> a;
    std::unique_ptr<node> b;

    explicit two_nodes(duration heartbeat = 5s)
    {
        settings.heartbeat = heartbeat;
        stage.make_tables();
        a = std::make_unique<node>(*this, "a");
        b = std::make_unique<node>(*this, "b");
        pass(3s);
        join("host:1");
        pass(3s);
    }
    ~two_nodes() { stage.end(); }

    void pass(duration span) { stage.time.run_for(span); }

    // A client registers at the first node.
    void join(std::string const& instance, std::string const& service = make_request().service)
    {
        auto request = make_request();
        request.instance = instance;
        request.generation = ++tried[instance];
        taken_generation[instance] = request.generation;
        request.service = service;
        auto call = [&]() -> awaitable<void> { co_await a->clients.join(request); };
        stage.play(call());
    }

    // The node is told that nothing has changed since `last_change`, once a second for so long.
    void note(node& at, utc_time last_change, duration span, duration clock_set_back = {})
    {
        for (auto until = stage.time.now() + span; stage.time.now() < until; pass(1s))
            at.clients.note(last_change, at.time.utc() - clock_set_back, at.time.now());
    }

    // The client registers with the second node, behind the back of the first, which had been told for so long that
    // nothing changes. When that was so.
    utc_time move_unnoticed()
    {
        auto const quiet_since = stage.time.utc();
        pass(6s);
        note(*a, quiet_since, 3s);
        beat(*b);
        return quiet_since;
    }

    // A heartbeat to this node, or a registration if the node is not the client's home; whether it was taken.
    bool beat(node& at)
    {
        bool taken = false;
        protocol::heartbeat_request request;
        request.instance = "host:1";
        request.generation = taken_generation["host:1"];
        auto again = make_request();
        auto call = [&]() -> awaitable<void> {
            try {
                taken = co_await at.clients.beat(request);
                if (taken)
                    co_return;
                again.generation = ++tried["host:1"];
                auto const answer = co_await at.clients.join(again);
                taken = answer == registry::joined::here;
                if (taken)
                    taken_generation["host:1"] = again.generation;
            } catch (unavailable const&) {
                taken = false;
            }
        };
        stage.play(call());
        return taken;
    }
    bool knows(node& which, std::string const& instance = "host:1") { return which.clients.find(instance) != nullptr; }
};

} // namespace baton::trigger
