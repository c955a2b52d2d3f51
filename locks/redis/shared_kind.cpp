#include "locks/redis/shared_kind.hpp"

#include "locks/redis/shared_scripts.hpp"

#include <algorithm>

namespace baton::lock {

namespace {

constexpr duration longest_doze = 1s; // by which a lost message delays those who wait
// For longer than one that waits is silent.
constexpr duration room_kept_there = 1500ms;

std::string in_ms(duration span)
{
    return std::to_string(std::chrono::ceil<std::chrono::milliseconds>(span).count());
}

class redis_shared_acquisition final : public acquisition {
public:
    redis_shared_acquisition(char const* set, redis_server& server, time_source& time, acquisition_request request)
        : server_(server), time_(time), request_(std::move(request)), keys_(set, request_.name)
    {}

    // Also finds what an earlier one has taken whose answer was lost.
    awaitable<try_result> take() override
    {
        try_result made;
        auto const answer = co_await ask_to_take();
        auto const value = answer.list[1].number;
        switch (answer.list[0].number) {
        case 1:
            made.granted = grant{value, answer.list[2].number == 1};
            ear_.reset();
            break;
        case 2:
            throw capacity_mismatch(request_.name, request_.share.capacity, value);
        default:
            made.refused.until = time_.now() + std::chrono::milliseconds{value + 1};
        }
        co_return made;
    }

    // The first time it only begins to listen: what was told before that, the next take finds out.
    awaitable<void> await_change(refusal what, instant until) override
    {
        waits_ = true;
        if (!ear_)
            ear_ = std::make_unique<redis_doorbell::ear>(server_.doorbell(), keys_.channel);
        if (!ear_->hears()) {
            co_await ear_->listen();
            co_return;
        }
        auto const at = std::min({until, time_.now() + longest_doze, what.until.value_or(until)});
        co_await ear_->wait(at);
    }

    awaitable<bool> extend() override
    {
        redis_command const rest{"2", keys_.holders, keys_.shares, request_.owner, in_ms(request_.ttl)};
        auto const answer = co_await server_.ask(shared_extend_script(), rest, request_.ttl);
        co_return answer.number == 1;
    }

    awaitable<bool> release() override
    {
        redis_command const rest{"2", keys_.holders, keys_.shares, request_.owner, keys_.channel};
        auto const answer = co_await server_.ask(shared_release_script(), rest);
        co_return answer.number == 1;
    }

private:
    awaitable<redis_reply> ask_to_take()
    {
        redis_command const rest{"4",
                                 keys_.holders,
                                 keys_.shares,
                                 keys_.tokens,
                                 keys_.room,
                                 request_.owner,
                                 in_ms(request_.ttl),
                                 std::to_string(request_.share.weight),
                                 std::to_string(request_.share.capacity),
                                 waits_ ? in_ms(room_kept_there) : "0"};
        auto answer = co_await server_.ask(shared_take_script(), rest, request_.ttl);
        if (answer.list.size() != 3)
            throw unavailable("Redis: not the answer of the script");
        co_return answer;
    }

    redis_server& server_;
    time_source& time_;
    acquisition_request request_;
    redis_shared_keys keys_;
    bool waits_ = false;
    std::unique_ptr<redis_doorbell::ear> ear_;
};

class redis_shared_kind final : public lock_kind {
public:
    redis_shared_kind(shared_kind_spec const& what, redis_server& server, time_source& time)
        : name_(what.kind), set_(what.set), server_(server), time_(time)
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

std::unique_ptr<lock_kind> make_redis_shared_kind(shared_kind_spec const& what, redis_server& server, time_source& time)
{
    return std::make_unique<redis_shared_kind>(what, server, time);
}

} // namespace baton::lock
