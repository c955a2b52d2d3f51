#include "locks/redis/majority_kind.hpp"

#include "locks/core/poll_backoff.hpp"
#include "locks/redis/quorum_call.hpp"

#include <algorithm>

namespace baton::lock {

namespace {

awaitable<bool> take_at(redis_server& server, redis_quorum_call const& call)
{
    auto const answer = co_await server.take(call.request, call.keys);
    co_return answer.token.has_value();
}

awaitable<bool> extend_at(redis_server& server, redis_quorum_call const& call)
{
    co_return co_await server.extend(call.request, call.keys);
}

awaitable<bool> release_at(redis_server& server, redis_quorum_call const& call)
{
    co_return co_await server.release(call.request, call.keys);
}

// Releases the votes of a lost majority. A server that did not answer may have voted, and is asked a second time.
awaitable<void> give_back(majority_deps const& deps, std::shared_ptr<redis_quorum_call> taken)
{
    open_votes::call const open(deps.open);
    auto const call = std::make_shared<redis_quorum_call>(deps, taken->request, taken);
    for (int times = 0; times < 2; ++times) {
        call->begin(release_at);
        co_await call->ended();
    }
}

class majority_acquisition final : public acquisition {
public:
    majority_acquisition(majority_deps const& deps, acquisition_request request)
        : deps_(deps), request_(std::move(request))
    {}

    awaitable<try_result> take() override
    {
        try_result made;
        auto mine = request_;
        mine.owner += "/" + std::to_string(deps_.random.next());
        auto const call = start(mine, take_at);
        co_await call->decided();
        if (call->succeeded()) {
            held_ = call;
            made.granted = grant{};
            co_return made;
        }
        asio::co_spawn(deps_.loop, give_back(deps_, call), asio::detached);
        if (!call->rejected())
            throw unavailable(call->failure());
        co_return made;
    }

    awaitable<void> await_change(refusal, instant until) override
    {
        auto const at = std::min(until, deps_.time.now() + backoff_.next(deps_.random));
        co_await deps_.time.sleep_until(at);
    }

    awaitable<bool> extend() override
    {
        if (!held_)
            co_return false;
        auto const call = start(held_->request, extend_at);
        co_await call->decided();
        if (!call->succeeded() && !call->rejected())
            throw unavailable(call->failure());
        co_return call->succeeded();
    }

    // Called again, it calls again only the servers that have not answered.
    awaitable<bool> release() override
    {
        if (!held_)
            co_return false;
        if (!release_call_)
            release_call_ = std::make_shared<redis_quorum_call>(deps_, held_->request, held_);
        auto const call = release_call_;
        call->begin(release_at);
        co_await call->decided();
        if (!call->succeeded() && !call->rejected())
            throw unavailable(call->failure());
        co_return call->succeeded();
    }

private:
    std::shared_ptr<redis_quorum_call> start(acquisition_request const& request, redis_quorum_call::operation called)
    {
        auto const call = std::make_shared<redis_quorum_call>(deps_, request);
        call->begin(called);
        return call;
    }

    majority_deps const& deps_;
    acquisition_request request_;
    std::shared_ptr<redis_quorum_call> held_; // the call that a majority granted
    std::shared_ptr<redis_quorum_call> release_call_;
    poll_backoff backoff_;
};

class majority_kind final : public lock_kind {
public:
    explicit majority_kind(majority_deps deps) : deps_(std::move(deps)) {}

    std::string const& name() const override { return name_; }
    guarantee level() const override { return guarantee::efficiency; }
    std::unique_ptr<acquisition> make_acquisition(acquisition_request request) override
    {
        return std::make_unique<majority_acquisition>(deps_, std::move(request));
    }
    awaitable<void> calls_ended(instant until) override { return deps_.open.ended(deps_.time, until); }

private:
    std::string name_ = "redlock";
    majority_deps deps_;
};

} // namespace

std::unique_ptr<lock_kind> make_majority_kind(majority_deps deps)
{
    return std::make_unique<majority_kind>(std::move(deps));
}

} // namespace baton::lock
