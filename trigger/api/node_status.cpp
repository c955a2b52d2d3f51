#include "trigger/api/node_status.hpp"

#include "libs/base/characters.hpp"
#include "libs/schedule/zones.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

// The column of the health is limited.
constexpr std::size_t longest_reason = 300;
constexpr std::size_t longest_cause = 150;
constexpr std::size_t most_failed_parts = 4;

double milliseconds(duration span)
{
    return static_cast<double>(span.count()) / 1'000;
}

} // namespace

std::string node_status::role() const
{
    return deps_.election.state().at(deps_.time.now()) == standing::active ? "master" : "slave";
}

nlohmann::json node_status::loops() const
{
    auto out = nlohmann::json::array();
    for (auto const* loop : deps_.loops) {
        auto const step = loop->longest();
        out.push_back({{"name", loop->name()},
                       {"longest_step_ms", milliseconds(step.cpu)},
                       {"longest_step_wall_ms", milliseconds(step.wall)},
                       {"part", step.part}});
    }
    return out;
}

nlohmann::json node_status::cannot_plan() const
{
    auto* const master = deps_.master.here();
    auto const why = master == nullptr ? std::nullopt : master->cannot_plan();
    return why ? nlohmann::json(shortened(*why, longest_reason)) : nlohmann::json();
}

nlohmann::json node_status::failed_parts() const
{
    auto out = nlohmann::json::array();
    auto const* master = deps_.master.here();
    if (master == nullptr)
        return out;
    for (auto const& one : master->troubles())
        if (out.size() < most_failed_parts)
            out.push_back(
                {{"part", one.part}, {"since", to_rfc3339(one.since)}, {"cause", shortened(one.cause, longest_cause)}});
    return out;
}

nlohmann::json node_status::clock_stands_until() const
{
    auto const until = deps_.clock.stands_until();
    return until ? nlohmann::json(to_rfc3339(*until)) : nlohmann::json();
}

nlohmann::json node_status::document() const
{
    auto const* master = deps_.master.here();
    nlohmann::json out{{"node", deps_.nodes.self().name},
                       {"incarnation", deps_.nodes.self().incarnation},
                       {"version", BATON_VERSION},
                       {"role", role()},
                       {"standing", to_string(deps_.election.state().at(deps_.time.now()))},
                       {"epoch", deps_.epochs.value()},
                       {"clients", deps_.clients.size()},
                       {"carrying", deps_.deliveries.load()},
                       {"open", master == nullptr ? 0 : master->open()},
                       {"skew_ms", deps_.clock.skew() / 1ms},
                       {"clock_stands_until", clock_stands_until()},
                       {"cannot_plan", cannot_plan()},
                       {"failed_parts", failed_parts()},
                       {health_contact, to_string(deps_.contact.state())},
                       {"loops", loops()}};
    if (auto const ahead = deps_.epochs.ahead(); ahead != 0)
        out["clients_know_epoch"] = ahead; // an alarm: they refuse this node's
    return out;
}

membership::status node_status::row() const
{
    membership::status now;
    now.role = role();
    now.load_permille = static_cast<int>(std::min<std::size_t>(1'000, deps_.deliveries.load() * 1'000 / queue_limit_));
    now.clients = static_cast<int>(deps_.clients.size());
    nlohmann::json health{{"loops", loops()},
                          {"cannot_plan", cannot_plan()},
                          {"heartbeat_ms", deps_.nodes.heartbeat() / 1ms},
                          {"clock_offset_ms", deps_.clock.skew() / 1ms}};
    if (auto failed = failed_parts(); !failed.empty())
        health["failed_parts"] = std::move(failed);
    if (auto const state = deps_.contact.state(); state != contact::steady)
        health[health_contact] = to_string(state);
    if (auto const zones = schedule::newest_zones())
        health["zones"] = zones->version();
    now.health = health.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); // a cause may be any bytes
    return now;
}

} // namespace baton::trigger
