#include "trigger/master/named_credits.hpp"

#include <algorithm>

namespace baton::trigger {

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
    auto const left = client.places - has;
    return found != clients_.end() && found->second->refused ? std::min(left, 1) : left;
}

void named_credits::forget_unused()
{
    std::erase_if(clients_, [](auto const& entry) { return entry.second->used == 0; });
    look_at_ = std::max<std::size_t>(100, 2 * clients_.size());
}

} // namespace baton::trigger
