#include "trigger/delivery/lanes.hpp"

namespace baton::trigger {

namespace {
constexpr duration stalled_after = 1s;    // without an end while all slots are busy
constexpr std::size_t most_compared = 64; // clients without a free slot, so that a choice stays cheap among thousands
}

client_lane* lanes::find(std::string const& instance)
{
    auto const found = lanes_.find(instance);
    return found == lanes_.end() ? nullptr : found->second.get();
}

client_lane& lanes::put(lane_client who)
{
    auto& place = lanes_[who.instance];
    auto const service = who.service;
    if (place && place->who().service != service) {
        services_[place->who().service].clients.erase(who.instance);
        services_[place->who().service].pools.clear();
        changed_.insert(place->who().service);
    }
    if (place)
        place->update(std::move(who));
    else
        place = std::make_unique<client_lane>(std::move(who), limits_);
    services_[service].clients[place->who().instance] = place.get();
    services_[service].pools.clear();
    changed_.insert(service);
    return *place;
}

std::unique_ptr<client_lane> lanes::remove(std::string const& instance)
{
    auto const found = lanes_.find(instance);
    if (found == lanes_.end())
        return nullptr;
    auto lane = std::move(found->second);
    lanes_.erase(found);
    auto const service = services_.find(lane->who().service);
    service->second.clients.erase(instance);
    service->second.pools.clear();
    if (service->second.clients.empty())
        services_.erase(service);
    changed_.insert(lane->who().service);
    return lane;
}

void lanes::lost_handler(client_lane& lane, std::string const& handler)
{
    lane.lost_handler(handler);
    services_[lane.who().service].pools.clear();
    changed_.insert(lane.who().service);
}

lanes::pool& lanes::pool_of(service_lanes& service, std::string const& handler)
{
    auto const [place, fresh] = service.pools.try_emplace(handler);
    if (fresh)
        for (auto const& [instance, lane] : service.clients)
            if (lane->who().handlers.contains(handler))
                place->second.clients.push_back(lane);
    return place->second;
}

client_lane* lanes::choose(protocol::service_view service, std::string const& handler, protocol::client_choice choice,
                           instant now)
{
    auto const found = services_.find(service);
    if (found == services_.end())
        return nullptr;
    auto& serving = pool_of(found->second, handler);
    auto const count = serving.clients.size();
    if (count == 0)
        return nullptr;
    auto first = serving.turn;
    if (choice == protocol::client_choice::random)
        first = static_cast<std::size_t>(random_.below(count));
    else if (choice == protocol::client_choice::failover)
        first = 0;
    client_lane* best = nullptr;
    auto const better = [&](client_lane const& one) {
        if (best == nullptr)
            return true;
        auto const slow = one.stalled(now, stalled_after);
        auto const best_slow = best->stalled(now, stalled_after);
        return slow != best_slow ? best_slow
                                 : choice != protocol::client_choice::failover && one.room(now) > best->room(now);
    };
    for (std::size_t i = 0; i < count && (best == nullptr || i < most_compared); ++i) {
        auto* one = serving.clients[(first + i) % count];
        if (!one->takes_work() || one->room(now) <= 0)
            continue;
        if (one->has_free_slot(now)) {
            best = one;
            serving.turn = (first + i + 1) % count;
            break;
        }
        if (better(*one))
            best = one;
    }
    return best;
}

void lanes::mark_all_changed()
{
    for (auto const& [instance, lane] : lanes_)
        changed_.insert(lane->who().service);
}

protocol::service_capacity lanes::capacity(protocol::service_view service) const
{
    protocol::service_capacity out;
    out.project = service.project;
    out.service = service.service;
    auto const found = services_.find(service);
    if (found == services_.end())
        return out;
    std::map<std::set<std::string>, std::pair<int, int>> classes;
    for (auto const& [instance, lane] : found->second.clients) {
        if (lane->places() == 0)
            continue;
        auto& [slots, places] = classes[lane->who().handlers];
        slots += lane->slots();
        places += lane->places();
    }
    for (auto const& [handlers, sum] : classes)
        out.classes.push_back({{handlers.begin(), handlers.end()}, sum.first, sum.second});
    return out;
}

protocol::capacity_message lanes::take_changed()
{
    protocol::capacity_message out;
    out.number = ++told_;
    for (auto const& service : std::exchange(changed_, {}))
        out.services.push_back(capacity(service));
    return out;
}

void lanes::put_back(protocol::capacity_message const& message)
{
    for (auto const& one : message.services)
        changed_.insert(protocol::key_of(protocol::service_of(one)));
}

protocol::capacity_message lanes::all()
{
    protocol::capacity_message out;
    out.number = ++told_;
    for (auto const& [service, clients] : services_)
        out.services.push_back(capacity(service));
    return out;
}

} // namespace baton::trigger
