#include "libs/base/loop.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>

using namespace baton;

namespace {

// Time that stands still until it is told; a single sleeper.
class hand_moved_time final : public time_source {
public:
    explicit hand_moved_time(asio::any_io_executor loop) : bell_(std::move(loop)) {}
    instant now() const override { return now_; }
    utc_time utc() const override { return {}; }
    awaitable<void> sleep_until(instant at) override
    {
        while (now_ < at)
            co_await bell_.wait();
    }
    void move(duration span)
    {
        now_ += span;
        bell_.wake();
    }

private:
    instant now_{1h};
    waker bell_;
};

} // namespace

TEST_CASE("a ring made while nobody waits is remembered, also after a wait that was over in time")
{
    asio::io_context loop;
    hand_moved_time time(loop.get_executor());
    waker bell(loop.get_executor());
    std::vector<bool> rung;
    auto const listen = [&]() -> awaitable<void> {
        for (int i = 0; i < 3; ++i) {
            auto const at = time.now() + 1s;
            bool const heard = co_await bell.wait_until(time, at);
            rung.push_back(heard);
            if (i == 0)
                bell.wake();
        }
    };
    asio::co_spawn(loop, listen(), asio::detached);
    loop.poll();
    time.move(1s);
    loop.restart();
    loop.poll();
    CHECK(rung == std::vector<bool>{false, true});
    time.move(1s);
    loop.restart();
    loop.poll();
    CHECK(rung == std::vector<bool>{false, true, false});
}

TEST_CASE("a ring at the very moment in which the time is over is heard by this wait or by the next")
{
    asio::io_context loop;
    hand_moved_time time(loop.get_executor());
    waker bell(loop.get_executor());
    int rounds = 0;
    int seen = 0;
    int told = 0;
    auto const listen = [&]() -> awaitable<void> {
        for (;;) {
            auto const at = time.now() + 1s;
            co_await bell.wait_until(time, at);
            ++rounds;
            seen = told;
        }
    };
    asio::co_spawn(loop, listen(), asio::detached);
    loop.poll();
    for (int steps = 0; steps < 12; ++steps) {
        INFO("the ring comes after " << steps << " steps of the loop");
        time.move(1s);
        loop.restart();
        for (int i = 0; i < steps; ++i)
            loop.poll_one();
        ++told;
        bell.wake();
        loop.poll();
        CHECK(seen == told);
    }
    CHECK(rounds >= 12);
}
