// How one waits for a lock by name, whatever its kind: for how long, on which thread, and how that ends.

#include "locks/tests/conformance/lock_kinds_fixture.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>
#include <catch2/catch.hpp>

#include <baton/lock/async.hpp>
#include <future>
#include <mutex>
#include <thread>

using namespace baton;
using namespace baton::test;
using baton::lock::lock_errc;
using baton::lock::release_result;

TEST_CASE("threads that share an object take turns")
{
    lock_kinds_fixture fixture;
    auto shared = fixture.make();
    int inside = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int n = 0; n < 10; ++n) {
                std::unique_lock const held(shared);
                auto const before = inside;
                std::this_thread::yield();
                inside = before + 1;
            }
        });
    for (auto& one : threads)
        one.join();
    CHECK(inside == 40);
}

TEST_CASE("whoever waits has it soon after the release")
{
    lock_kinds_fixture fixture;
    auto holder = fixture.make();
    auto waiter = fixture.make();
    REQUIRE(holder.try_lock());
    auto waits = std::async(std::launch::async, [&] { return waiter.try_lock_for(60s); });
    CHECK(waits.wait_for(100ms) == std::future_status::timeout);
    CHECK(holder.unlock() == release_result::released);
    CHECK(waits.get());
}

TEST_CASE("whoever waits for long sleeps in the server, and is woken by the release")
{
    lock_kinds_fixture fixture(false);
    if (fixture.home->where().engine == storage::engine::sqlite || fixture.home->nodes().size() > 1)
        return;
    auto holder = fixture.make();
    auto waiter = fixture.make();
    REQUIRE(holder.try_lock());
    auto waits = std::async(std::launch::async, [&] { return waiter.try_lock_for(60s); });
    fixture.await_sleepers(1);
    CHECK(holder.unlock() == release_result::released);
    CHECK(waits.get());
}

TEST_CASE("coroutines wait for it without a thread, and can be cancelled")
{
    lock_kinds_fixture fixture;
    auto first = fixture.make();
    auto second = fixture.make();
    asio::io_context loop;
    asio::cancellation_signal stop;
    auto const seen = take_turns(loop, first, second);
    CHECK(seen == std::vector<std::string>{"granted", "refused", "released", "valid"});

    lock_errc why{};
    first.async_lock(asio::bind_executor(
        loop.get_executor(), asio::bind_cancellation_slot(stop.slot(), [&](std::exception_ptr failure, bool) {
            why = failure_of([&] { std::rethrow_exception(failure); });
        })));
    asio::steady_timer timer(loop, std::chrono::milliseconds{50});
    timer.async_wait([&](error_code) { stop.emit(asio::cancellation_type::terminal); });
    loop.run();
    CHECK(why == lock_errc::cancelled);

    fixture.views.clear();
    std::vector<std::string> after;
    auto const use_what_is_closed = [&]() -> awaitable<void> {
        auto const how = co_await first.async_unlock(asio::use_awaitable);
        after.push_back(how == release_result::unknown ? "unknown" : "known");
        try {
            co_await first.async_lock(asio::use_awaitable);
        } catch (std::system_error const& failure) {
            after.push_back(failure.code() == lock_errc::misuse ? "misuse" : "another failure");
        }
    };
    loop.restart();
    asio::co_spawn(loop, use_what_is_closed(), asio::detached);
    loop.run();
    CHECK(after == std::vector<std::string>{"unknown", "misuse"});
}

TEST_CASE("who is cancelled while it sleeps in the server is told at once, and what comes of it then is given back")
{
    lock_kinds_fixture fixture(
        place{storage::engine::mysql, GENERATE(kind_name::record, kind_name::lease, kind_name::row)});
    if (fixture.home->nodes().size() > 1)
        return;
    auto holder = fixture.make();
    auto waiter = fixture.make();
    auto other = fixture.make();
    REQUIRE(holder.try_lock());
    bool before_the_server = false;
    // Now and then what it sleeps in ends just then.
    for (int tries = 0; tries < 5 && !before_the_server; ++tries) {
        fixture.await_sleepers(0);
        asio::io_context loop;
        asio::cancellation_signal stop;
        lock_errc why{};
        waiter.async_lock(asio::bind_executor(
            loop.get_executor(), asio::bind_cancellation_slot(stop.slot(), [&](std::exception_ptr failure, bool) {
                why = failure_of([&] { std::rethrow_exception(failure); });
            })));
        fixture.await_sleepers(1);
        stop.emit(asio::cancellation_type::terminal);
        loop.run();
        CHECK(why == lock_errc::cancelled);
        before_the_server = fixture.sleepers() == 1;
    }
    CHECK(before_the_server);
    CHECK(holder.unlock() == release_result::released);
    CHECK(other.try_lock_for(30s));
}

TEST_CASE("a wait on the thread of the locks is refused, since it would never end")
{
    lock_kinds_fixture fixture;
    auto holder = fixture.make("stock", short_lived());
    auto& in = fixture.enter();
    auto other = fixture.make(in, "other");
    auto lost = fixture.make(in, "lost", short_lived());
    REQUIRE(lost.try_lock());
    std::promise<lock_errc> why;
    std::stop_callback const told(lost.lost(), [&] { why.set_value(failure_of([&] { other.lock(); })); });
    CHECK(why.get_future().get() == lock_errc::misuse);
}
