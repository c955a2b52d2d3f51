#include "libs/base/task_group.hpp"
#include "libs/sim/virtual_time.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <catch2/catch.hpp>

#include <stdexcept>

namespace task_group_test {

using namespace baton;

namespace {

struct owner {
    awaitable<void> child()
    {
        ++alive;
        std::shared_ptr<void> const at_end(nullptr, [this](auto) { --alive; });
        co_await time.sleep_for(1h);
    }

    awaitable<void> body()
    {
        group.spawn("a child", child());
        group.spawn("another", child());
        co_await stop.wait();
        if (fails)
            throw std::runtime_error("the body failed");
    }

    awaitable<void> run() { co_await group.around(body()); }

    void start()
    {
        auto const done = [this](std::exception_ptr why) {
            ended = true;
            failure = std::move(why);
            left = alive;
        };
        asio::co_spawn(loop, run(), asio::bind_cancellation_slot(signal.slot(), done));
        time.run_for(1s);
        REQUIRE(alive == 2);
        REQUIRE_FALSE(ended);
    }

    asio::io_context loop{1};
    sim::virtual_time time{loop};
    task_group group{loop.get_executor()};
    waker stop{loop.get_executor()};
    asio::cancellation_signal signal;
    bool fails = false;
    int alive = 0;
    int left = -1; // children alive when the owner ended
    bool ended = false;
    std::exception_ptr failure;
};

} // namespace

TEST_CASE("a cancelled owner ends after the coroutines that it spawned")
{
    owner one;
    one.start();
    one.signal.emit(asio::cancellation_type::terminal);
    one.time.settle();
    REQUIRE(one.ended);
    CHECK(one.left == 0);
    CHECK_THROWS_AS(std::rethrow_exception(one.failure), boost::system::system_error);
}

TEST_CASE("an owner whose body returns or throws ends after its spawned coroutines, with the same outcome as the body")
{
    owner one;
    one.fails = GENERATE(false, true);
    one.start();
    one.stop.wake();
    one.time.settle();
    REQUIRE(one.ended);
    CHECK(one.left == 0);
    CHECK((one.failure != nullptr) == one.fails);
    one.group.spawn("too late", one.child());
    CHECK(one.alive == 0);
}

} // namespace task_group_test
