#include "libs/lock/redis/redis_ballot.hpp"

#include <algorithm>

namespace baton::lock {

redis_ballot::redis_ballot(majority_parts const& parts, bid what)
    : offer(std::move(what)),
      keys(offer.name),
      parts_(parts),
      votes_(parts.servers.size(), redis_vote::none),
      changed_(parts.loop)
{}

void redis_ballot::begin(question what)
{
    open_ += count(redis_vote::none);
    for (std::size_t i = 0; i < votes_.size(); ++i)
        if (votes_[i] == redis_vote::none)
            asio::co_spawn(parts_.loop, ask(shared_from_this(), i, what), asio::detached);
}

awaitable<void> redis_ballot::ask(std::shared_ptr<redis_ballot> me, std::size_t number, question what)
{
    auto& server = *me->parts_.servers[number];
    auto said = redis_vote::none;
    try {
        bool const agreed = co_await what(server, *me);
        said = agreed ? redis_vote::yes : redis_vote::no;
    } catch (unavailable const& failure) {
        me->failure_ = failure.what();
    }
    me->votes_[number] = said;
    --me->open_;
    me->changed_.wake();
}

awaitable<void> redis_ballot::decided()
{
    auto const me = shared_from_this();
    while (open_ > 0 && !carried() && !rejected())
        co_await changed_.wait();
}

std::size_t redis_ballot::count(redis_vote what) const
{
    return static_cast<std::size_t>(std::count(votes_.begin(), votes_.end(), what));
}

} // namespace baton::lock
