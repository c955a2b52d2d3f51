#include "locks/redis/kind.hpp"

#include <algorithm>

namespace baton::lock {

namespace {

constexpr duration mean_spread = 500us; // between the tries of two waiters after one release
constexpr duration max_spread = 100ms;  // of all of them
constexpr duration look_interval = 1s;  // a lost message delays a waiter by so much

class redis_acquisition final : public acquisition {
public:
    redis_acquisition(redis_server& server, time_source& time, random_source& random, acquisition_request request)
        : server_(server), time_(time), random_(random), request_(std::move(request)), keys_(request_.name)
    {}

    // Also finds a grant of an earlier call whose answer was lost.
    awaitable<try_result> take() override
    {
        try_result made;
        auto const answer = co_await server_.take(request_, keys_);
        if (answer.token) {
            made.granted = grant{*answer.token};
            subscription_.reset();
        } else if (answer.left) {
            made.refused.until = time_.now() + *answer.left;
        }
        co_return made;
    }

    // The first call only subscribes: the next take() finds out what was published before.
    awaitable<void> await_change(refusal refused, instant until) override
    {
        if (!subscription_)
            subscription_ =
                std::make_unique<redis_release_subscriptions::subscription>(server_.subscriptions(), keys_.channel);
        if (!subscription_->is_active()) {
            co_await subscription_->subscribe();
            co_return;
        }
        auto at = std::min(until, time_.now() + look_interval);
        if (refused.until)
            at = std::min(at, *refused.until);
        auto const receivers = co_await subscription_->wait(at);
        if (receivers > 1)
            co_await spread_out(receivers, until);
    }

    // A message wakes all waiters. If they all tried at once, they would delay each other and the next release.
    awaitable<void> spread_out(std::uint64_t count, instant until)
    {
        auto const span = std::min<std::uint64_t>(count, max_spread / mean_spread) * mean_spread.count();
        duration const pause{static_cast<std::int64_t>(random_.below(span))};
        auto const at = std::min(until, time_.now() + pause);
        co_await time_.sleep_until(at);
        co_await subscription_->clear();
    }

    awaitable<bool> extend() override { co_return co_await server_.extend(request_, keys_); }
    awaitable<bool> release() override { co_return co_await server_.release(request_, keys_); }

private:
    redis_server& server_;
    time_source& time_;
    random_source& random_;
    acquisition_request request_;
    redis_keys keys_;
    std::unique_ptr<redis_release_subscriptions::subscription> subscription_;
};

class redis_kind final : public lock_kind {
public:
    redis_kind(redis_server& server, time_source& time, random_source& random)
        : server_(server), time_(time), random_(random)
    {}

    std::string const& name() const override { return name_; }
    guarantee level() const override { return guarantee::efficiency; }
    bool on_any_thread() const override { return true; }
    std::unique_ptr<acquisition> make_acquisition(acquisition_request request) override
    {
        return std::make_unique<redis_acquisition>(server_, time_, random_, std::move(request));
    }

private:
    std::string name_ = "redis";
    redis_server& server_;
    time_source& time_;
    random_source& random_;
};

} // namespace

std::unique_ptr<lock_kind> make_redis_kind(redis_server& server, time_source& time, random_source& random)
{
    return std::make_unique<redis_kind>(server, time, random);
}

} // namespace baton::lock
