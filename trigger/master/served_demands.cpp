#include "trigger/master/served_demands.hpp"

namespace baton::trigger {

namespace {
constexpr std::size_t most_kept = 10'000; // demands that are asked for again are counted again beyond it
}

served_demands::count served_demands::of(protocol::service_view service, std::string const& demand,
                                         std::vector<listed_client const*> const& clients)
{
    if (clients.empty())
        return {};
    if (auto const of = services_.find(service); of != services_.end())
        if (auto const known = of->second.find(demand); known != of->second.end())
            return known->second;
    if (kept_ >= most_kept) {
        services_.clear();
        kept_ = 0;
    }
    ++kept_;
    auto& fresh = protocol::value_of(services_, service)[demand];
    for (auto const* client : clients)
        add(fresh, *client, demand, 1);
    return fresh;
}

void served_demands::add(listed_client const& client, int sign)
{
    if (auto const of = services_.find(*client.service); of != services_.end())
        for (auto& [demand, kept] : of->second)
            add(kept, client, demand, sign);
}

void served_demands::add(count& kept, listed_client const& client, std::string const& demand, int sign)
{
    ++looks_;
    if (client.draining || !client.serves(demand))
        return;
    kept.staying += static_cast<std::size_t>(sign);
    if (client.takes_work)
        kept.working += static_cast<std::size_t>(sign);
}

} // namespace baton::trigger
