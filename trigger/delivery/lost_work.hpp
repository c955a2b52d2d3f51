#pragma once

#include "libs/base/task_group.hpp"
#include "trigger/clients/client_calls.hpp"
#include "trigger/delivery/delivery_right.hpp"
#include "trigger/delivery/lanes.hpp"
#include "trigger/delivery/reporter.hpp"

#include <string>
#include <vector>

namespace baton::trigger {

// Finds executions that a client took and lost: a worker process died, say, or the client started again under its old
// name. Their slots would be taken for ever. The home asks the client about what it may have lost (client_lane), and
// the client's answer overrules its heartbeats. The master is told of what the client does not run. On the loop only.
class lost_work {
public:
    struct dependencies {
        lanes& clients;
        client_calls& calls;
        delivery_right const& right;
        reporter& report;
        time_source& time;
        task_group& background; // ends before this object
    };
    explicit lost_work(dependencies deps) : deps_(deps) {}

    // A heartbeat of this client has come.
    void look_at(client_lane& lane);

private:
    awaitable<void> ask(std::string instance, std::vector<protocol::attempt_key> doubtful);
    void settle(client_lane& lane, std::vector<protocol::attempt_key> const& doubtful,
                std::vector<protocol::held_execution> const& held);

    dependencies deps_;
};

} // namespace baton::trigger
