#pragma once

#include "libs/base/loop_meter.hpp"
#include "trigger/clients/registry.hpp"
#include "trigger/delivery/dispatcher.hpp"
#include "trigger/delivery/master_contact.hpp"
#include "trigger/delivery/master_link.hpp"
#include "trigger/election/cluster_clock.hpp"
#include "trigger/membership/membership.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace baton::trigger {

// The state of this node, for its health endpoints and for its row in the table of nodes.
class node_status {
public:
    struct dependencies {
        election_proxy const& election;
        known_epoch const& epochs;
        registry const& clients;
        dispatcher const& deliveries;
        master_link const& master;
        membership const& nodes;
        master_contact const& contact;
        cluster_clock& clock;
        time_source& time;
        std::vector<measured_loop const*> loops;
    };
    // `queue_limit`: the number of deliveries that counts as full load.
    node_status(std::size_t queue_limit, dependencies deps) : queue_limit_(queue_limit), deps_(std::move(deps)) {}

    nlohmann::json document() const;
    membership::status row() const;

private:
    std::string role() const;
    nlohmann::json loops() const;
    nlohmann::json cannot_plan() const; // the reason, or null
    nlohmann::json failed_parts() const;
    nlohmann::json clock_stands_until() const; // if the clock was set back, or null

    std::size_t queue_limit_;
    dependencies deps_;
};

} // namespace baton::trigger
