#pragma once
// The settings of a node, collected from its parts.

#include "trigger/clients/settings.hpp"
#include "trigger/delivery/settings.hpp"
#include "trigger/election/settings.hpp"
#include "trigger/master/settings.hpp"
#include "trigger/membership/settings.hpp"

#include <string>

namespace baton::trigger {

struct settings {
    std::string name;           // for people; by default the name of the host
    std::string address;        // for other nodes, "http://10.0.0.1:7800"
    std::string token;          // that clients must show; empty: none
    duration drain = 10s;       // for a clean stop
    std::string election_trace; // file for the trace of the election, for tests; empty: none
    election_settings election;
    guard_settings guard;
    planner_settings planner;
    dispatcher_settings dispatcher;
    client_settings clients;
    membership_settings membership;
    results_settings results;
    retention_settings retention;
    zone_settings zones;

    void check(setting_check& all) const;
};

} // namespace baton::trigger
