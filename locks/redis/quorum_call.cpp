#include "locks/redis/quorum_call.hpp"

#include <algorithm>

namespace baton::lock {

redis_quorum_call::redis_quorum_call(majority_deps const& deps, acquisition_request call_request,
                                     std::shared_ptr<redis_quorum_call> previous)
    : request(std::move(call_request)),
      keys(request.name),
      deps_(deps),
      previous_(std::move(previous)),
      changed_(deps.loop)
{
    for (std::size_t i = 0; i < deps.servers.size(); ++i)
        votes_.push_back(std::make_unique<vote>(deps.loop));
}

void redis_quorum_call::begin(operation called)
{
    for (std::size_t i = 0; i < votes_.size(); ++i) {
        auto& each = *votes_[i];
        if (each.answer != redis_vote::none || std::exchange(each.open, true))
            continue;
        ++open_;
        asio::co_spawn(deps_.loop, run(shared_from_this(), i, called), asio::detached);
    }
}

awaitable<void> redis_quorum_call::run(std::shared_ptr<redis_quorum_call> me, std::size_t number, operation called)
{
    open_votes::call const open(me->deps_.open);
    vote none(me->deps_.loop);
    auto& earlier = me->previous_ ? *me->previous_->votes_[number] : none;
    bool const early = earlier.open;
    auto answer = co_await me->call_server(number, called);
    if (early && answer == redis_vote::no) {
        while (earlier.open)
            co_await earlier.ended.wait();
        if (earlier.answer != redis_vote::no)
            answer = co_await me->call_server(number, called);
    }
    auto& mine = *me->votes_[number];
    mine.answer = answer;
    mine.open = false;
    mine.ended.wake();
    --me->open_;
    me->changed_.wake();
}

awaitable<redis_vote> redis_quorum_call::call_server(std::size_t number, operation called)
{
    auto& server = *deps_.servers[number];
    try {
        bool const agreed = co_await called(server, *this);
        co_return agreed ? redis_vote::yes : redis_vote::no;
    } catch (unavailable const& failure) {
        failure_ = failure.what();
    }
    co_return redis_vote::none;
}

awaitable<void> redis_quorum_call::decided()
{
    auto const me = shared_from_this();
    while (open_ > 0 && !succeeded() && !rejected())
        co_await changed_.wait();
}

awaitable<void> redis_quorum_call::ended()
{
    auto const me = shared_from_this();
    while (open_ > 0)
        co_await changed_.wait();
}

std::size_t redis_quorum_call::count(redis_vote wanted) const
{
    auto const same = [wanted](auto const& each) { return each->answer == wanted; };
    return static_cast<std::size_t>(std::count_if(votes_.begin(), votes_.end(), same));
}

} // namespace baton::lock
