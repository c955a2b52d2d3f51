#include "trigger/api/node_status.hpp"

#include <algorithm>

namespace baton::trigger {

std::string node_status::role() const
{
    return deps_.election.state().at(deps_.time.now()) == standing::active ? "master" : "slave";
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
                       {"clients", deps_.clients.heard_here()},
                       {"carrying", deps_.deliveries.load()},
                       {"open", master == nullptr ? 0 : master->open()},
                       {"skew_ms", deps_.clock.skew() / 1ms}};
    return out;
}

membership::status node_status::row() const
{
    membership::status now;
    now.role = role();
    now.load_permille = static_cast<int>(std::min<std::size_t>(1'000, deps_.deliveries.load() * 1'000 / queue_limit_));
    now.clients = static_cast<int>(deps_.clients.heard_here());
    return now;
}

} // namespace baton::trigger
