#include "trigger/master/router.hpp"

#include "libs/base/random.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

constexpr std::size_t most_members = 100'000; // of all rings, 136 bytes each
constexpr std::size_t rare_share = 8;         // a demand is rare if at most so large a part of the clients meets it
constexpr int most_asked_for_room = 64;       // clients that fit but have no room, so that a choice stays cheap

std::string demand_of(open_execution const& one)
{
    return protocol::demand_for(one.task->definition.handler, one.task->definition.route.tag);
}

// Otherwise the routing passes over clients that their homes cannot call.
bool waits_for_unreachable(protocol::routing how)
{
    return how == protocol::routing::first || how == protocol::routing::last || how == protocol::routing::instance;
}

// Those that the name of an instance means.
std::vector<listed_client const*> clients_named(std::vector<listed_client const*> const& clients,
                                                std::string const& wanted)
{
    auto const before = [](listed_client const* client, std::string const& name) { return client->instance() < name; };
    std::vector<listed_client const*> found;
    for (auto at = std::lower_bound(clients.begin(), clients.end(), wanted, before);
         at != clients.end() && (*at)->instance().starts_with(wanted); ++at)
        if (protocol::names_instance((*at)->instance(), wanted))
            found.push_back(*at);
    return found;
}

} // namespace

bool router::decides(open_execution const& one)
{
    auto const& task = one.task->definition;
    bool const follows = task.retry.on != protocol::retry_on::any && !one.last_client.empty();
    return one.shard_instance.empty() && (follows || protocol::is_chosen_by_master(task.routing));
}

listed_client const* router::choose(open_execution const& one)
{
    auto const& task = one.task->definition;
    auto const service = protocol::service_of(task);
    if (task.retry.on == protocol::retry_on::same && !one.last_client.empty()) {
        auto const* last = clients_.find(one.last_client);
        if (last != nullptr && *last->service == service && keeps(*last, demand_of(one)))
            return last;
    }
    if (!is_served(one))
        return nullptr;
    auto const& clients = candidates(one);
    if (task.retry.on == protocol::retry_on::other && !one.last_client.empty())
        if (auto const* other = among(clients, one, one.last_client))
            return other;
    return among(clients, one, {});
}

// The clients of the service, or those of them that meet a rare demand: a choice for each of many executions must not
// look at all clients.
router::all const& router::candidates(open_execution const& one)
{
    drop_outdated();
    auto const service = protocol::service_of(one.task->definition);
    auto const demand = demand_of(one);
    auto const& clients = clients_.of_service(service);
    if (clients_.serving(service, demand).staying > clients.size() / rare_share)
        return clients;
    auto const [found, made] = rare_.try_emplace(demands(protocol::key_of(service), demand));
    auto& few = found->second;
    if (!made)
        return few;
    looks_ += clients.size();
    std::copy_if(clients.begin(), clients.end(), std::back_inserter(few),
                 [&](listed_client const* client) { return keeps(*client, demand); });
    members_ += few.size();
    return few;
}

listed_client const* router::among(all const& clients, open_execution const& one, std::string const& avoided)
{
    auto const& task = one.task->definition;
    auto const demand = demand_of(one);
    bool const may_wait = avoided.empty() && waits_for_unreachable(task.routing);
    auto const fits = [&](listed_client const* client) {
        ++looks_;
        return keeps(*client, demand) && client->instance() != avoided && (client->takes_work || may_wait);
    };
    auto const first = [&](auto begin, auto end) {
        auto const at = std::find_if(begin, end, fits);
        return at == end ? nullptr : *at;
    };
    switch (task.routing) {
    case protocol::routing::first:
    case protocol::routing::failover:
        return first(clients.begin(), clients.end());
    case protocol::routing::last:
        return first(clients.rbegin(), clients.rend());
    case protocol::routing::consistent_hash:
        return hashed(one, avoided);
    case protocol::routing::instance:
        return spread(clients_named(clients, task.route.instance), one, fits);
    case protocol::routing::round_robin:
    case protocol::routing::random:
    case protocol::routing::least_loaded:
    case protocol::routing::skip_busy:
    case protocol::routing::broadcast:
        break;
    }
    return spread(clients, one, fits);
}

// From a place that depends on the execution and the attempt: the first client with room, else the first that fits.
// Only `most_asked_for_room` clients that fit are asked for room.
listed_client const* router::spread(std::span<listed_client const* const> clients, open_execution const& one,
                                    std::function<bool(listed_client const*)> const& fits) const
{
    seeded_random draw(static_cast<std::uint64_t>(one.id.value()) + static_cast<std::uint64_t>(one.attempt));
    auto const from = static_cast<std::size_t>(draw.below(clients.size()));
    listed_client const* best = nullptr;
    int compared = 0;
    for (std::size_t i = 0; i < clients.size() && compared < most_asked_for_room; ++i) {
        auto const* client = clients[(from + i) % clients.size()];
        if (!fits(client))
            continue;
        ++compared;
        if (client->takes_work && has_room_(*client))
            return client;
        if (best == nullptr)
            best = client;
    }
    return best;
}

listed_client const* router::hashed(open_execution const& one, std::string const& avoided)
{
    auto const& [members, points] = ring_for(one);
    std::optional<std::size_t> without;
    if (!avoided.empty()) {
        auto const at = std::find_if(members.begin(), members.end(),
                                     [&](listed_client const* client) { return client->instance() == avoided; });
        if (at != members.end())
            without = static_cast<std::size_t>(at - members.begin());
    }
    auto const& task = one.task->definition;
    auto const key = protocol::key_hash(task.route, one.payload ? *one.payload : task.payload);
    auto const found = points.find(key, without);
    return found ? members[*found] : nullptr;
}

void router::drop_outdated()
{
    bool const changed = std::exchange(changes_, clients_.changes()) != clients_.changes();
    if (changed || members_ > most_members) {
        rings_.clear();
        rare_.clear();
        members_ = 0;
    }
}

// Asked first, so that many executions whose handler or tag no client has do not look at all clients each.
bool router::is_served(open_execution const& one)
{
    return clients_.serving(protocol::service_of(one.task->definition), demand_of(one)).staying != 0;
}

// The clients that take work. All rings are made anew after a change in the directory.
router::ring const& router::ring_for(open_execution const& one)
{
    drop_outdated();
    auto const service = protocol::service_of(one.task->definition);
    auto const demand = demand_of(one);
    std::pair const key(protocol::key_of(service), demand);
    if (auto const known = rings_.find(key); known != rings_.end())
        return known->second;
    all members;
    std::vector<std::string_view> names;
    for (auto const* client : clients_.of_service(service))
        if (client->takes_work && keeps(*client, demand)) {
            members.push_back(client);
            names.push_back(client->instance());
        }
    members_ += members.size();
    return rings_.emplace(key, ring{std::move(members), hash_ring(names)}).first->second;
}

} // namespace baton::trigger
