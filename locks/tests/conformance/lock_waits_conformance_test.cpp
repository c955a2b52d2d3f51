// Waiting for a lock of any kind: on a thread, as a coroutine, and its end.

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

TEST_CASE("threads that share a lock object exclude each other")
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

TEST_CASE("a waiter is granted the lock soon after the release")
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

TEST_CASE("a long waiter sleeps in the server, and the release wakes it")
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

TEST_CASE("a coroutine waits for a lock without a thread")
{
    lock_kinds_fixture fixture;
    auto first = fixture.make();
    auto second = fixture.make();
    asio::io_context loop;
    auto const seen = take_turns(loop, first, second);
    CHECK(seen == std::vector<std::string>{"granted", "refused", "released", "valid"});
    fixture.views.clear(); // ends the threads that post to the loop
}

TEST_CASE("the wait of a coroutine can be cancelled")
{
    lock_kinds_fixture fixture;
    auto holder = fixture.make();
    auto waiter = fixture.make();
    REQUIRE(holder.try_lock());
    asio::io_context loop;
    asio::cancellation_signal stop;
    lock_errc reason{};
    waiter.async_lock(asio::bind_executor(
        loop.get_executor(), asio::bind_cancellation_slot(stop.slot(), [&](std::exception_ptr failure, bool) {
            reason = failure_of([&] { std::rethrow_exception(failure); });
        })));
    asio::steady_timer timer(loop, std::chrono::milliseconds{50});
    timer.async_wait([&](error_code) { stop.emit(asio::cancellation_type::terminal); });
    loop.run();
    CHECK(reason == lock_errc::cancelled);
    fixture.views.clear();
}

TEST_CASE("after its store is closed a lock can be neither locked nor unlocked by a coroutine")
{
    lock_kinds_fixture fixture;
    auto lock = fixture.make();
    fixture.views.clear();
    asio::io_context loop;
    std::vector<std::string> seen;
    auto const use_closed = [&]() -> awaitable<void> {
        auto const result = co_await lock.async_unlock(asio::use_awaitable);
        seen.push_back(result == release_result::unknown ? "unknown" : "known");
        try {
            co_await lock.async_lock(asio::use_awaitable);
        } catch (std::system_error const& failure) {
            seen.push_back(failure.code() == lock_errc::misuse ? "misuse" : "another failure");
        }
    };
    asio::co_spawn(loop, use_closed(), asio::detached);
    loop.run();
    CHECK(seen == std::vector<std::string>{"unknown", "misuse"});
}

TEST_CASE("a wait that sleeps in the server ends at once when it is cancelled, and a late grant is released")
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
    // The statement may end by itself at the same moment.
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

TEST_CASE("a blocking wait on the library's own thread is refused, since it would never end")
{
    // The refusal does not depend on the kind.
    lock_kinds_fixture fixture(place{storage::engine::sqlite, kind_name::record});
    auto& store = fixture.enter();
    auto other = fixture.make(store, "other");
    auto lost = fixture.make(store, "lost", short_lived());
    REQUIRE(lost.try_lock());
    std::promise<lock_errc> reason;
    std::stop_callback const notified(lost.lost(), [&] { reason.set_value(failure_of([&] { other.lock(); })); });
    CHECK(reason.get_future().get() == lock_errc::misuse);
}
