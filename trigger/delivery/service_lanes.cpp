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

service_lanes::ordered* service_lanes::pool::of(lane_room what)
{
    switch (what) {
    case lane_room::slot:
        return &with_slot;
    case lane_room::later:
        return &with_slot_later;
    case lane_room::queue:
        return &with_place;
    case lane_room::none:
        break;
    }
    return nullptr;
}

void service_lanes::pool::turn_after(client_lane const& lane)
{
    auto const at = static_cast<std::size_t>(place_in(*this, lane.who().instance) - clients.begin());
    turn = (at + 1) % clients.size();
}

void service_lanes::member::room_changed(client_lane& of, lane_room before)
{
    for (auto* each : pools) {
        if (auto* left = each->of(before))
            left->erase(&of);
        if (auto* entered = each->of(of.takes()))
            entered->insert(&of);
    }
}

void service_lanes::enter(client_lane& lane)
{
    auto const& handlers = lane.who().handlers;
    auto& client = members_[lane.who().instance];
    client.lane = &lane;
    client.sum = sums_.try_emplace(handlers).first;
    ++client.sum->second.clients;
    update_sum(client);
    lane.watch(&client);
    // Work has asked for few of the demands that a client with many handlers and tags could meet.
    if (pools_.size() <= handlers.size()) {
        for (auto& [demand, into] : pools_)
            if (protocol::meets(handlers, demand))
                add_client(client, into);
        return;
    }
    protocol::each_demand(handlers, [&](std::string const& demand) {
        if (auto const found = pools_.find(demand); found != pools_.end())
            add_client(client, found->second);
    });
}

void service_lanes::add_client(member& client, pool& into)
{
    auto const at = into.clients.insert(place_in(into, client.lane->who().instance), client.lane);
    if (static_cast<std::size_t>(at - into.clients.begin()) < into.turn)
        ++into.turn;
    add_pool(client, into);
}

void service_lanes::add_pool(member& client, pool& into)
{
    client.pools.push_back(&into);
    if (auto* room = into.of(client.lane->takes()))
        room->insert(client.lane);
}

void service_lanes::leave(client_lane& lane)
{
    auto const found = members_.find(lane.who().instance);
    if (found == members_.end())
        return;
    auto& client = found->second;
    lane.watch(nullptr);
    for (auto* from : client.pools) {
        if (auto* room = from->of(lane.takes()))
            room->erase(&lane);
        auto const at = place_in(*from, lane.who().instance);
        if (static_cast<std::size_t>(at - from->clients.begin()) < from->turn)
            --from->turn;
        from->clients.erase(at);
        if (from->clients.empty())
            pools_.erase(pools_.find(from->demand));
    }
    client.sum->second.slots -= client.slots;
    client.sum->second.places -= client.places;
    if (--client.sum->second.clients == 0)
        sums_.erase(client.sum);
    members_.erase(found);
}

void service_lanes::recount(client_lane const& lane)
{
    if (auto const found = members_.find(lane.who().instance); found != members_.end())
        update_sum(found->second);
}

service_lanes::pool* service_lanes::find(std::string const& demand, std::uint64_t& looks)
{
    if (auto const found = pools_.find(demand); found != pools_.end())
        return &found->second;
    std::vector<member*> serving;
    for (auto& [instance, client] : members_) {
        ++looks;
        if (protocol::meets(client.sum->first, demand))
            serving.push_back(&client);
    }
    if (serving.empty())
        return nullptr;
    auto& fresh = pools_[demand];
    fresh.demand = demand;
    for (auto* client : serving) {
        fresh.clients.push_back(client->lane);
        add_pool(*client, fresh);
    }
    return &fresh;
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
