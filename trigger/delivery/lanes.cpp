#include "trigger/delivery/lanes.hpp"

#include "libs/base/log.hpp"
#include "trigger/delivery/report_size.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr duration stalled_after = 1s;      // without an end while all slots are busy
constexpr std::size_t most_compared = 64;   // clients without a free slot, so that a choice stays cheap among thousands
constexpr std::size_t most_weighed = 1'000; // clients with room, for the least loaded of them
constexpr std::size_t most_in_answer = 4u << 20; // bytes; a node reads 16 MiB of an answer
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
    for (auto const& [execution, one] : lane->held())
        forget_holder(execution, *lane);
    leave(*lane);
    return lane;
}

void lanes::has(client_lane& lane, protocol::attempt_key const& which, instant now)
{
    if (lane.has(which, now))
        holders_[which.execution] = lane.number();
    tell_places(lane);
    watch(lane, now);
}

void lanes::learn(client_lane& lane, protocol::attempt_key const& which, instant now)
{
    lane.learn(which, now);
    if (lane.holds(which))
        holders_.try_emplace(which.execution, lane.number());
    tell_places(lane);
    watch(lane, now);
}

void lanes::forget_holder(execution_id execution, client_lane const& lane)
{
    auto const holder = holders_.find(execution);
    if (holder != holders_.end() && holder->second == lane.number())
        holders_.erase(holder);
}

void lanes::lost(client_lane& lane, execution_id execution)
{
    lane.forget(execution);
    forget_holder(execution, lane);
}

client_lane* lanes::ended(std::string const& sender, protocol::attempt_key const& which, instant now)
{
    auto* const of_sender = find(sender);
    auto const found = holders_.find(which.execution);
    auto* const holder = found == holders_.end() ? nullptr : numbered(found->second);
    bool const known = holder != nullptr && holder->ended(which, now);
    if (found != holders_.end() && (known || holder == nullptr))
        holders_.erase(found);
    bool const sent = of_sender != nullptr && of_sender != holder && of_sender->ended(which, now);
    return known ? holder : sent ? of_sender : nullptr;
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
    note_changed(lane);
}

void lanes::leave(client_lane& lane)
{
    auto const of = services_.find(lane.who().service);
    of->second.leave(lane);
    if (of->second.empty())
        services_.erase(of);
    changed_.insert(lane.who().service);
}

void lanes::mark_changed(client_lane& lane)
{
    if (auto const found = services_.find(lane.who().service); found != services_.end())
        found->second.recount(lane);
    note_changed(lane);
}

void lanes::note_changed(client_lane& lane)
{
    lane.told_places();
    changed_.insert(lane.who().service);
    if (lane.named())
        named_changed_.insert(lane.number());
}

void lanes::set_named(client_lane& lane)
{
    if (lane.named())
        return;
    lane.set_named();
    named_changed_.insert(lane.number());
}

void lanes::watch(client_lane& lane, instant now)
{
    if (lane.is_watched() && in_watched_.insert(lane.number()).second)
        watched_.emplace(lane.next_look(now), lane.number());
}

std::vector<client_lane*> lanes::look(instant now)
{
    std::vector<client_lane*> seen;
    while (!watched_.empty() && watched_.begin()->first <= now) {
        auto const number = watched_.begin()->second;
        watched_.erase(watched_.begin());
        in_watched_.erase(number);
        auto* const lane = numbered(number);
        if (lane == nullptr)
            continue;
        lane->look(now);
        tell_places(*lane);
        seen.push_back(lane);
    }
    return seen;
}

std::optional<instant> lanes::next_look() const
{
    return watched_.empty() ? std::nullopt : std::optional(watched_.begin()->first);
}

void lanes::ran(client_lane& lane, int count, duration total, instant now)
{
    lane.ran(count, total, now);
    tell_places(lane);
    watch(lane, now);
}

void lanes::tell_places(client_lane& lane)
{
    if (lane.places_moved())
        mark_changed(lane);
}

void lanes::told_room(client_lane& lane, int free, instant now, duration span)
{
    lane.told_room(free, now, span);
    if (lane.hides_room())
        hiding_.emplace(lane.room_returns_at(), lane.number());
}

void lanes::return_room(instant now)
{
    while (!hiding_.empty() && hiding_.begin()->first <= now) {
        if (auto* lane = numbered(hiding_.begin()->second))
            lane->return_room(now);
        hiding_.erase(hiding_.begin());
    }
}

client_lane* lanes::choose(protocol::service_view service, std::string const& demand, protocol::client_choice choice,
                           instant now)
{
    return_room(now);
    auto const found = services_.find(service);
    auto* const pool = found == services_.end() ? nullptr : found->second.find(demand, looks_);
    if (pool == nullptr)
        return nullptr;
    switch (choice) {
    case protocol::client_choice::least_loaded:
        return least_loaded(*pool, now);
    case protocol::client_choice::skip_busy:
        return first_with_slot(*pool);
    case protocol::client_choice::random:
        return in_turn(*pool, static_cast<std::size_t>(random_.below(pool->clients.size())), now);
    case protocol::client_choice::round_robin:
    case protocol::client_choice::instance:
        break;
    }
    return in_turn(*pool, pool->turn, now);
}

client_lane* lanes::choose_other(protocol::service_view service, std::string const& demand,
                                 std::vector<std::string> const& than, instant now)
{
    return_room(now);
    auto const found = services_.find(service);
    auto* const pool = found == services_.end() ? nullptr : found->second.find(demand, looks_);
    if (pool == nullptr)
        return nullptr;
    for (auto const* among : {&pool->with_slot, &pool->with_slot_later, &pool->with_place})
        for (auto* lane : *among) {
            ++looks_;
            if (std::ranges::find(than, lane->who().instance) == than.end())
                return lane;
        }
    return nullptr;
}

// By instance, so that the choice stays with one client as long as it has a free slot.
client_lane* lanes::first_with_slot(service_lanes::pool const& serving)
{
    client_lane* first = nullptr;
    for (auto const* among : {&serving.with_slot, &serving.with_slot_later})
        if (!among->empty() && (first == nullptr || service_lanes::instance_order{}(*among->begin(), first)))
            first = *among->begin();
    ++looks_;
    return first;
}

template <class Better>
client_lane* lanes::best_from(service_lanes::ordered const& among, client_lane* first, std::size_t most, Better better)
{
    client_lane* best = nullptr;
    auto at = among.lower_bound(first);
    for (auto left = std::min(among.size(), most); left > 0; --left, ++at) {
        if (at == among.end())
            at = among.begin();
        ++looks_;
        if (best == nullptr || better(**at, *best))
            best = *at;
    }
    return best;
}

// From this index on the first with a free slot that waits for no answer, then the first with a free slot; without any
// the shortest queue, but one whose slots all hang comes last.
client_lane* lanes::in_turn(service_lanes::pool& serving, std::size_t first, instant now)
{
    auto* const from = serving.clients[first % serving.clients.size()];
    auto const never = [](client_lane const&, client_lane const&) { return false; };
    for (auto const* among : {&serving.with_slot, &serving.with_slot_later})
        if (auto* one = best_from(*among, from, 1, never)) {
            serving.turn_after(*one);
            return one;
        }
    return best_from(serving.with_place, from, most_compared, [now](client_lane const& one, client_lane const& best) {
        auto const slow = one.stalled(now, stalled_after);
        auto const best_slow = best.stalled(now, stalled_after);
        return slow != best_slow ? best_slow : one.room(now) > best.room(now);
    });
}

// The most free slots, of the clients from the turn on; without free slots the shortest queue, but one whose slots all
// hang comes last.
client_lane* lanes::least_loaded(service_lanes::pool& serving, instant now)
{
    auto const& among = !serving.with_slot.empty()         ? serving.with_slot
                        : !serving.with_slot_later.empty() ? serving.with_slot_later
                                                           : serving.with_place;
    auto* const from = serving.clients[serving.turn % serving.clients.size()];
    auto const rank = [now](client_lane const& one) {
        return std::pair(!one.stalled(now, stalled_after), one.free_slots(now));
    };
    auto* const best = best_from(among, from, most_weighed, [&](client_lane const& one, client_lane const& other) {
        return rank(one) > rank(other);
    });
    if (best != nullptr)
        serving.turn_after(*best);
    return best;
}

void lanes::mark_all_changed()
{
    for (auto const& [service, clients] : services_)
        changed_.insert(service);
    for (auto const& [instance, lane] : lanes_)
        if (lane->named())
            named_changed_.insert(lane->number());
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

// The names of handlers of many clients may be longer than a message. One service then gets less work, and no other one
// is concerned.
protocol::service_capacity lanes::told_of(protocol::service_view service)
{
    auto out = capacity(service);
    auto const dropped = shorten(out, most_told);
    auto key = protocol::key_of(service);
    if (dropped == 0) {
        shortened_.erase(key);
    } else if (shortened_.insert(key).second) {
        log::warn("delivery",
                  "the clients of a service serve too many different sets of handlers for one message to the master, "
                  "the last sets get no work: let all clients of the service serve the same handlers",
                  {{"service", protocol::to_text(key)}, {"sets", out.classes.size() + dropped}, {"dropped", dropped}});
    }
    return out;
}

protocol::capacity_message lanes::take_changed(std::size_t bytes)
{
    protocol::capacity_message out;
    out.number = ++told_;
    std::size_t sum = 0;
    while (!changed_.empty()) {
        auto one = told_of(*changed_.begin());
        sum += json_bytes(one);
        if (!out.services.empty() && sum > bytes)
            break;
        out.services.push_back(std::move(one));
        changed_.erase(changed_.begin());
    }
    out.named = take_named(bytes - std::min(bytes, sum));
    return out;
}

std::vector<protocol::client_places> lanes::take_named(std::size_t bytes)
{
    std::vector<protocol::client_places> out;
    for (std::size_t sum = 0; sum <= bytes && !named_changed_.empty(); named_changed_.erase(named_changed_.begin())) {
        auto const* lane = numbered(*named_changed_.begin());
        if (lane == nullptr)
            continue;
        out.push_back({lane->who().instance, lane->places()});
        sum += json_bytes(out.back());
    }
    return out;
}

void lanes::put_back(protocol::capacity_message const& message)
{
    for (auto const& one : message.services)
        changed_.insert(protocol::key_of(protocol::service_of(one)));
    for (auto const& one : message.named)
        if (auto const* lane = find(one.instance))
            named_changed_.insert(lane->number());
}

// The reports of a new term tell of every service anyway, so the answer need not.
protocol::capacity_message lanes::all()
{
    protocol::capacity_message out;
    out.number = ++told_;
    std::size_t sum = 0;
    for (auto const& [service, clients] : services_) {
        auto one = told_of(service);
        sum += json_bytes(one);
        if (sum > most_in_answer)
            break;
        out.services.push_back(std::move(one));
    }
    return out;
}

} // namespace baton::trigger
