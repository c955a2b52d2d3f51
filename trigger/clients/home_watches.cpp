#include "trigger/clients/home_watches.hpp"

#include <algorithm>
#include <numeric>

namespace baton::trigger {

namespace {
constexpr duration between_looks_at_clients = 1s;
constexpr duration drain_pace = 20ms;
constexpr duration look_for_more = 200ms;    // clients that have begun to watch, while all should move
constexpr duration stays_for = 10s;          // a client that has not moved, though all should
constexpr std::size_t watches_at_once = 200; // clients asked to move in one step

std::vector<std::size_t> clients_of(std::vector<storage::node_record const*> const& nodes)
{
    std::vector<std::size_t> clients;
    clients.reserve(nodes.size());
    for (auto const* node : nodes)
        clients.push_back(static_cast<std::size_t>(std::max(node->clients, 0)));
    return clients;
}

// The number of nodes before this one, in the order of all.
std::size_t nodes_before(storage::node_record const& self, std::vector<storage::node_record const*> const& nodes)
{
    return static_cast<std::size_t>(std::ranges::count_if(
        nodes, [&](storage::node_record const* node) { return node->incarnation < self.incarnation; }));
}

} // namespace

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
    auto& mine = found->second->answer;
    bool const fetch = mine.fetch || answer.fetch;
    if (answer.move || !mine.move) // a request to move that has not gone out yet stands
        mine = std::move(answer);
    mine.fetch = fetch;
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
        auto const pause = away_ && !nodes_.self().draining ? ask_all_to_move() : ask_some_to_move();
        auto const until = time_.now() + pause;
        co_await bell_.wait_until(time_, until);
    }
}

void home_watches::send_away(bool wanted)
{
    if (std::exchange(away_, wanted) == wanted)
        return;
    asked_.clear();
    bell_.wake();
}

// Returns the pause until the next ones.
duration home_watches::ask_some_to_move()
{
    auto const nodes = nodes_.takers();
    auto const clients = clients_of(nodes);
    bool const drains = nodes_.self().draining;
    auto const homes = next_homes(held_.size(), clients, nodes_before(nodes_.self(), nodes), drains);
    for (auto const home : homes)
        ask_next(nodes[home]->address);
    auto const all = drains ? watches_at_once : clients_to_move(held_.size(), clients);
    for (auto i = homes.size(); i < std::min(all, held_.size()); ++i)
        ask_next({}); // it chooses itself
    return drains ? drain_pace : between_looks_at_clients;
}

// To the places that a node which drains would choose. A client that stays, because it reaches no other node, is asked
// again after a while.
duration home_watches::ask_all_to_move()
{
    auto const nodes = nodes_.takers();
    auto const homes = next_homes(held_.size(), clients_of(nodes), nodes_before(nodes_.self(), nodes), true);
    auto const now = time_.now();
    std::size_t count = 0;
    for (auto left = nodes.empty() ? 0 : held_.size(); left > 0 && count < watches_at_once; --left) {
        auto& client = turn();
        auto const [asked, first] = asked_.try_emplace(last_asked_, now);
        if (!first && now - asked->second < stays_for)
            continue;
        asked->second = now;
        client.answer = {true, count < homes.size() ? nodes[homes[count]]->address : std::string(), {}};
        client.bell.wake();
        ++count;
    }
    return count == watches_at_once ? drain_pace : look_for_more;
}

void home_watches::ask_next(std::string const& address)
{
    auto& client = turn();
    client.answer = {true, address, {}};
    client.bell.wake();
}

// In order of instance, behind the one that was asked last, so that all have their turn.
home_watches::held& home_watches::turn()
{
    auto next = held_.upper_bound(last_asked_);
    if (next == held_.end())
        next = held_.begin();
    last_asked_ = next->first;
    return *next->second;
}

} // namespace baton::trigger
