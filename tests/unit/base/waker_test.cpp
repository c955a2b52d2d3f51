#include "libs/base/loop.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>

namespace waker_test {

using namespace baton;

namespace {

// A clock that moves only when the test moves it. For one sleeping coroutine.
class manual_time final : public time_source {
public:
    explicit manual_time(asio::any_io_executor loop) : moved_(std::move(loop)) {}
    instant now() const override { return now_; }
    utc_time utc() const override { return {}; }
    awaitable<void> sleep_until(instant at) override
    {
        while (now_ < at)
            co_await moved_.wait();
    }
    void move(duration span)
    {
        now_ += span;
        moved_.wake();
    }

private:
    instant now_{1h};
    waker moved_;
};

} // namespace

TEST_CASE("a waker remembers a wake-up without a waiting coroutine, also after a wait that timed out")
{
    asio::io_context loop;
    manual_time time(loop.get_executor());
    waker event(loop.get_executor());
    std::vector<bool> woken;
    auto const wait_thrice = [&]() -> awaitable<void> {
        for (int i = 0; i < 3; ++i) {
            auto const at = time.now() + 1s;
            bool const in_time = co_await event.wait_until(time, at);
            woken.push_back(in_time);
            if (i == 0)
                event.wake();
        }
    };
    asio::co_spawn(loop, wait_thrice(), asio::detached);
    loop.poll();
    time.move(1s);
    loop.restart();
    loop.poll();
    CHECK(woken == std::vector<bool>{false, true});
    time.move(1s);
    loop.restart();
    loop.poll();
    CHECK(woken == std::vector<bool>{false, true, false});
}

TEST_CASE("a wake-up at the same moment as the timeout ends this wait or the next one, so it is never lost")
{
    asio::io_context loop;
    manual_time time(loop.get_executor());
    waker event(loop.get_executor());
    int rounds = 0;
    int seen = 0;
    int sent = 0;
    auto const wait_forever = [&]() -> awaitable<void> {
        for (;;) {
            auto const at = time.now() + 1s;
            co_await event.wait_until(time, at);
            ++rounds;
            seen = sent;
        }
    };
    asio::co_spawn(loop, wait_forever(), asio::detached);
    loop.poll();
    for (int steps = 0; steps < 12; ++steps) {
        INFO("the wake-up comes after " << steps << " steps of the loop");
        time.move(1s);
        loop.restart();
        for (int i = 0; i < steps; ++i)
            loop.poll_one();
        ++sent;
        event.wake();
        loop.poll();
        CHECK(seen == sent);
    }
    CHECK(rounds >= 12);
}

TEST_CASE("a wake-up ends a wait on the host's clock, and a wait without one ends at its time")
{
    asio::io_context loop;
    system_time time;
    waker event(loop.get_executor());
    std::vector<bool> woken;
    auto const wait_twice = [&]() -> awaitable<void> {
        auto const late = time.now() + 1h;
        bool const first = co_await event.wait_until(time, late);
        woken.push_back(first);
        auto const soon = time.now() + 1ms;
        bool const second = co_await event.wait_until(time, soon);
        woken.push_back(second);
    };
    asio::co_spawn(loop, wait_twice(), asio::detached);
    loop.poll();
    CHECK(woken.empty());
    event.wake();
    loop.restart();
    loop.run();
    CHECK(woken == std::vector<bool>{true, false});
}

TEST_CASE("a cancelled wait ends with operation_aborted, with a time and without one")
{
    asio::io_context loop;
    system_time real;
    manual_time manual(loop.get_executor());
    waker event(loop.get_executor());
    auto const wait = [&](time_source* time) -> awaitable<void> {
        if (time == nullptr)
            co_await event.wait();
        else
            co_await event.wait_until(*time, time->now() + 1h);
    };
    for (auto* time :
         {static_cast<time_source*>(&real), static_cast<time_source*>(&manual), static_cast<time_source*>(nullptr)}) {
        asio::cancellation_signal signal;
        std::optional<error_code> end;
        auto const note = [&](std::exception_ptr failure) {
            REQUIRE(failure);
            try {
                std::rethrow_exception(failure);
            } catch (boost::system::system_error const& thrown) {
                end = thrown.code();
            }
        };
        asio::co_spawn(loop, wait(time), asio::bind_cancellation_slot(signal.slot(), note));
        loop.restart();
        loop.poll();
        CHECK_FALSE(end);
        signal.emit(asio::cancellation_type::terminal);
        loop.restart();
        loop.poll();
        CHECK(end == error_code(asio::error::operation_aborted));
    }
}

} // namespace waker_test
