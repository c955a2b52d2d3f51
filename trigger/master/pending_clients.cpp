#include "trigger/master/pending_clients.hpp"

#include <algorithm>

namespace baton::trigger {

void pending_clients::expect(std::string const& instance, std::string const& home)
{
    if (auto const known = home_of_.find(instance); known != home_of_.end()) {
        if (known->second->first == home)
            return;
        drop(instance);
    }
    auto const at = homes_.try_emplace(home).first;
    auto& waiting = at->second.waiting;
    waiting.insert(waiting.end(), instance); // as a rule they come in order
    at->second.arrival = ++arrivals_;
    home_of_.emplace(instance, at);
}

void pending_clients::drop(std::string const& instance)
{
    auto const known = home_of_.find(instance);
    if (known == home_of_.end())
        return;
    auto const at = known->second;
    at->second.waiting.erase(instance);
    if (at->second.waiting.empty())
        homes_.erase(at);
    home_of_.erase(known);
}

void pending_clients::each_home(std::function<void(std::string const& home, std::uint64_t arrival)> const& visit) const
{
    for (auto const& [home, clients] : homes_)
        visit(home, clients.arrival);
}

std::vector<std::string> pending_clients::next(std::string const& home, std::string const& after,
                                               std::size_t most) const
{
    std::vector<std::string> found;
    auto const at = homes_.find(home);
    if (at == homes_.end())
        return found;
    auto const& waiting = at->second.waiting;
    auto from = waiting.upper_bound(after);
    for (auto left = std::min(most, waiting.size()); left > 0; --left) {
        if (from == waiting.end())
            from = waiting.begin();
        found.push_back(*from++);
    }
    return found;
}

} // namespace baton::trigger
