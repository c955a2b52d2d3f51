#pragma once

#include "libs/base/task_group.hpp"
#include "trigger/clients/client_calls.hpp"
#include "trigger/delivery/delivery_right.hpp"
#include "trigger/delivery/known_attempts.hpp"
#include "trigger/delivery/lanes.hpp"
#include "trigger/delivery/reporter.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace baton::trigger {

// Asks clients for executions that they have not begun: a client that drains for all of them, a slow one for what it
// has beyond its slots (client_lane). What a client gives back goes to the master, which sends it to another client as
// the same attempt, or keeps it back if a policy says so. A recall has a number of the same row as the dispatches to
// the client, so that the client takes nothing from a dispatch that arrives after it and was sent before. On the loop
// only.
class recalls {
public:
    struct dependencies {
        lanes& clients;
        client_calls& calls;
        delivery_right const& right;
        reporter& report;
        known_attempts& known; // of the present epoch
        time_source& time;
        task_group& background; // ends before this object
    };
    struct steps {
        std::function<std::int64_t()> number;                // of the next message to a client
        std::function<void(std::string const& instance)> on; // dispatches may go to it again
    };
    recalls(dependencies deps, steps given) : deps_(deps), steps_(std::move(given)) {}

    void look_at(client_lane& lane);

private:
    awaitable<void> ask(std::string instance, std::vector<protocol::attempt_key> which);
    void settle(client_lane& lane, protocol::term_id term, std::vector<protocol::attempt_key> const& asked,
                client_calls::recall_outcome const& outcome);
    void give_back(std::string const& instance, protocol::attempt_key const& which);

    dependencies deps_;
    steps steps_;
};

} // namespace baton::trigger
