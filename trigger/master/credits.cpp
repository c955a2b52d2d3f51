#include "trigger/master/credits.hpp"

#include "libs/protocol/offers.hpp"

#include <algorithm>
#include <iterator>

namespace baton::trigger {

namespace {
constexpr int worth_splitting = 64;            // fewer executions go to one node, in one request
constexpr duration look_at_node_again = 100ms; // when a node that cannot be used may have become usable
constexpr std::int64_t most_turn = 1'000'000'000;
constexpr std::size_t few_classes = 4; // are looked through

// Beyond a billion places the shares become less exact.
int turned(int turn, std::int64_t by)
{
    return static_cast<int>(std::clamp(turn + by, -most_turn, most_turn));
}

} // namespace

bool credits::handler_class::meets(std::string const& demand) const
{
    struct in_order {
        std::vector<std::string> const& all;
        bool contains(std::string const& one) const { return std::binary_search(all.begin(), all.end(), one); }
    };
    return protocol::meets(in_order{offers}, demand);
}

std::vector<protocol::service_key> credits::hear(std::string const& node, protocol::capacity_message const& message)
{
    std::vector<protocol::service_key> named;
    nodes_.insert(node);
    auto const& name = *names_.insert(node).first;
    for (auto const& word : message.services) {
        auto found = services_.find(protocol::service_of(word));
        if (found == services_.end())
            found = services_.try_emplace(protocol::key_of(protocol::service_of(word))).first;
        auto& [key, service] = *found;
        if (message.number < last_word(service, name))
            continue;
        named.push_back(key);
        for (auto& each : service.classes)
            for (auto& one : each.nodes)
                if (one.node == &name)
                    one.slots = one.places = 0;
        for (auto const& told : word.classes) {
            auto& one = credit_of(class_of(service, told.handlers), name, key);
            one.slots = told.slots;
            one.places = told.places;
            one.closed_until = {};
            one.heard = message.number;
        }
        if (word.classes.empty()) // its number counts all the same
            credit_of(class_of(service, {}), name, key).heard = message.number;
        tidy(service, name, message.number);
    }
    return named;
}

credits::handler_class& credits::class_of(service_credits& service, std::vector<std::string> offers)
{
    std::sort(offers.begin(), offers.end());
    offers.erase(std::unique(offers.begin(), offers.end()), offers.end());
    auto const same = [&](handler_class const& one) { return one.offers == offers; };
    auto const found = std::find_if(service.classes.begin(), service.classes.end(), same);
    if (found != service.classes.end())
        return *found;
    service.by_demand.reset();
    offers.shrink_to_fit();
    return service.classes.emplace_back(handler_class{std::move(offers), {}});
}

credit& credits::credit_of(handler_class& all, std::string const& node, protocol::service_key const& service)
{
    auto last = all.nodes.before_begin();
    for (auto next = all.nodes.begin(); next != all.nodes.end(); last = next++)
        if (next->node == &node)
            return *next;
    auto const fresh = all.nodes.emplace_after(last);
    fresh->node = &node;
    fresh->service = &service;
    return *fresh;
}

std::int64_t credits::last_word(service_credits const& service, std::string const& node)
{
    std::int64_t last = 0;
    for (auto const& each : service.classes)
        for (auto const& one : each.nodes)
            if (one.node == &node)
                last = std::max(last, one.heard);
    return last;
}

// Drops the credits that no execution uses and that no word will fill again: those of nodes that are gone, and those
// for handlers that the last word of this node does not name.
void credits::tidy(service_credits& service, std::string const& node, std::int64_t word) const
{
    for (auto& each : service.classes)
        each.nodes.remove_if([&](credit const& one) {
            bool const named = one.node == &node ? one.heard == word : nodes_.contains(*one.node);
            return !named && one.used <= 0 && one.places == 0;
        });
    if (std::erase_if(service.classes, [](handler_class const& each) { return each.nodes.empty(); }) > 0)
        service.by_demand.reset();
}

void credits::forget(std::string const& node)
{
    for (auto& [name, service] : services_)
        for (auto& each : service.classes)
            for (auto& one : each.nodes)
                if (*one.node == node)
                    one.slots = one.places = 0;
    nodes_.erase(node);
    ++forgotten_[node];
}

int credits::times_forgotten(std::string const& node) const
{
    auto const found = forgotten_.find(node);
    return found == forgotten_.end() ? 0 : found->second;
}

std::size_t credits::size() const
{
    std::size_t all = 0;
    for (auto const& [name, service] : services_)
        for (auto const& each : service.classes)
            all += static_cast<std::size_t>(std::distance(each.nodes.begin(), each.nodes.end()));
    return all;
}

template <class Visit>
void credits::each_serving(service_credits& service, std::string const& demand, Visit visit)
{
    if (service.classes.size() <= few_classes) {
        for (auto& each : service.classes)
            if (each.meets(demand))
                visit(each);
        return;
    }
    if (!service.by_demand)
        service.by_demand = std::make_unique<classes_by_demand>();
    auto const [place, fresh] = service.by_demand->try_emplace(demand);
    if (fresh)
        for (auto& each : service.classes)
            if (each.meets(demand))
                place->second.push_back(&each);
    for (auto* each : place->second)
        visit(*each);
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
    each_serving(found->second, handler, [&](handler_class& each) {
        for (auto& one : each.nodes) {
            if (one.free() <= 0)
                continue;
            if (one.closed_until > now || !usable(*one.node)) {
                auto const opens = one.closed_until > now ? one.closed_until : now + look_at_node_again;
                none.again = std::min(none.again.value_or(opens), opens);
                continue;
            }
            open.push_back(&one);
            slots = slots || one.left(&credit::slots) > 0;
        }
    });
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
        one->turn = turned(one->turn, one->*limit);
        if (out.credit == nullptr || one->turn > out.credit->turn)
            out.credit = one;
    }
    out.credit->turn = turned(out.credit->turn, -total);
    auto const share = static_cast<int>(static_cast<std::int64_t>(wanted) * out.credit->*limit / total) + 1;
    out.room = std::min({wanted, out.credit->left(limit), std::max(share, worth_splitting)});
    return out;
}

credit* credits::at(std::string const& node, protocol::service_view service, std::string const& handler)
{
    auto const found = services_.find(service);
    if (found == services_.end())
        return nullptr;
    credit* mine = nullptr;
    each_serving(found->second, handler, [&](handler_class& each) {
        for (auto& one : each.nodes)
            if (mine == nullptr && *one.node == node && one.places > 0)
                mine = &one;
    });
    return mine;
}

} // namespace baton::trigger
