#pragma once

#include "libs/base/task_group.hpp"
#include "trigger/clients/client_calls.hpp"
#include "trigger/delivery/lanes.hpp"
#include "trigger/delivery/probe_line.hpp"

#include <functional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace baton::trigger {

// Asks the clients that have not proved themselves at their address, or not since their last failure, to do so: many at
// a time and services in turn, each with pauses that grow. A client costs work only when its own pause ends. On the
// loop only.
class client_probes {
public:
    struct calls {
        std::function<awaitable<client_calls::probe_outcome>(std::string instance)> probe;
        std::function<void(std::string const& instance)> proved;
        std::function<void(std::string const& instance, std::string const& why)> failed;
    };
    client_probes(lanes& clients, time_source& time, asio::any_io_executor loop, calls given)
        : clients_(clients), time_(time), calls_(std::move(given)), senders_(std::move(loop))
    {}

    // Probes this client now.
    void add(std::string const& instance);
    // Probes it when its pause is over, until forget().
    void add_later(std::string const& instance);
    void forget(std::string const& instance);

    // Probes the clients whose pause is over.
    void tick();

    // Runs `body`, and ends the probes when it ends.
    awaitable<void> around(awaitable<void> body) { co_await senders_.around(std::move(body)); }

private:
    void look_again(std::string const& instance, instant at);
    void start();
    awaitable<void> probe(probe_line::probe one);

    lanes& clients_;
    time_source& time_;
    calls calls_;
    probe_line line_;
    std::unordered_set<std::string> probing_; // queued or under way
    std::unordered_map<std::string, instant> failing_;
    std::set<std::pair<instant, std::string>> due_; // the clients of failing_, by time
    task_group senders_;
};

} // namespace baton::trigger
