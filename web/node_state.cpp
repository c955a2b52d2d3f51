#include "web/node_state.hpp"

namespace baton::web {

using nlohmann::json;

json heartbeat_of(json const& health)
{
    auto const found = health.is_object() ? health.find("heartbeat_ms") : health.end();
    return found != health.end() && found->is_number_integer() && *found > 0 ? *found : json();
}

std::string contact_of(json const& health)
{
    auto const found = health.is_object() ? health.find("contact") : health.end();
    bool const told = found != health.end() && (*found == "cut_off" || *found == "returning");
    return told ? found->get<std::string>() : "steady";
}

json failed_parts_of(json const& health)
{
    auto const found = health.is_object() ? health.find("failed_parts") : health.end();
    return health.is_object() && found != health.end() && found->is_array() ? *found : json::array();
}

// A node has a ttl of at least three heartbeats, so half of it stands for two that are not known.
bool is_silent(storage::node_record const& node)
{
    auto const heartbeat = heartbeat_of(json::parse(node.health, nullptr, false));
    auto const two = heartbeat.is_null() ? node.ttl / 2 : 2 * std::chrono::milliseconds{heartbeat.get<std::int64_t>()};
    return node.alive() && node.age > two;
}

node_state state_of(storage::node_record const& node)
{
    if (!node.alive())
        return node_state::gone;
    if (is_silent(node))
        return node_state::silent;
    auto const health = json::parse(node.health, nullptr, false);
    if (health.is_object() && !health.value("cannot_plan", json()).is_null())
        return node_state::cannot_plan;
    if (!failed_parts_of(health).empty())
        return node_state::part_failed;
    if (contact_of(health) == "cut_off")
        return node_state::cut_off;
    return node.draining ? node_state::draining : node_state::live;
}

} // namespace baton::web
