#pragma once
// How a service joins a cluster.

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace baton::client {

struct service_options {
    std::string name = {};                  // of the service, as tasks name it; required
    std::vector<std::string> triggers = {}; // trigger nodes, "http://10.0.0.1:7800"; at least one; it fails over

    std::string listen = "127.0.0.1"; // IP address for calls from the nodes; any but loopback requires a token
    std::uint16_t port = 0;           // 0: any free one
    // Where nodes reach this process: "http://10.0.0.7:41234", or only a host, which gets the bound port. By default
    // what it listens on; required when that is 0.0.0.0 or [::].
    std::string advertise = {};

    std::string token = {};      // the cluster's shared token; goes to the nodes only
    std::string token_file = {}; // or a file that holds it

    std::string instance = {}; // unique in the cluster and new at every start; made up by default

    int slots = 0;        // handlers that run side by side, a thread each; 0: as many as the machine has cores
    int queue = 1'000;    // executions accepted beyond those
    int results = 10'000; // executions held or finished and not yet acknowledged; beyond that it answers "busy"

    std::chrono::milliseconds heartbeat{5'000}; // a node may ask for more frequent ones
    std::chrono::milliseconds grace{30'000};    // for a stop: running handlers, results and good-bye together
};

} // namespace baton::client
