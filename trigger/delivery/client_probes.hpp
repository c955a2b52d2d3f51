#pragma once

#include "libs/base/task_group.hpp"
#include "trigger/clients/client_stub.hpp"
#include "trigger/delivery/lanes.hpp"

#include <deque>
#include <functional>
#include <set>
#include <string>

namespace baton::trigger {

// Asks the clients that have not proved themselves at their address, or not since their last failure, to do so: many at
// a time, each with pauses that grow. On the loop only.
class client_probes {
public:
    struct watchers {
        std::function<void(std::string const& instance)> proved;
        std::function<void(std::string const& instance, std::string const& why)> failed;
    };
    client_probes(lanes& clients, client_stub& stub, time_source& time, asio::any_io_executor loop, watchers notify)
        : clients_(clients), stub_(stub), time_(time), notify_(std::move(notify)), senders_(std::move(loop))
    {}

    // Probes this client now.
    void add(std::string const& instance);
    // Probes it when its pause is over, until forget().
    void add_later(std::string const& instance) { failing_.insert(instance); }
    void forget(std::string const& instance) { failing_.erase(instance); }

    // Probes the clients whose pause is over.
    void tick();

    // Runs `body`, and ends the probes when it ends.
    awaitable<void> around(awaitable<void> body) { co_await senders_.around(std::move(body)); }

private:
    void start();
    awaitable<void> probe(std::string instance);

    lanes& clients_;
    client_stub& stub_;
    time_source& time_;
    watchers notify_;
    std::deque<std::string> queue_;
    std::set<std::string> probing_; // queued or under way
    std::set<std::string> failing_;
    std::size_t under_way_ = 0;
    task_group senders_;
};

} // namespace baton::trigger
