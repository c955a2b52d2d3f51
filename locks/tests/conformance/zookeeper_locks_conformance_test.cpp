// The promises of locks on ZooKeeper beyond those of all kinds (lock_kinds_conformance_test.cpp), on a real server and
// with a look at its nodes.

#include "libs/base/error.hpp"
#include "libs/base/random.hpp"
#include "locks/include/baton/lock/store.hpp"
#include "locks/zookeeper/kind.hpp"
#include "locks/zookeeper/session.hpp"
#include "locks/zookeeper/url.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <future>
#include <mutex>

using namespace baton;
using namespace baton::lock;

namespace {

// The host's time. In a hurry, each look at the clock is an hour later, so that no answer arrives in time.
class test_time final : public time_source {
public:
    instant now() const override
    {
        if (hurry)
            ahead_ += 1h;
        return real_.now() + ahead_;
    }
    utc_time utc() const override { return real_.utc(); }
    awaitable<void> sleep_until(instant at) override { return real_.sleep_until(at - ahead_); }

    bool hurry = false;

private:
    system_time real_;
    mutable duration ahead_{};
};

std::string server()
{
    auto const url = std::getenv("BATON_TEST_ZOOKEEPER");
    return url ? url : "";
}

std::string new_url()
{
    seeded_random random(entropy());
    return server() + "/test-" + std::to_string(random.next());
}

// A place of the test's own on the server, and a session that looks at it.
class zookeeper_fixture {
public:
    zookeeper_fixture() { finish(make_zookeeper_root(*session, where.root)); }
    ~zookeeper_fixture()
    {
        loop.poll();
        session->close();
    }

    std::unique_ptr<store> enter() const { return std::make_unique<store>(url + "?session=2s"); }
    std::unique_ptr<acquisition> make_acquisition(std::string name = "stock")
    {
        acquisition_request request;
        request.name = std::move(name);
        request.ttl = 10s;
        return kind->make_acquisition(std::move(request));
    }

    template <class Result>
    Result finish(awaitable<Result> part)
    {
        std::optional<Result> got;
        std::exception_ptr failure;
        asio::co_spawn(loop, std::move(part), [&](std::exception_ptr ended, Result value) {
            failure = std::move(ended);
            got.emplace(std::move(value));
        });
        run_until([&] { return got.has_value(); });
        if (failure)
            std::rethrow_exception(failure);
        return std::move(*got);
    }
    void finish(awaitable<void> part)
    {
        finish([](awaitable<void> work) -> awaitable<bool> {
            co_await std::move(work);
            co_return true;
        }(std::move(part)));
    }
    void run_until(std::function<bool()> const& over)
    {
        auto const until = system_time().now() + 60s;
        while (!over()) {
            if (system_time().now() >= until)
                FAIL("the condition did not become true in time");
            loop.run_one_for(std::chrono::milliseconds{50});
        }
    }

    std::vector<std::string> nodes(std::string const& name = "stock")
    {
        finish(session->connect());
        return finish(session->children(0, where.root + "/" + name));
    }
    void await_nodes(std::size_t count)
    {
        run_until([&] { return nodes().size() == count; });
    }

    std::string url = new_url();
    zookeeper_location where = parse_zookeeper_url(url);
    asio::io_context loop;
    asio::executor_work_guard<asio::io_context::executor_type> open{loop.get_executor()};
    test_time time;
    seeded_random random{entropy()};
    std::shared_ptr<zoo_session> session =
        std::make_shared<zoo_session>(zoo_session_settings{where.hosts, 2s, 2s, loop.get_executor(), time});
    std::unique_ptr<lock::lock_kind> kind =
        make_zookeeper_kind("zookeeper", session, loop.get_executor(), where.root, random);
};

// Has the answer to `call` come too late. An answer that is there before the clock is looked at is not late: then
// `undo` takes the effect back, and the call is made again.
bool lose_answer(zookeeper_fixture& fixture, std::function<void()> const& call, std::function<void()> const& undo)
{
    for (int tries = 0; tries < 50; ++tries) {
        fixture.time.hurry = true;
        bool lost = false;
        try {
            call();
        } catch (unavailable const&) {
            lost = true;
        }
        fixture.time.hurry = false;
        if (lost)
            return true;
        undo();
    }
    return false;
}

lock_options final_after(std::chrono::milliseconds ttl)
{
    lock_options how;
    how.ttl = ttl;
    how.watchdog = false;
    return how;
}

std::ptrdiff_t threads()
{
    std::filesystem::directory_iterator const first("/proc/self/task");
    return std::distance(begin(first), end(first));
}

#define NEEDS_A_SERVER()                                                                                               \
    if (server().empty()) {                                                                                            \
        WARN("skipped: BATON_TEST_ZOOKEEPER is not set");                                                              \
        return;                                                                                                        \
    }

} // namespace

TEST_CASE("waiters are granted the lock in order of arrival")
{
    NEEDS_A_SERVER();
    zookeeper_fixture fixture;
    auto const in = fixture.enter();
    auto holder = in->lock("stock");
    REQUIRE(holder.try_lock());
    std::mutex mutex;
    std::vector<int> served;
    std::vector<std::future<void>> waits;
    for (int number = 0; number < 5; ++number) {
        waits.push_back(std::async(std::launch::async, [&, number] {
            auto const own = fixture.enter();
            auto lock = own->lock("stock");
            std::lock_guard const held(lock);
            std::lock_guard const writing(mutex);
            served.push_back(number);
        }));
        fixture.await_nodes(2 + static_cast<std::size_t>(number)); // it has its place
    }
    CHECK(holder.unlock() == release_result::released);
    for (auto& each : waits)
        each.get();
    CHECK(served == std::vector<int>{0, 1, 2, 3, 4});
}

TEST_CASE("a cancelled waiter leaves the queue, and the waiters behind it still wait for the holder")
{
    NEEDS_A_SERVER();
    zookeeper_fixture fixture;
    auto const one = fixture.enter();
    auto const other = fixture.enter();
    auto holder = one->lock("stock");
    auto impatient = one->lock("stock");
    auto patient = other->lock("stock");
    REQUIRE(holder.try_lock());
    std::stop_source stop;
    std::promise<void> stopped;
    impatient.start_lock(1h, stop.get_token(), [&](std::exception_ptr, bool) { stopped.set_value(); });
    fixture.await_nodes(2);
    auto waits = std::async(std::launch::async, [&] { return patient.try_lock_for(60s); });
    fixture.await_nodes(3);
    stop.request_stop();
    stopped.get_future().get();
    fixture.await_nodes(2);
    CHECK(waits.wait_for(50ms) == std::future_status::timeout);
    CHECK(holder.unlock() == release_result::released);
    CHECK(waits.get());
}

TEST_CASE("a refused try leaves no node")
{
    NEEDS_A_SERVER();
    zookeeper_fixture fixture;
    auto const in = fixture.enter();
    auto holder = in->lock("stock");
    auto other = in->lock("stock");
    REQUIRE(holder.try_lock());
    for (int times = 0; times < 10; ++times)
        CHECK_FALSE(other.try_lock());
    fixture.await_nodes(1);
    CHECK(holder.valid());
}

TEST_CASE("a holder whose node is removed is notified of its loss")
{
    NEEDS_A_SERVER();
    zookeeper_fixture fixture;
    auto const in = fixture.enter();
    auto holder = in->lock("stock");
    REQUIRE(holder.try_lock());
    std::promise<void> lost;
    std::stop_callback const told(holder.lost(), [&] { lost.set_value(); });
    auto const nodes = fixture.nodes();
    REQUIRE(nodes.size() == 1);
    CHECK(fixture.finish(fixture.session->remove(0, fixture.where.root + "/stock/" + nodes.front())));
    CHECK(lost.get_future().wait_for(60s) == std::future_status::ready);
    CHECK_FALSE(holder.valid());
    CHECK(holder.unlock() == release_result::was_lost);
}

TEST_CASE("a node whose creation had no answer is found again")
{
    NEEDS_A_SERVER();
    zookeeper_fixture fixture;
    auto first = fixture.make_acquisition();
    fixture.finish(fixture.session->connect());
    fixture.finish(make_zookeeper_root(*fixture.session, fixture.where.root + "/stock"));
    REQUIRE(lose_answer(
        fixture, [&] { fixture.finish(first->take()); }, [&] { fixture.finish(first->release()); }));
    fixture.await_nodes(1);

    SECTION("by the next try, which is granted the lock")
    {
        auto const made = fixture.finish(first->take());
        REQUIRE(made.granted);
        CHECK(fixture.nodes().size() == 1);
        CHECK(fixture.finish(first->extend()));
        CHECK(fixture.finish(first->release()));
        auto const next = fixture.make_acquisition();
        auto const then = fixture.finish(next->take());
        REQUIRE(then.granted);
        CHECK(then.granted->token > made.granted->token);
    }
    SECTION("by the release")
    {
        CHECK(fixture.finish(first->release()));
        CHECK(fixture.nodes().empty());
    }
    SECTION("in the background, after the acquisition is dropped")
    {
        first.reset();
        fixture.await_nodes(0);
    }
}

TEST_CASE("a repeated release whose first answer was lost is not reported as a loss")
{
    NEEDS_A_SERVER();
    zookeeper_fixture fixture;
    auto holder = fixture.make_acquisition();
    REQUIRE(fixture.finish(holder->take()).granted);
    REQUIRE(lose_answer(
        fixture, [&] { fixture.finish(holder->release()); }, [&] { fixture.finish(holder->take()); }));
    fixture.await_nodes(0);
    CHECK(fixture.finish(holder->release()));
    CHECK_FALSE(fixture.finish(holder->extend()));
}

TEST_CASE("a grant lasts for half of the session's timeout, or for a shorter requested ttl")
{
    NEEDS_A_SERVER();
    zookeeper_fixture fixture;
    auto const holder = fixture.make_acquisition();
    auto const made = fixture.finish(holder->take());
    REQUIRE(made.granted);
    CHECK(fixture.session->timeout() == 2s);
    CHECK(made.granted->ttl == duration{1s});
    acquisition_request hasty;
    hasty.name = "other";
    hasty.ttl = 300ms;
    auto const other = fixture.kind->make_acquisition(hasty);
    auto const small = fixture.finish(other->take());
    REQUIRE(small.granted);
    CHECK(small.granted->ttl == duration{300ms});
}

TEST_CASE("unused names are reaped, used ones are not, and a reaped name can be locked again")
{
    NEEDS_A_SERVER();
    zookeeper_fixture fixture;
    auto const holder = fixture.make_acquisition("held");
    REQUIRE(fixture.finish(holder->take()).granted);
    for (auto const name : {"left", "used"})
        fixture.finish(make_zookeeper_root(*fixture.session, fixture.where.root + "/" + name)); // persistent
    auto const gone = fixture.make_acquisition("gone");                                         // a container
    REQUIRE(fixture.finish(gone->take()).granted);
    REQUIRE(fixture.finish(gone->release()));
    auto user = fixture.make_acquisition("used");
    REQUIRE(fixture.finish(user->take()).granted);
    CHECK(fixture.finish(reap_zookeeper(*fixture.session, fixture.where.root, 1h)) == 0);
    CHECK(fixture.finish(reap_zookeeper(*fixture.session, fixture.where.root, 0s)) == 2);
    CHECK(fixture.finish(user->extend()));
    auto const again = fixture.make_acquisition("left");
    CHECK(fixture.finish(again->take()).granted);
}

TEST_CASE("a closed store leaves neither nodes nor threads, even if a lock outlives it")
{
    NEEDS_A_SERVER();
    zookeeper_fixture fixture;
    fixture.finish(fixture.session->connect());
    auto const before = threads();
    auto in = fixture.enter();
    auto holder = in->lock("stock");
    auto late = in->lock("other", final_after(500ms));
    REQUIRE(late.try_lock());
    fixture.run_until([&] { return late.lost().stop_requested(); });
    REQUIRE(holder.try_lock());
    fixture.await_nodes(1);
    CHECK(threads() > before);
    in.reset();
    fixture.await_nodes(0);
    fixture.run_until([&] { return threads() == before; });
    CHECK_FALSE(holder.valid());
}

TEST_CASE("a lock without a watchdog is free after its ttl, although the session of its holder is alive")
{
    NEEDS_A_SERVER();
    zookeeper_fixture fixture;
    auto const in = fixture.enter();
    auto late = in->lock("stock", final_after(500ms));
    auto next = in->lock("stock");
    REQUIRE(late.try_lock());
    auto const token = late.token();
    REQUIRE(next.try_lock_for(10s));
    fixture.run_until([&] { return late.lost().stop_requested(); });
    CHECK(next.token() > token);
    fixture.await_nodes(1);
    CHECK(late.unlock() == release_result::was_lost);
    CHECK(next.unlock() == release_result::released);
}

TEST_CASE("an unreachable server is reported at the end of the wait, and nothing is held")
{
    store_options how;
    how.limit = 1s;
    store in("zookeeper://127.0.0.1:1", how);
    auto lock = in.lock("stock");
    try {
        lock.try_lock();
        FAIL("locked");
    } catch (std::system_error const& failure) {
        CHECK(failure.code() == lock_errc::unavailable);
    }
    CHECK_FALSE(lock.valid());
}
