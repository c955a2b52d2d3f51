#include "trigger/clients/routing.hpp"

namespace baton::trigger {

std::vector<known_client*> candidates(std::vector<known_client*> const& live, std::string const& handler, instant now)
{
    std::vector<known_client*> able;
    for (auto* client : live)
        if (client->takes_work() && client->avoid_until <= now && client->handlers.contains(handler))
            able.push_back(client);
    return able;
}

known_client* router_of_clients::choose(std::vector<known_client*> const& among, protocol::client_choice choice,
                                        std::string const& service, std::string const& handler)
{
    if (among.empty())
        return nullptr;
    switch (choice) {
    case protocol::client_choice::round_robin:
        return among[turns_[service + '/' + handler]++ % among.size()];
    case protocol::client_choice::random:
        return among[random_.below(among.size())];
    case protocol::client_choice::failover:
        return among.front();
    case protocol::client_choice::instance:
        break; // chosen already
    }
    return nullptr;
}

} // namespace baton::trigger
