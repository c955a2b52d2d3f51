#pragma once

#include "libs/base/random.hpp"
#include "libs/protocol/node_wire.hpp"
#include "trigger/clients/registry.hpp"

#include <string>
#include <unordered_map>
#include <vector>

namespace baton::trigger {

// The clients that can take an execution now: up, serving the handler, and not to be avoided. In order of instance.
std::vector<known_client*> candidates(std::vector<known_client*> const& live, std::string const& handler, instant now);

// Chooses one of the candidates: in turn (a turn for each service and handler), at random, or the first (failover).
// Null when there is none.
class router_of_clients {
public:
    explicit router_of_clients(random_source& random) : random_(random) {}
    known_client* choose(std::vector<known_client*> const& among, protocol::client_choice choice,
                         std::string const& service, std::string const& handler);

private:
    random_source& random_;
    std::unordered_map<std::string, std::size_t> turns_;
};

} // namespace baton::trigger
