#include "locks/redis/majority_kind.hpp"

#include "locks/core/poll_backoff.hpp"
#include "locks/redis/ballot.hpp"

#include <algorithm>

namespace baton::lock {

namespace {

awaitable<bool> take_there(redis_server& server, redis_ballot const& in)
{
    auto const answer = co_await server.take(in.request, in.keys);
    co_return answer.token.has_value();
}

awaitable<bool> extend_there(redis_server& server, redis_ballot const& in)
{
    co_return co_await server.extend(in.request, in.keys);
}

awaitable<bool> release_there(redis_server& server, redis_ballot const& in)
{
    co_return co_await server.release(in.request, in.keys);
}

// Of what no majority has. Who did not answer may have it nevertheless, and is asked a second time.
awaitable<void> give_back(majority_parts const& parts, std::shared_ptr<redis_ballot> taken)
{
    auto const round = std::make_shared<redis_ballot>(parts, taken->request, taken);
    for (int times = 0; times < 2; ++times) {
        round->begin(release_there);
        co_await round->ended();
    }
}

class majority_acquisition final : public acquisition {
public:
    majority_acquisition(majority_parts const& parts, acquisition_request request)
        : parts_(parts), request_(std::move(request))
    {}

    awaitable<try_result> take() override
    {
        try_result made;
        auto mine = request_;
        mine.owner += "/" + std::to_string(parts_.random.next());
        auto const round = put(mine, take_there);
        co_await round->decided();
        if (round->carried()) {
            held_ = round;
            made.granted = grant{};
            co_return made;
        }
        asio::co_spawn(parts_.loop, give_back(parts_, round), asio::detached);
        if (!round->rejected())
            throw unavailable(round->failure());
        co_return made;
    }

    awaitable<void> await_change(refusal, instant until) override
    {
        auto const at = std::min(until, parts_.time.now() + backoff_.next(parts_.random));
        co_await parts_.time.sleep_until(at);
    }

    awaitable<bool> extend() override
    {
        if (!held_)
            co_return false;
        auto const round = put(held_->request, extend_there);
        co_await round->decided();
        if (!round->carried() && !round->rejected())
            throw unavailable(round->failure());
        co_return round->carried();
    }

    // Asked again, it asks those again that had not answered.
    awaitable<bool> release() override
    {
        if (!held_)
            co_return false;
        if (!leaving_)
            leaving_ = std::make_shared<redis_ballot>(parts_, held_->request, held_);
        auto const round = leaving_;
        round->begin(release_there);
        co_await round->decided();
        if (!round->carried() && !round->rejected())
            throw unavailable(round->failure());
        co_return round->carried();
    }

private:
    std::shared_ptr<redis_ballot> put(acquisition_request const& what, redis_ballot::question how)
    {
        auto const round = std::make_shared<redis_ballot>(parts_, what);
        round->begin(how);
        return round;
    }

    majority_parts const& parts_;
    acquisition_request request_;
    std::shared_ptr<redis_ballot> held_; // the one that was carried
    std::shared_ptr<redis_ballot> leaving_;
    poll_backoff backoff_;
};

class majority_kind final : public lock_kind {
public:
    explicit majority_kind(majority_parts parts) : parts_(std::move(parts)) {}

    std::string const& name() const override { return name_; }
    guarantee level() const override { return guarantee::efficiency; }
    std::unique_ptr<acquisition> make_acquisition(acquisition_request request) override
    {
        return std::make_unique<majority_acquisition>(parts_, std::move(request));
    }

private:
    std::string name_ = "redlock";
    majority_parts parts_;
};

} // namespace

std::unique_ptr<lock_kind> make_majority_kind(majority_parts parts)
{
    return std::make_unique<majority_kind>(std::move(parts));
}

} // namespace baton::lock
