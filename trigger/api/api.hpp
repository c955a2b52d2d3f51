#pragma once
// The HTTP endpoints of a node.

#include "libs/http/router.hpp"
#include "trigger/clients/fetch_line.hpp"
#include "trigger/clients/home_watches.hpp"
#include "trigger/clients/stamps.hpp"
#include "trigger/delivery/client_questions.hpp"
#include "trigger/delivery/collector.hpp"
#include "trigger/delivery/dispatcher.hpp"
#include "trigger/delivery/master_contact.hpp"
#include "trigger/delivery/master_link.hpp"
#include "trigger/delivery/reachability.hpp"
#include "trigger/election/cluster_clock.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>

namespace baton::trigger {

struct client_endpoint_parts {
    client_settings heartbeat;
    registry& clients;
    membership const& nodes;
    collector& results;
    dispatcher& deliveries;
    reachability& reach;
    home_watches& watches;
    fetch_line& fetches;
    master_contact& contact;
    known_epoch const& epochs;
    stamps const& given;
    time_source& time;
};
// /client/v1, for clients, which show the shared token if one is configured (`token` is not empty).
void add_client_endpoints(http::router& router, std::string token, client_endpoint_parts parts);

struct node_endpoint_parts {
    known_epoch& epochs;
    dispatcher& deliveries;
    client_questions& questions;
    master_link& master;
    registry& clients;
    election_trace& trace;
    time_source const& time;
    cluster_clock& clock;
};
// /internal/v1, for nodes and the web, which show this incarnation's secret.
void add_node_endpoints(http::router& router, std::string secret, node_endpoint_parts parts);

// /healthz and /readyz, for any caller; /readyz gives reasons and the state of the node only to callers that show
// `token`. `status`: see node_status. `ready` may throw unavailable.
void add_health_endpoints(http::router& router, std::string token, std::function<nlohmann::json()> status,
                          std::function<awaitable<bool>()> ready);

} // namespace baton::trigger
