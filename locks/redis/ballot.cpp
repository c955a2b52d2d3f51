#include "locks/redis/ballot.hpp"

#include <algorithm>

namespace baton::lock {

redis_ballot::redis_ballot(majority_parts const& parts, acquisition_request what, std::shared_ptr<redis_ballot> before)
    : request(std::move(what)), keys(request.name), parts_(parts), before_(std::move(before)), changed_(parts.loop)
{
    for (std::size_t i = 0; i < parts.servers.size(); ++i)
        votes_.push_back(std::make_unique<vote>(parts.loop));
}

void redis_ballot::begin(question what)
{
    for (std::size_t i = 0; i < votes_.size(); ++i) {
        auto& each = *votes_[i];
        if (each.said != redis_vote::none || std::exchange(each.open, true))
            continue;
        ++open_;
        asio::co_spawn(parts_.loop, ask(shared_from_this(), i, what), asio::detached);
    }
}

awaitable<void> redis_ballot::ask(std::shared_ptr<redis_ballot> me, std::size_t number, question what)
{
    vote none(me->parts_.loop);
    auto& earlier = me->before_ ? *me->before_->votes_[number] : none;
    bool const early = earlier.open;
    auto said = co_await me->hear(number, what);
    if (early && said == redis_vote::no) {
        while (earlier.open)
            co_await earlier.ended.wait();
        if (earlier.said != redis_vote::no)
            said = co_await me->hear(number, what);
    }
    auto& mine = *me->votes_[number];
    mine.said = said;
    mine.open = false;
    mine.ended.wake();
    --me->open_;
    me->changed_.wake();
}

awaitable<redis_vote> redis_ballot::hear(std::size_t number, question what)
{
    auto& server = *parts_.servers[number];
    try {
        bool const agreed = co_await what(server, *this);
        co_return agreed ? redis_vote::yes : redis_vote::no;
    } catch (unavailable const& failure) {
        failure_ = failure.what();
    }
    co_return redis_vote::none;
}

awaitable<void> redis_ballot::decided()
{
    auto const me = shared_from_this();
    while (open_ > 0 && !carried() && !rejected())
        co_await changed_.wait();
}

awaitable<void> redis_ballot::ended()
{
    auto const me = shared_from_this();
    while (open_ > 0)
        co_await changed_.wait();
}

std::size_t redis_ballot::count(redis_vote what) const
{
    auto const same = [what](auto const& each) { return each->said == what; };
    return static_cast<std::size_t>(std::count_if(votes_.begin(), votes_.end(), same));
}

} // namespace baton::lock
