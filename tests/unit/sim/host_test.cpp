#include "libs/base/loop.hpp"
#include "libs/sim/sim.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>
#include <vector>

using namespace baton;

TEST_CASE("a killed process ends wherever it waits, at the instant of its death")
{
    sim::stage stage(1);
    auto& host = stage.add_host("a");
    int rounds = 0;
    waker bell(stage.loop.get_executor());
    auto tick = [&]() -> awaitable<void> {
        for (;;) {
            co_await host.time().sleep_for(1s);
            ++rounds;
        }
    };
    auto wait = [&]() -> awaitable<void> { co_await bell.wait(); };
    host.spawn(tick());
    host.spawn(wait());
    stage.time.run_for(3500ms);
    REQUIRE(rounds == 3);
    REQUIRE(host.running() == 2);
    host.kill();
    stage.time.settle();
    CHECK(host.running() == 0);
    CHECK_FALSE(host.alive());
    stage.time.run_for(1min);
    CHECK(rounds == 3);
    stage.end();
}

TEST_CASE("a process that swallows its cancellation finds every seam dead")
{
    sim::stage stage(2);
    auto& host = stage.add_host("a");
    int failures = 0;
    auto stubborn = [&]() -> awaitable<void> {
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        for (int i = 0; i < 3; ++i) {
            try {
                co_await host.time().sleep_for(1h);
            } catch (boost::system::system_error const&) {
                ++failures;
            }
        }
    };
    host.spawn(stubborn());
    stage.time.run_for(1s);
    host.kill();
    stage.time.settle();
    CHECK(failures == 3);
    CHECK(host.running() == 0);
    stage.end();
}

TEST_CASE("a process that is stopped does nothing until it goes on, though its clock does")
{
    sim::stage stage(4);
    auto& host = stage.add_host("a");
    auto const begin = host.time().now();
    std::vector<duration> rounds;
    auto tick = [&]() -> awaitable<void> {
        for (;;) {
            co_await host.time().sleep_for(1s);
            rounds.push_back(host.time().now() - begin);
        }
    };
    host.spawn(tick());
    stage.time.run_for(1500ms);
    host.stop_for(3s);
    CHECK(host.stopped());
    stage.time.run_for(2s);
    CHECK(rounds == std::vector<duration>{1s});
    stage.time.run_for(2500ms);
    CHECK_FALSE(host.stopped());
    CHECK(rounds == std::vector<duration>{1s, 4500ms, 5500ms});
    host.stop_for(1h);
    host.kill();
    stage.time.settle();
    CHECK(host.running() == 0);
    stage.end();
}

TEST_CASE("the death of one host leaves the others alone")
{
    sim::stage stage(3);
    auto& a = stage.add_host("a");
    auto& b = stage.add_host("b");
    int rounds = 0;
    auto tick = [&](sim::host& where) -> awaitable<void> {
        for (;;) {
            co_await where.time().sleep_for(1s);
            ++rounds;
        }
    };
    a.spawn(tick(a));
    b.spawn(tick(b));
    stage.time.run_for(2500ms);
    a.kill();
    stage.time.run_for(2s);
    CHECK(rounds == 6);
    stage.end();
}

TEST_CASE("a defect in a living process reaches the test")
{
    sim::stage stage(4);
    auto& host = stage.add_host("a");
    auto faulty = [&]() -> awaitable<void> {
        co_await host.time().sleep_for(1s);
        throw std::logic_error("a defect");
    };
    host.spawn(faulty());
    CHECK_THROWS_WITH(stage.time.run_for(2s), "a defect");
    stage.end();
}
