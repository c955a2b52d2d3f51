#include "locks/redis/kind.hpp"

#include <algorithm>

namespace baton::lock {

namespace {

constexpr duration apart = 500us; // on average, those who are told of one release
constexpr duration longest_apart = 100ms;
constexpr duration longest_silence = 1s; // by which a lost message delays those who wait

class redis_acquisition final : public acquisition {
public:
    redis_acquisition(redis_server& server, time_source& time, random_source& random, acquisition_request request)
        : server_(server), time_(time), random_(random), request_(std::move(request)), keys_(request_.name)
    {}

    // Also finds what an earlier one has taken whose answer was lost.
    awaitable<try_result> take() override
    {
        try_result made;
        auto const answer = co_await server_.take(request_, keys_);
        if (answer.token) {
            made.granted = grant{*answer.token};
            ear_.reset();
        } else if (answer.left) {
            made.refused.until = time_.now() + *answer.left;
        }
        co_return made;
    }

    // The first time it only begins to listen: what was told before that, the next take finds out.
    awaitable<void> await_change(refusal what, instant until) override
    {
        if (!ear_)
            ear_ = std::make_unique<redis_doorbell::ear>(server_.doorbell(), keys_.channel);
        if (!ear_->hears()) {
            co_await ear_->listen();
            co_return;
        }
        auto at = std::min(until, time_.now() + longest_silence);
        if (what.until)
            at = std::min(at, *what.until);
        auto const told = co_await ear_->wait(at);
        if (told > 1)
            co_await come_apart(told, until);
    }

    // A message wakes all who wait, and those who try at once keep each other, and the next release, from the server.
    awaitable<void> come_apart(std::uint64_t count, instant until)
    {
        auto const span = std::min<std::uint64_t>(count, longest_apart / apart) * apart.count();
        duration const pause{static_cast<std::int64_t>(random_.below(span))};
        auto const at = std::min(until, time_.now() + pause);
        co_await time_.sleep_until(at);
        co_await ear_->forget();
    }

    awaitable<bool> extend() override { co_return co_await server_.extend(request_, keys_); }
    awaitable<bool> release() override { co_return co_await server_.release(request_, keys_); }

private:
    redis_server& server_;
    time_source& time_;
    random_source& random_;
    acquisition_request request_;
    redis_keys keys_;
    std::unique_ptr<redis_doorbell::ear> ear_;
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
