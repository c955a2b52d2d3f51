#include "libs/base/loop.hpp"
#include "libs/base/loop_link.hpp"
#include "libs/base/loop_meter.hpp"
#include "libs/base/process.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <catch2/catch.hpp>

#include <stdexcept>
#include <thread>

namespace loop_link_test {

using namespace baton;
using namespace asio::experimental::awaitable_operators;

namespace {

struct two_loops {
    asio::io_context mine{1};
    measured_thread other{"other"};
    loop_ref there{other.loop().executor()};
    loop_ref here{mine.get_executor()};
    system_time time;

    void run(awaitable<void> scene)
    {
        std::exception_ptr failure;
        asio::co_spawn(mine, std::move(scene), [&](std::exception_ptr thrown) { failure = thrown; });
        mine.run();
        if (failure)
            std::rethrow_exception(failure);
    }
};

} // namespace

TEST_CASE("a coroutine runs on the other loop and its caller goes on here after its end")
{
    two_loops f;
    std::thread::id ran_on;
    bool done = false;
    std::function<awaitable<void>()> const work = [&]() -> awaitable<void> {
        co_await f.time.sleep_for(10ms);
        ran_on = std::this_thread::get_id();
        done = true; // read here without a lock: the end comes after it
    };
    auto const scene = [&]() -> awaitable<void> {
        co_await run_on(f.there, f.here, work);
        CHECK(done);
    };
    f.run(scene());
    CHECK(ran_on != std::this_thread::get_id());
    CHECK(done);
}

TEST_CASE("an exception on the other loop reaches the caller")
{
    two_loops f;
    std::function<awaitable<void>()> const work = [&]() -> awaitable<void> {
        co_await f.time.sleep_for(1ms);
        throw std::runtime_error("no");
    };
    auto const scene = [&]() -> awaitable<void> { co_await run_on(f.there, f.here, work); };
    CHECK_THROWS_WITH(f.run(scene()), "no");
}

TEST_CASE("a cancelled caller returns only after the coroutine on the other loop has drained")
{
    for (int round = 0; round < 200; ++round) {
        two_loops f;
        int left = 0;
        std::function<awaitable<void>()> const work = [&]() -> awaitable<void> {
            ++left;
            std::exception_ptr cancelled;
            try {
                co_await f.time.sleep_for(1h);
            } catch (...) {
                cancelled = std::current_exception();
            }
            co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
            co_await f.time.sleep_for(200us); // drains
            --left;
            std::rethrow_exception(cancelled);
        };
        auto const scene = [&]() -> awaitable<void> {
            auto const pause = duration{round % 20 * 10};
            co_await (run_on(f.there, f.here, work) || f.time.sleep_for(pause));
            CHECK(left == 0);
        };
        f.run(scene());
        CHECK(left == 0);
    }
}

TEST_CASE("two loops that run coroutines on each other in turn do not lose a cancellation")
{
    for (int round = 0; round < 200; ++round) {
        two_loops f;
        int inside = 0;
        std::function<awaitable<void>()> const duty = [&]() -> awaitable<void> { // here again
            ++inside;
            std::shared_ptr<void> const at_end(nullptr, [&](auto) { --inside; });
            co_await f.time.sleep_for(1h);
        };
        std::function<awaitable<void>()> const election = [&]() -> awaitable<void> { // there
            for (;;)
                co_await (run_on(f.here, f.there, duty) || f.time.sleep_for(300us));
        };
        auto const scene = [&]() -> awaitable<void> {
            co_await (run_on(f.there, f.here, election) || f.time.sleep_for(1ms));
        };
        f.run(scene());
        CHECK(inside == 0);
    }
}

} // namespace loop_link_test
