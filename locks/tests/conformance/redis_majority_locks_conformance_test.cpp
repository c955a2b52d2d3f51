// The promises of a lock on a majority of independent Redis servers while some of them are broken.

#include "locks/tests/conformance/redis_locks.hpp"
#include "locks/tests/support/slow_link.hpp"

#include <atomic>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

using namespace baton::test;
using baton::lock::lock_options;
using baton::lock::release_result;
using baton::lock::store;
using baton::lock::store_options;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

// At any time: its counter stays.
bool has_voted(private_redis& server, std::string const& name)
{
    return server.ask("EXISTS 'baton:lock:{" + name + "}:token'") == "1";
}

// Three independent servers.
struct three {
    std::string url() const
    {
        return "redlock://127.0.0.1:" + a.port() + ",127.0.0.1:" + b.port() + ",127.0.0.1:" + c.port();
    }
    private_redis a, b, c;
};

} // namespace

TEST_CASE("a majority lock has one holder while a minority of the servers is dead or frozen")
{
    three servers;
    store_options patient;
    patient.limit = 60s;
    store one(servers.url(), patient);
    store other(servers.url(), patient);
    auto first = one.lock("stock", long_lived());
    auto second = other.lock("stock", long_lived());
    bool const frozen = GENERATE(false, true);
    frozen ? servers.b.freeze() : servers.b.kill();
    auto const began = std::chrono::steady_clock::now();
    REQUIRE(first.try_lock());
    CHECK_FALSE(second.try_lock());
    CHECK(first.unlock() == release_result::released);
    CHECK(second.try_lock());
    CHECK(second.unlock() == release_result::released);
    CHECK(std::chrono::steady_clock::now() - began < 30s); // nobody waited for its answer
    if (frozen)
        servers.b.thaw();
}

TEST_CASE("without a majority of the servers the lock is not granted, and the votes are released")
{
    three servers;
    store in(servers.url(), impatient());
    auto lock = in.lock("stock", long_lived());
    servers.a.kill();
    servers.b.kill();
    CHECK_THAT(failure_of([&] { lock.try_lock(); }), Contains("Redis"));
    CHECK(await([&] { return servers.c.ask("EXISTS 'baton:lock:{stock}'") == "0"; }));
    servers.a.start();
    CHECK(lock.try_lock_for(60s));
}

TEST_CASE("a late vote of a lost majority is released")
{
    three servers;
    store in(servers.url(), impatient());
    auto other = in.lock("other");
    REQUIRE(other.try_lock()); // all are connected
    REQUIRE(await([&] { return has_key(servers.c, "other"); }));
    auto lock = in.lock("stock", long_lived());
    for (auto* each : {&servers.a, &servers.b})
        each->ask("SET 'baton:lock:{stock}' another");

    SECTION("since the server had forgotten the script")
    {
        servers.c.ask("SCRIPT FLUSH");
        other.unlock(); // which teaches it the release script again
        REQUIRE(await([&] { return !has_key(servers.c, "other"); }));
        CHECK_FALSE(lock.try_lock());
    }
    SECTION("since the server stood still, for longer than its answer is waited for")
    {
        servers.c.freeze();
        CHECK_FALSE(lock.try_lock());
        std::this_thread::sleep_for(1500ms); // past the limit
        servers.c.thaw();
    }
    CHECK(await([&] { return has_voted(servers.c, "stock"); }));
    CHECK(await([&] { return !has_key(servers.c, "stock"); }));
}

TEST_CASE("a release also reaches a server whose vote comes late")
{
    three servers;
    store in(servers.url());
    auto other = in.lock("other");
    REQUIRE(other.try_lock());
    REQUIRE(await([&] { return has_key(servers.c, "other"); }));
    auto lock = in.lock("stock", long_lived());
    servers.c.ask("SCRIPT FLUSH");
    other.unlock();
    REQUIRE(await([&] { return !has_key(servers.c, "other"); }));
    servers.c.freeze();
    REQUIRE(lock.try_lock());
    CHECK(lock.unlock() == release_result::released);
    servers.c.thaw();
    CHECK(await([&] { return has_voted(servers.c, "stock"); }));
    CHECK(await([&] { return !has_key(servers.c, "stock"); }));
}

// The slow server knows the script of a release and not the one of a vote: the vote takes two steps, and the release
// that was sent between them comes first.
TEST_CASE("a store that closes right after a release leaves no vote on a slow server")
{
    three servers;
    slow_link link(servers.c.port());
    auto in = std::make_unique<store>("redlock://127.0.0.1:" + servers.a.port() + ",127.0.0.1:" + servers.b.port() +
                                      ",127.0.0.1:" + link.port());
    auto other = in->lock("other");
    REQUIRE(other.try_lock());
    REQUIRE(await([&] { return has_key(servers.c, "other"); }));
    servers.c.ask("SCRIPT FLUSH");
    other.unlock();
    REQUIRE(await([&] { return !has_key(servers.c, "other"); }));

    link.hold_requests();
    link.hold_answers_after("$4\r\nEVAL\r\n");
    auto lock = in->lock("stock", long_lived());
    REQUIRE(lock.try_lock());
    REQUIRE(lock.unlock() == release_result::released);
    link.let_requests_pass();
    REQUIRE(await([&] { return link.holds_answers() && has_key(servers.c, "stock"); }));
    auto const closed = std::async(std::launch::async, [&] { in.reset(); });
    closed.wait_for(100ms); // a store that does not wait for its calls is closed by now
    link.let_answers_pass();
    closed.wait();
    CHECK_FALSE(has_key(servers.c, "stock"));
}

TEST_CASE("a majority lock is lost if a majority of the servers forgets it, not if one does")
{
    three servers;
    store in(servers.url(), impatient());
    lock_options how;
    how.ttl = 6s;
    auto lock = in.lock("stock", how);
    REQUIRE(lock.try_lock());
    for (auto* each : {&servers.a, &servers.b, &servers.c}) // two votes grant it, and the third may come later
        REQUIRE(await([&] { return has_key(*each, "stock"); }));
    servers.a.ask("FLUSHALL");
    std::promise<void> lost;
    std::stop_callback const told(lock.lost(), [&] { lost.set_value(); });
    auto const ended = lost.get_future();
    auto const left = lock.remaining();
    REQUIRE(await([&] { return lock.remaining() > left; }, 60s)); // renewed by the other two
    CHECK(ended.wait_for(0s) == std::future_status::timeout);
    servers.b.ask("FLUSHALL");
    CHECK(ended.wait_for(60s) == std::future_status::ready);
    CHECK(lock.unlock() == release_result::was_lost);
}

TEST_CASE("concurrent acquisitions of a majority lock succeed one after the other and leave no keys")
{
    three servers;
    std::atomic<int> counted = 0; // for the sanitizers; it is read and written apart
    std::vector<std::future<void>> all;
    for (int i = 0; i < 5; ++i)
        all.push_back(std::async(std::launch::async, [&] {
            store in(servers.url());
            auto lock = in.lock("stock", long_lived());
            for (int times = 0; times < 20; ++times) {
                std::unique_lock const held(lock);
                counted = counted + 1;
            }
        }));
    for (auto& each : all)
        each.get();
    CHECK(counted == 100);
    for (auto* each : {&servers.a, &servers.b, &servers.c})
        CHECK(await([&] { return each->ask("EXISTS 'baton:lock:{stock}'") == "0"; }));
}
