#pragma once

#include "libs/base/time.hpp"
#include "libs/http/router.hpp"
#include "libs/protocol/node_wire.hpp"

#include <functional>
#include <optional>
#include <string>

namespace baton::trigger {

// What the endpoints of a node do, given by its composition.
struct client_calls {
    std::function<awaitable<bool>(protocol::register_request)> join; // false: it counts as gone
    std::function<awaitable<bool>(protocol::heartbeat_request)> beat;
    std::function<awaitable<void>(std::string instance)> leave;
    std::function<awaitable<void>(protocol::results_request)> results;
    std::function<std::int64_t()> epoch;
    duration heartbeat;
    duration ttl;
};

struct node_calls {
    // The epoch that a caller names, against the highest known here: lower is refused with 409, higher is learned.
    std::function<bool(std::int64_t epoch, std::string const& who)> admit;
    std::function<std::int64_t()> epoch;
    std::function<std::size_t(protocol::assign_request)> assign;
    std::function<std::vector<execution_id>(std::vector<execution_id>)> withdraw;
    // Nothing: this node is not the master.
    std::function<std::optional<protocol::report_answer>(protocol::report_request const&)> report;
    std::function<bool()> signal; // false: not the master
    std::function<void(std::string const& instance)> departed;
};

struct health_calls {
    std::function<nlohmann::json()> status;
    std::function<awaitable<bool>()> ready;
};

// /client/v1: clients, who show the shared token where one is configured (empty: none).
void add_client_endpoints(http::router& to, std::string token, client_calls calls);
// /internal/v1: nodes and web, who show this incarnation's secret.
void add_node_endpoints(http::router& to, std::string secret, node_calls calls);
// /healthz, /readyz: anybody.
void add_health_endpoints(http::router& to, health_calls calls);

} // namespace baton::trigger
