#include "trigger/clients/home_watches.hpp"

#include <algorithm>
#include <numeric>

namespace baton::trigger {

namespace {
constexpr duration look_again = 1s;
constexpr duration drain_pace = 20ms;
constexpr std::size_t watches_at_once = 200; // clients asked to move in one step
}

std::size_t clients_to_move(std::size_t here, std::vector<std::size_t> const& elsewhere)
{
    if (elsewhere.empty())
        return 0;
    auto const all = std::accumulate(elsewhere.begin(), elsewhere.end(), here);
    auto const share = (all + elsewhere.size()) / (elsewhere.size() + 1); // rounded up
    auto const tolerance = std::max<std::size_t>(share / 10, 1);
    auto const fewest = *std::min_element(elsewhere.begin(), elsewhere.end());
    bool const even = here <= share + tolerance && fewest + tolerance >= share;
    if (even || here <= share || fewest >= share)
        return 0;
    return std::clamp<std::size_t>((here - share) / 4, 1, watches_at_once);
}

std::vector<std::size_t> next_homes(std::size_t here, std::vector<std::size_t> const& elsewhere, std::size_t position,
                                    bool drains)
{
    if (elsewhere.empty())
        return {};
    auto const all = std::accumulate(elsewhere.begin(), elsewhere.end(), here);
    auto const nodes = elsewhere.size() + (drains ? 0 : 1);
    auto const share = (all + nodes - 1) / nodes;
    std::size_t surplus = drains ? here : here - std::min(here, share);
    auto const moving = std::min(surplus, drains ? watches_at_once : clients_to_move(here, elsewhere));
    for (std::size_t i = 0; i < std::min(position, elsewhere.size()); ++i)
        surplus += elsewhere[i] - std::min(elsewhere[i], share);
    std::vector<std::size_t> places; // up to the last one that is opposite
    for (std::size_t i = 0; i < elsewhere.size() && places.size() < surplus; ++i)
        places.insert(places.end(), share - std::min(elsewhere[i], share), i);
    std::vector<std::size_t> homes; // the last first: what others know of this node is older than what it knows
    for (auto next = surplus; homes.size() < moving && next > 0; --next)
        if (next <= places.size())
            homes.push_back(places[next - 1]);
    return homes;
}

awaitable<protocol::watch_answer> home_watches::hold(std::string instance)
{
    if (ended_)
        co_return protocol::watch_answer{};
    auto const mine = std::make_shared<held>(loop_);
    if (auto const before = std::exchange(held_[instance], mine))
        before->bell.wake();
    auto const until = time_.now() + protocol::watch_hold;
    try {
        co_await mine->bell.wait_until(time_, until);
    } catch (...) {
        if (auto const found = held_.find(instance); found != held_.end() && found->second == mine)
            held_.erase(found);
        throw;
    }
    if (auto const found = held_.find(instance); found != held_.end() && found->second == mine)
        held_.erase(found);
    co_return mine->answer;
}

void home_watches::ask(std::string const& instance, protocol::watch_answer answer)
{
    auto const found = held_.find(instance);
    if (found == held_.end())
        return;
    found->second->answer = std::move(answer);
    found->second->bell.wake();
}

void home_watches::end()
{
    ended_ = true;
    for (auto const& [instance, one] : held_)
        one->bell.wake();
}

awaitable<void> home_watches::run()
{
    struct answering {
        home_watches& its;
        ~answering() { its.end(); }
    } const at_the_end{*this};
    for (;;) {
        bool const drains = nodes_.self().draining;
        ask_some_to_move();
        co_await time_.sleep_for(drains ? drain_pace : look_again);
    }
}

// The other nodes that live and do not drain, in an order that is the same at all nodes.
std::vector<storage::node_record const*> home_watches::others() const
{
    std::vector<storage::node_record const*> found;
    for (auto const& node : nodes_.all())
        if (node.incarnation != nodes_.self().incarnation && !node.draining && nodes_.alive(node.incarnation))
            found.push_back(&node);
    std::ranges::sort(found, {}, &storage::node_record::incarnation);
    return found;
}

void home_watches::ask_some_to_move()
{
    auto const nodes = others();
    std::vector<std::size_t> clients;
    std::size_t position = 0;
    for (auto const* node : nodes) {
        clients.push_back(static_cast<std::size_t>(std::max(node->clients, 0)));
        position += node->incarnation < nodes_.self().incarnation ? 1 : 0;
    }
    bool const drains = nodes_.self().draining;
    auto const homes = next_homes(held_.size(), clients, position, drains);
    for (auto const home : homes)
        ask_next(nodes[home]->address);
    auto const all = drains ? watches_at_once : clients_to_move(held_.size(), clients);
    for (auto i = homes.size(); i < std::min(all, held_.size()); ++i)
        ask_next({}); // it chooses itself
}

// In order of instance, behind the one that was asked last, so that all have their turn.
void home_watches::ask_next(std::string const& address)
{
    auto next = held_.upper_bound(last_asked_);
    if (next == held_.end())
        next = held_.begin();
    last_asked_ = next->first;
    next->second->answer = {true, address, {}};
    next->second->bell.wake();
}

} // namespace baton::trigger
