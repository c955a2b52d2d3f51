#pragma once

#include "libs/base/time.hpp"
#include "libs/protocol/service_key.hpp"

#include <string>

namespace baton::trigger {

// The places of one client that its executions use.
struct named_credit {
    std::string instance;
    protocol::service_key service;
    int used = 0;
    instant closed_until{}; // nothing is sent to it before: its home returned an execution
    bool refused = false;   // its home returned the last execution, and the client has taken none since
};

} // namespace baton::trigger
