#include "trigger/delivery/service_lanes.hpp"

#include "libs/protocol/offers.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

std::vector<client_lane*>::iterator place_in(service_lanes::pool& among, std::string const& instance)
{
    return std::ranges::lower_bound(among.clients, instance, {},
                                    [](client_lane const* lane) { return std::string_view(lane->who().instance); });
}

} // namespace

void service_lanes::update_sum(member& client)
{
    auto& total = client.sum->second;
    total.slots += client.lane->slots() - client.slots;
    total.places += client.lane->places() - client.places;
    client.slots = client.lane->slots();
    client.places = client.lane->places();
}

void service_lanes::enter(client_lane& lane)
{
    auto const& handlers = lane.who().handlers;
    auto& client = members_[lane.who().instance];
    client.lane = &lane;
    client.sum = sums_.try_emplace(handlers).first;
    ++client.sum->second.clients;
    update_sum(client);
    protocol::each_demand(handlers, [&](std::string const& demand) {
        auto const found = pools_.find(demand);
        if (found == pools_.end())
            return;
        auto& [clients, turn] = found->second;
        auto const at = clients.insert(place_in(found->second, lane.who().instance), &lane);
        if (static_cast<std::size_t>(at - clients.begin()) < turn)
            ++turn;
    });
}

void service_lanes::leave(client_lane const& lane)
{
    auto const found = members_.find(lane.who().instance);
    if (found == members_.end())
        return;
    auto const total = found->second.sum;
    protocol::each_demand(total->first, [&](std::string const& demand) {
        auto const serving = pools_.find(demand);
        if (serving == pools_.end())
            return;
        auto& [clients, turn] = serving->second;
        auto const at = place_in(serving->second, lane.who().instance);
        if (static_cast<std::size_t>(at - clients.begin()) < turn)
            --turn;
        clients.erase(at);
        if (clients.empty())
            pools_.erase(serving);
    });
    total->second.slots -= found->second.slots;
    total->second.places -= found->second.places;
    if (--total->second.clients == 0)
        sums_.erase(total);
    members_.erase(found);
}

void service_lanes::recount(client_lane const& lane)
{
    if (auto const found = members_.find(lane.who().instance); found != members_.end())
        update_sum(found->second);
}

service_lanes::pool* service_lanes::find(std::string const& demand)
{
    if (auto const found = pools_.find(demand); found != pools_.end())
        return &found->second;
    pool fresh;
    for (auto const& [instance, client] : members_)
        if (protocol::meets(client.sum->first, demand))
            fresh.clients.push_back(client.lane);
    return fresh.clients.empty() ? nullptr : &pools_.emplace(demand, std::move(fresh)).first->second;
}

std::vector<protocol::handler_capacity> service_lanes::capacity() const
{
    std::vector<protocol::handler_capacity> out;
    for (auto const& [handlers, total] : sums_)
        if (total.places != 0)
            out.push_back({{handlers.begin(), handlers.end()}, total.slots, total.places});
    return out;
}

} // namespace baton::trigger
