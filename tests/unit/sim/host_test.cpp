#include "libs/base/loop.hpp"
#include "libs/sim/sim.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <catch2/catch.hpp>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace host_test {

using namespace baton;

TEST_CASE("killing a process ends all its waits at that instant")
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

TEST_CASE("a killed process that ignores its cancellation cannot use time, database or network")
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

TEST_CASE("killing one host does not affect the others")
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

TEST_CASE("a frozen process does nothing, and its timers that became due fire in their order when it continues")
{
    sim::stage stage(5);
    auto& host = stage.add_host("a");
    auto& other = stage.add_host("b");
    auto const begin = stage.time.now();
    std::vector<std::pair<std::string, duration>> woken;
    auto sleeper = [&](sim::host& where, std::string name, duration span) -> awaitable<void> {
        co_await where.time().sleep_for(span);
        woken.emplace_back(std::move(name), where.time().now() - begin);
    };
    host.spawn(sleeper(host, "late", 5s));
    host.spawn(sleeper(host, "second", 2s));
    host.spawn(sleeper(host, "first", 1500ms));
    other.spawn(sleeper(other, "elsewhere", 3s));
    stage.time.run_for(1s);
    host.freeze_for(3s);
    stage.time.run_for(10s);
    using seen = std::vector<std::pair<std::string, duration>>;
    CHECK(woken == seen{{"elsewhere", 3s}, {"first", 4s}, {"second", 4s}, {"late", 5s}});
    stage.end();
}

TEST_CASE("after a freeze, the coroutine that continues first can still cancel another one that became due")
{
    sim::stage stage(7);
    auto& host = stage.add_host("a");
    asio::cancellation_signal stop;
    bool cancelled = false;
    auto first = [&]() -> awaitable<void> {
        co_await host.time().sleep_for(1s);
        stop.emit(asio::cancellation_type::terminal);
    };
    auto second = [&]() -> awaitable<void> {
        try {
            co_await host.time().sleep_for(2s);
        } catch (boost::system::system_error const&) {
            cancelled = true;
        }
    };
    host.spawn(first());
    asio::co_spawn(stage.loop, second(), asio::bind_cancellation_slot(stop.slot(), asio::detached));
    host.freeze_for(5s);
    stage.time.run_for(1min);
    CHECK(cancelled);
    stage.end();
}

TEST_CASE("a frozen process can be killed")
{
    sim::stage stage(6);
    auto& host = stage.add_host("a");
    bool woken = false;
    auto sleep = [&]() -> awaitable<void> {
        co_await host.time().sleep_for(1s);
        woken = true;
    };
    host.spawn(sleep());
    host.freeze_for(1h);
    stage.time.run_for(1min);
    host.kill();
    stage.time.settle();
    CHECK(host.running() == 0);
    stage.time.run_for(2h);
    CHECK_FALSE(woken);
    stage.end();
}

TEST_CASE("an unexpected exception in a living process reaches the test")
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

} // namespace host_test
