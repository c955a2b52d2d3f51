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

client_lane* lanes::choose(protocol::service_view service, std::string const& handler, protocol::client_choice choice,
                           instant now)
{
    auto const found = services_.find(service);
    if (found == services_.end())
        return nullptr;
    auto* const pool = found->second.find(handler);
    if (pool == nullptr)
        return nullptr;
    auto& serving = *pool;
    auto const count = serving.clients.size();
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
