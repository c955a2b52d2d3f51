#include "trigger/master/client_table.hpp"

#include <functional>
#include <utility>

namespace baton::trigger {

namespace {
constexpr std::size_t first_places = 16;
}

std::size_t client_table::home_of(std::string_view instance) const
{
    return std::hash<std::string_view>{}(instance) & (places_.size() - 1);
}

std::size_t client_table::place_of(std::string_view instance) const
{
    auto place = home_of(instance);
    while (places_[place] != 0 && clients_[places_[place] - 1].instance() != instance)
        place = behind(place);
    return place;
}

listed_client* client_table::find(std::string_view instance)
{
    if (places_.empty())
        return nullptr;
    auto const found = places_[place_of(instance)];
    return found == 0 ? nullptr : &clients_[found - 1];
}

listed_client& client_table::add(std::string_view instance)
{
    if (4 * (size() + 1) > 3 * places_.size())
        grow();
    number mine = 0;
    if (unused_.empty()) {
        clients_.emplace_back();
        mine = static_cast<number>(clients_.size());
    } else {
        mine = unused_.back();
        unused_.pop_back();
    }
    auto& client = clients_[mine - 1];
    client.name = short_name(instance);
    places_[place_of(instance)] = mine;
    return client;
}

// Those that were put behind it because its place was taken move up.
void client_table::erase(std::string_view instance)
{
    auto free = place_of(instance);
    auto const gone = std::exchange(places_[free], 0);
    for (auto next = behind(free); places_[next] != 0; next = behind(next)) {
        auto const home = home_of(clients_[places_[next] - 1].instance());
        auto const mask = places_.size() - 1;
        bool const belongs_behind = ((next - home) & mask) < ((next - free) & mask);
        if (!belongs_behind)
            places_[std::exchange(free, next)] = std::exchange(places_[next], 0);
    }
    clients_[gone - 1] = {};
    unused_.push_back(gone);
}

void client_table::grow()
{
    auto const before =
        std::exchange(places_, std::vector<number>(places_.empty() ? first_places : 2 * places_.size()));
    for (auto const one : before)
        if (one != 0)
            places_[place_of(clients_[one - 1].instance())] = one;
}

} // namespace baton::trigger
