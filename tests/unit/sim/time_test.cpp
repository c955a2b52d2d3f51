#include "libs/base/loop.hpp"
#include "libs/sim/sim.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace time_test {

using namespace baton;
using namespace asio::experimental::awaitable_operators;

namespace {

struct fixture {
    asio::io_context loop{1};
    sim::virtual_time time{loop};
    instant const begin = time.now();
    std::vector<std::string> woken;

    awaitable<void> sleeper(std::string name, duration span)
    {
        co_await time.sleep_for(span);
        woken.push_back(std::move(name));
    }

    void start(awaitable<void> part) { asio::co_spawn(loop, std::move(part), asio::detached); }
};

} // namespace

TEST_CASE("sleepers wake in the order of their deadlines, and for equal deadlines in the order of arrival")
{
    fixture f;
    f.start(f.sleeper("late", 3s));
    f.start(f.sleeper("first of two", 2s));
    f.start(f.sleeper("second of two", 2s));
    f.start(f.sleeper("early", 1s));
    f.time.run_for(10s);
    CHECK(f.woken == std::vector<std::string>{"early", "first of two", "second of two", "late"});
}

TEST_CASE("simulated time moves only by the span that the test requests")
{
    fixture f;
    auto const utc = f.time.utc();
    f.start(f.sleeper("one", 1500ms));
    f.time.settle();
    CHECK(f.time.now() == f.begin);
    f.time.run_for(1499ms);
    CHECK(f.woken.empty());
    f.time.run_for(1ms);
    CHECK(f.woken.size() == 1);
    CHECK(f.time.now() - f.begin == 1500ms);
    CHECK(f.time.utc() - utc == 1500ms);
}

TEST_CASE("a simulated year without events takes no real time")
{
    fixture f;
    f.start(f.sleeper("next year", 365 * 24h));
    f.time.run_for(366 * 24h);
    CHECK(f.woken.size() == 1);
}

TEST_CASE("running until a condition stops at the instant at which it becomes true")
{
    fixture f;
    f.start(f.sleeper("a", 7s));
    f.start(f.sleeper("b", 9s));
    CHECK(f.time.run_until([&] { return f.woken.size() == 1; }, 60s));
    CHECK(f.time.now() - f.begin == 7s);
    CHECK_FALSE(f.time.run_until([&] { return f.woken.size() == 3; }, 60s));
    CHECK(f.time.now() - f.begin == 67s);
}

TEST_CASE("a cancelled sleeper wakes at once with operation_aborted")
{
    fixture f;
    asio::cancellation_signal stop;
    std::exception_ptr end;
    bool ended = false;
    auto note = [&](std::exception_ptr failure) {
        end = failure;
        ended = true;
    };
    auto sleeping = f.time.sleep_for(1h);
    asio::co_spawn(f.loop, std::move(sleeping), asio::bind_cancellation_slot(stop.slot(), note));
    f.time.run_for(1s);
    stop.emit(asio::cancellation_type::terminal);
    f.time.settle();
    REQUIRE(ended);
    CHECK(f.time.now() - f.begin == 1s);
    CHECK_THROWS_AS(std::rethrow_exception(end), boost::system::system_error);
}

TEST_CASE("the slower of two sleeps joined by || ends with the faster one")
{
    fixture f;
    bool ended = false;
    auto race = [&]() -> awaitable<void> {
        co_await (f.time.sleep_for(1s) || f.time.sleep_for(1h));
        ended = true;
    };
    f.start(race());
    f.time.run_for(1s);
    CHECK(ended);
    CHECK(f.time.now() - f.begin == 1s);
}

TEST_CASE("a simulated event ends a current wait, and is remembered for the next wait if there is none")
{
    fixture f;
    sim::event event(f.time);
    std::vector<bool> heard;
    auto listen = [&]() -> awaitable<void> {
        for (int i = 0; i < 3; ++i) {
            auto const at = f.time.now() + 10s;
            bool const rung = co_await event.wait_until(at, nullptr, sim::virtual_time::sleep_kind::cancellable);
            heard.push_back(rung);
        }
    };
    event.set();
    f.start(listen());
    f.time.settle();
    CHECK(heard == std::vector<bool>{true});
    f.time.run_for(5s);
    event.set();
    f.time.settle();
    CHECK(heard == std::vector<bool>{true, true});
    f.time.run_for(10s);
    CHECK(heard == std::vector<bool>{true, true, false});
}

TEST_CASE("the observer is called after every handler and after every advance of the time")
{
    fixture f;
    std::vector<instant> seen;
    f.time.observe([&] { seen.push_back(f.time.now()); });
    f.start(f.sleeper("a", 1s));
    f.start(f.sleeper("b", 2s));
    f.time.run_for(3s);
    CHECK(std::count(seen.begin(), seen.end(), f.begin + 1s) >= 1);
    CHECK(std::count(seen.begin(), seen.end(), f.begin + 2s) >= 1);
    CHECK(seen.back() == f.begin + 3s);
}

TEST_CASE("a host's clocks have the configured error, and its sleeps follow its own clock")
{
    sim::stage stage(1);
    auto& fast = stage.add_host("fast", {.boot = 100s, .wall = -5s, .rate = 0.01});
    auto const begin = stage.time.now();
    CHECK(fast.time().now() - begin == 100s);
    CHECK(fast.time().utc() - stage.time.utc() == -5s);
    instant woke{};
    auto sleep = [&]() -> awaitable<void> {
        co_await fast.time().sleep_for(101s);
        woke = stage.time.now();
    };
    fast.spawn(sleep());
    stage.time.run_for(200s);
    CHECK(woke - begin == 100s);
    fast.time().step_wall(60s);
    CHECK(fast.time().utc() - stage.time.utc() == 55s);
    stage.end();
}

} // namespace time_test
