#include "locks/redis/shared_kind.hpp"

#include "locks/redis/shared_scripts.hpp"

#include <algorithm>

namespace baton::lock {

namespace {

constexpr duration shared_look_interval = 1s; // a lost message delays a waiter by so much
// Longer than the interval between two looks of a waiter.
constexpr duration reservation = 1500ms;

std::string in_ms(duration span)
{
    return std::to_string(std::chrono::ceil<std::chrono::milliseconds>(span).count());
}

class redis_shared_acquisition final : public acquisition {
public:
    redis_shared_acquisition(char const* set, redis_server& server, time_source& time, acquisition_request request)
        : server_(server), time_(time), request_(std::move(request)), keys_(set, request_.name)
    {}

    // Also finds a grant of an earlier call whose answer was lost.
    awaitable<try_result> take() override
    {
        try_result made;
        auto const answer = co_await run_take_script();
        auto const value = answer.list[1].number;
        switch (answer.list[0].number) {
        case 1:
            made.granted = grant{value, answer.list[2].number == 1};
            subscription_.reset();
            break;
        case 2:
            throw capacity_mismatch(request_.name, request_.share.capacity, value);
        default:
            made.refused.until = time_.now() + std::chrono::milliseconds{value + 1};
        }
        co_return made;
    }

    // The first call only subscribes: the next take() finds out what was published before.
    awaitable<void> await_change(refusal refused, instant until) override
    {
        waiting_ = true;
        if (!subscription_)
            subscription_ =
                std::make_unique<redis_release_subscriptions::subscription>(server_.subscriptions(), keys_.channel);
        if (!subscription_->is_active()) {
            co_await subscription_->subscribe();
            co_return;
        }
        auto const at = std::min({until, time_.now() + shared_look_interval, refused.until.value_or(until)});
        co_await subscription_->wait(at);
    }

    awaitable<bool> extend() override
    {
        redis_command const arguments{"2", keys_.holders, keys_.shares, request_.owner, in_ms(request_.ttl)};
        auto const answer = co_await server_.run(shared_extend_script(), arguments, request_.ttl);
        co_return answer.number == 1;
    }

    awaitable<bool> release() override
    {
        redis_command const arguments{"2", keys_.holders, keys_.shares, request_.owner, keys_.channel};
        auto const answer = co_await server_.run(shared_release_script(), arguments);
        co_return answer.number == 1;
    }

private:
    awaitable<redis_reply> run_take_script()
    {
        redis_command const arguments{"4",
                                      keys_.holders,
                                      keys_.shares,
                                      keys_.tokens,
                                      keys_.room,
                                      request_.owner,
                                      in_ms(request_.ttl),
                                      std::to_string(request_.share.weight),
                                      std::to_string(request_.share.capacity),
                                      waiting_ ? in_ms(reservation) : "0"};
        auto answer = co_await server_.run(shared_take_script(), arguments, request_.ttl);
        if (answer.list.size() != 3)
            throw unavailable("Redis: the script returned an unexpected answer");
        co_return answer;
    }

    redis_server& server_;
    time_source& time_;
    acquisition_request request_;
    redis_shared_keys keys_;
    bool waiting_ = false;
    std::unique_ptr<redis_release_subscriptions::subscription> subscription_;
};

class redis_shared_kind final : public lock_kind {
public:
    redis_shared_kind(shared_kind_spec const& spec, redis_server& server, time_source& time)
        : name_(spec.kind), set_(spec.set), server_(server), time_(time)
    {}

    std::string const& name() const override { return name_; }
    guarantee level() const override { return guarantee::efficiency; }
    bool on_any_thread() const override { return true; }
    std::unique_ptr<acquisition> make_acquisition(acquisition_request request) override
    {
        return std::make_unique<redis_shared_acquisition>(set_, server_, time_, std::move(request));
    }

private:
    std::string name_;
    char const* set_;
    redis_server& server_;
    time_source& time_;
};

} // namespace

std::unique_ptr<lock_kind> make_redis_shared_kind(shared_kind_spec const& spec, redis_server& server, time_source& time)
{
    return std::make_unique<redis_shared_kind>(spec, server, time);
}

} // namespace baton::lock
