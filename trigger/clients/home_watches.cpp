#include "trigger/clients/home_watches.hpp"

#include <algorithm>
#include <numeric>

namespace baton::trigger {

namespace {
constexpr duration look_again = 1s;
constexpr duration drain_pace = 20ms;
constexpr std::size_t at_once = 200; // clients asked in one step
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
    return std::clamp<std::size_t>((here - share) / 4, 1, at_once);
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
        if (drains)
            ask_to_move(at_once);
        else
            ask_to_move(clients_to_move(held_.size(), others()));
        co_await time_.sleep_for(drains ? drain_pace : look_again);
    }
}

// The numbers of clients at the other nodes that live and do not drain.
std::vector<std::size_t> home_watches::others() const
{
    std::vector<std::size_t> counts;
    for (auto const& node : nodes_.all())
        if (node.incarnation != nodes_.self().incarnation && !node.draining && nodes_.alive(node.incarnation))
            counts.push_back(static_cast<std::size_t>(std::max(node.clients, 0)));
    return counts;
}

// In order of instance, each time behind those that were asked last, so that all have their turn.
void home_watches::ask_to_move(std::size_t count)
{
    if (count == 0 || held_.empty())
        return;
    storage::node_record const* fewest = nullptr;
    for (auto const& node : nodes_.all())
        if (node.incarnation != nodes_.self().incarnation && !node.draining && nodes_.alive(node.incarnation) &&
            (fewest == nullptr || node.clients < fewest->clients))
            fewest = &node;
    auto next = held_.upper_bound(last_asked_);
    for (std::size_t i = 0; i < std::min(count, held_.size()); ++i) {
        if (next == held_.end())
            next = held_.begin();
        last_asked_ = next->first;
        next->second->answer = {true, fewest == nullptr ? std::string() : fewest->address, {}};
        next->second->bell.wake();
        ++next;
    }
}

} // namespace baton::trigger
