#include "trigger/master/credits.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr int worth_splitting = 64;            // fewer executions go to one node, in one request
constexpr duration look_at_node_again = 100ms; // when a node that cannot be used may have become usable
}

std::vector<protocol::service_key> credits::hear(std::string const& node, protocol::capacity_message const& message)
{
    std::vector<protocol::service_key> named;
    nodes_.insert(node);
    for (auto const& word : message.services) {
        auto const name = protocol::service_of(word);
        auto& service = protocol::value_of(services_, name);
        auto& heard = service.heard[node];
        if (message.number < heard)
            continue;
        heard = message.number;
        named.push_back(protocol::key_of(name));
        for (auto& one : service.all)
            if (one.node == node)
                one.slots = one.places = 0;
        for (auto const& told : word.classes) {
            std::set<std::string> handlers(told.handlers.begin(), told.handlers.end());
            auto place = std::find_if(service.all.begin(), service.all.end(),
                                      [&](auto const& one) { return one.node == node && one.handlers == handlers; });
            if (place == service.all.end()) {
                service.by_handler.clear();
                place = service.all.insert(place, {node, protocol::key_of(name), std::move(handlers)});
            }
            place->slots = told.slots;
            place->places = told.places;
            place->closed_until = {};
        }
    }
    return named;
}

void credits::forget(std::string const& node)
{
    for (auto& [name, service] : services_)
        for (auto& one : service.all)
            if (one.node == node)
                one.slots = one.places = 0;
    nodes_.erase(node);
}

std::vector<credit*> const& credits::serving(service_credits& service, std::string const& handler)
{
    auto const [place, fresh] = service.by_handler.try_emplace(handler);
    if (fresh)
        for (auto& one : service.all)
            if (one.handlers.contains(handler))
                place->second.push_back(&one);
    return place->second;
}

credits::choice credits::choose(protocol::service_view service, std::string const& handler, int wanted, instant now,
                                node_filter const& usable)
{
    choice none;
    auto const found = services_.find(service);
    if (found == services_.end())
        return none;
    std::vector<credit*> open;
    bool slots = false;
    for (auto* one : serving(found->second, handler)) {
        if (one->free() <= 0)
            continue;
        if (one->closed_until > now || !usable(one->node)) {
            auto const opens = one->closed_until > now ? one->closed_until : now + look_at_node_again;
            none.again = std::min(none.again.value_or(opens), opens);
            continue;
        }
        open.push_back(one);
        slots = slots || one->left(&credit::slots) > 0;
    }
    return open.empty() ? none : turn(open, wanted, slots ? &credit::slots : &credit::places);
}

credits::choice credits::turn(std::vector<credit*> const& among, int wanted, int credit::*limit)
{
    std::int64_t total = 0;
    choice out;
    for (auto* one : among) {
        if (one->left(limit) <= 0)
            continue;
        total += one->*limit;
        one->turn += one->*limit;
        if (out.credit == nullptr || one->turn > out.credit->turn)
            out.credit = one;
    }
    out.credit->turn -= total;
    auto const share = static_cast<int>(static_cast<std::int64_t>(wanted) * out.credit->*limit / total) + 1;
    out.room = std::min({wanted, out.credit->left(limit), std::max(share, worth_splitting)});
    return out;
}

credit* credits::at(std::string const& node, protocol::service_view service, std::string const& handler)
{
    auto const found = services_.find(service);
    if (found == services_.end())
        return nullptr;
    for (auto* one : serving(found->second, handler))
        if (one->node == node && one->places > 0)
            return one;
    return nullptr;
}

} // namespace baton::trigger
