#include "trigger/delivery/lanes.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr duration stalled_after = 1s;      // without an end while all slots are busy
constexpr std::size_t most_compared = 64;   // clients without a free slot, so that a choice stays cheap among thousands
constexpr std::size_t most_weighed = 1'000; // clients of one service, for the least loaded of them

// The most free slots, of the clients from the turn on; without free slots the shortest queue, but one whose slots all
// hang comes last.
client_lane* least_loaded(service_lanes::pool& serving, instant now)
{
    auto const count = serving.clients.size();
    client_lane* best = nullptr;
    std::size_t place = 0;
    auto const rank = [now](client_lane const& one) {
        return std::pair(!one.stalled(now, stalled_after), one.free_slots(now));
    };
    for (std::size_t i = 0; i < std::min(count, most_weighed); ++i) {
        auto const at = (serving.turn + i) % count;
        auto* one = serving.clients[at];
        if (!one->takes_work() || one->room(now) <= 0 || (best != nullptr && rank(*one) <= rank(*best)))
            continue;
        best = one;
        place = at;
    }
    if (best != nullptr)
        serving.turn = (place + 1) % count;
    return best;
}

} // namespace

client_lane* lanes::find(std::string const& instance)
{
    auto const found = lanes_.find(instance);
    return found == lanes_.end() ? nullptr : found->second.get();
}

client_lane* lanes::numbered(std::uint64_t number)
{
    auto const found = numbers_.find(number);
    return found == numbers_.end() ? nullptr : found->second;
}

client_lane& lanes::put(lane_client who)
{
    auto& place = lanes_[who.instance];
    if (place) {
        leave(*place);
        place->update(std::move(who));
    } else {
        place = std::make_unique<client_lane>(std::move(who), limits_, ++last_number_);
        numbers_.emplace(last_number_, place.get());
    }
    enter(*place);
    return *place;
}

std::unique_ptr<client_lane> lanes::remove(std::string const& instance)
{
    auto const found = lanes_.find(instance);
    if (found == lanes_.end())
        return nullptr;
    auto lane = std::move(found->second);
    lanes_.erase(found);
    numbers_.erase(lane->number());
    leave(*lane);
    return lane;
}

void lanes::lost_handler(client_lane& lane, std::string const& handler)
{
    leave(lane);
    lane.lost_handler(handler);
    enter(lane);
}

void lanes::enter(client_lane& lane)
{
    services_[lane.who().service].enter(lane);
    changed_.insert(lane.who().service);
}

void lanes::leave(client_lane const& lane)
{
    auto const of = services_.find(lane.who().service);
    of->second.leave(lane);
    if (of->second.empty())
        services_.erase(of);
    changed_.insert(lane.who().service);
}

void lanes::mark_changed(client_lane const& lane)
{
    if (auto const found = services_.find(lane.who().service); found != services_.end())
        found->second.recount(lane);
    changed_.insert(lane.who().service);
}

client_lane* lanes::choose(protocol::service_view service, std::string const& demand, protocol::client_choice choice,
                           instant now)
{
    auto const found = services_.find(service);
    auto* const pool = found == services_.end() ? nullptr : found->second.find(demand);
    if (pool == nullptr)
        return nullptr;
    auto& clients = pool->clients;
    switch (choice) {
    case protocol::client_choice::least_loaded:
        return least_loaded(*pool, now);
    case protocol::client_choice::skip_busy: {
        auto const idle = std::ranges::find_if(
            clients, [now](client_lane const* one) { return one->takes_work() && one->has_free_slot(now); });
        return idle == clients.end() ? nullptr : *idle;
    }
    case protocol::client_choice::random:
        return in_turn(*pool, static_cast<std::size_t>(random_.below(clients.size())), now);
    case protocol::client_choice::round_robin:
    case protocol::client_choice::instance:
        break;
    }
    return in_turn(*pool, pool->turn, now);
}

// From this index on.
client_lane* lanes::in_turn(service_lanes::pool& serving, std::size_t first, instant now)
{
    auto const count = serving.clients.size();
    client_lane* best = nullptr;
    auto const better = [&](client_lane const& one) {
        if (best == nullptr)
            return true;
        auto const slow = one.stalled(now, stalled_after);
        auto const best_slow = best->stalled(now, stalled_after);
        return slow != best_slow ? best_slow : one.room(now) > best->room(now);
    };
    for (std::size_t i = 0; i < count && (best == nullptr || i < most_compared); ++i) {
        auto* one = serving.clients[(first + i) % count];
        if (!one->takes_work() || one->room(now) <= 0)
            continue;
        if (one->has_free_slot(now)) {
            serving.turn = (first + i + 1) % count;
            return one;
        }
        if (better(*one))
            best = one;
    }
    return best;
}

void lanes::mark_all_changed()
{
    for (auto const& [service, clients] : services_)
        changed_.insert(service);
}

protocol::service_capacity lanes::capacity(protocol::service_view service) const
{
    protocol::service_capacity out;
    out.project = service.project;
    out.service = service.service;
    if (auto const found = services_.find(service); found != services_.end())
        out.classes = found->second.capacity();
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
