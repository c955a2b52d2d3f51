#include "trigger/master/named_credits.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr int places_first = 32; // until the home tells, which it does when it gets the first execution
}

void named_credits::hear(protocol::client_places const& told)
{
    told_[told.instance] = told.places;
    if (told_.size() < look_at_told_)
        return;
    std::erase_if(told_, [this](auto const& entry) { return !listed_(entry.first); });
    look_at_told_ = std::max<std::size_t>(100, 2 * told_.size());
}

int named_credits::places(listed_client const& client) const
{
    auto const found = told_.find(std::string(client.instance()));
    auto const told = found == told_.end() ? places_first : found->second;
    // A client that takes work has a slot at least: it did not when its home told of it last. With the first execution
    // the home tells again.
    return std::min(client.places, client.takes_work ? std::max(told, 1) : told);
}

named_credit& named_credits::at(listed_client const& client)
{
    if (clients_.size() >= look_at_)
        forget_unused();
    std::string name(client.instance());
    auto& place = clients_[name];
    if (!place)
        place = std::make_unique<named_credit>(named_credit{std::move(name), *client.service});
    return *place;
}

int named_credits::room(listed_client const& client) const
{
    std::string const name(client.instance());
    auto const found = clients_.find(name);
    auto const used = found == clients_.end() ? 0 : found->second->used;
    auto const has = std::max(used, static_cast<int>(open_.count_at(name)));
    auto const left = places(client) - has;
    return found != clients_.end() && found->second->refused ? std::min(left, 1) : left;
}

void named_credits::forget_unused()
{
    std::erase_if(clients_, [](auto const& entry) { return entry.second->used == 0; });
    look_at_ = std::max<std::size_t>(100, 2 * clients_.size());
}

} // namespace baton::trigger
