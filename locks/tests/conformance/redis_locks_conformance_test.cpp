// The promises of locks on one Redis server beyond those of all kinds, and the limits of these, with broken servers.

#include "locks/tests/conformance/redis_locks.hpp"
#include "locks/tests/support/lock_urls.hpp"
#include "locks/tests/support/private_redis.hpp"

#include <catch2/catch.hpp>

#include <barrier>
#include <baton/lock/store.hpp>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

using namespace baton::test;
using baton::lock::release_result;
using baton::lock::store;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

bool has_subscriber(private_redis& server)
{
    return !server.ask("PUBSUB CHANNELS").empty();
}

} // namespace

TEST_CASE("the next try finds a grant whose answer was lost, with its token")
{
    private_redis server;
    store in(server.url(), impatient());
    auto lock = in.lock("stock", long_lived());
    REQUIRE(lock.try_lock()); // it is connected
    lock.unlock();
    server.freeze();
    auto waits = std::async(std::launch::async, [&] { return lock.try_lock_for(60s); });
    CHECK(waits.wait_for(1500ms) == std::future_status::timeout); // after the limit of the first try
    server.thaw();
    CHECK(waits.get());
    CHECK(lock.token() == 2);
    CHECK(server.ask("GET 'baton:lock:{stock}:token'") == "2");
    CHECK(lock.unlock() == release_result::released);
}

TEST_CASE("a wait leaves no subscription behind, whether it is granted, refused or cancelled")
{
    private_redis server;
    store one(server.url());
    store other(server.url());
    auto holder = one.lock("stock", long_lived());
    auto waiter = other.lock("stock", long_lived());
    REQUIRE(holder.try_lock());

    SECTION("granted")
    {
        auto waits = std::async(std::launch::async, [&] { return waiter.try_lock_for(60s); });
        REQUIRE(await([&] { return has_subscriber(server); }));
        holder.unlock();
        CHECK(waits.get());
    }
    SECTION("refused")
    {
        // On a busy machine a wait may end before it subscribes.
        REQUIRE(await([&] {
            CHECK_FALSE(waiter.try_lock_for(300ms));
            return server.ask("INFO commandstats").find("cmdstat_subscribe") != std::string::npos;
        }));
    }
    SECTION("cancelled")
    {
        std::stop_source stop;
        std::promise<bool> ended;
        waiter.start_lock(1h, stop.get_token(), [&](std::exception_ptr why, bool) { ended.set_value(why != nullptr); });
        REQUIRE(await([&] { return has_subscriber(server); }));
        stop.request_stop();
        CHECK(ended.get_future().get());
    }
    CHECK(await([&] { return !has_subscriber(server); }));
}

TEST_CASE("a waiter subscribes again when its subscription breaks, and is notified of the release")
{
    private_redis server;
    store one(server.url());
    store other(server.url());
    auto holder = one.lock("stock", long_lived());
    auto waiter = other.lock("stock", long_lived());
    REQUIRE(holder.try_lock());
    auto waits = std::async(std::launch::async, [&] { return waiter.try_lock_for(60s); });
    REQUIRE(await([&] { return has_subscriber(server); }));
    server.ask("CLIENT KILL TYPE pubsub");
    REQUIRE(await([&] { return has_subscriber(server); }));
    holder.unlock();
    CHECK(waits.get());
}

TEST_CASE("a waiter finds a release without a notification by looking itself")
{
    private_redis server;
    store in(server.url());
    auto holder = in.lock("stock", long_lived());
    auto waiter = in.lock("stock", long_lived());
    REQUIRE(holder.try_lock());
    auto waits = std::async(std::launch::async, [&] { return waiter.try_lock_for(60s); });
    REQUIRE(await([&] { return has_subscriber(server); }));
    server.ask("DEL 'baton:lock:{stock}'");
    CHECK(waits.wait_for(30s) == std::future_status::ready);
}

TEST_CASE("a server that has forgotten the scripts is sent them again")
{
    private_redis server;
    store in(server.url());
    auto lock = in.lock("stock");
    REQUIRE(lock.try_lock());
    server.ask("SCRIPT FLUSH");
    CHECK(lock.unlock() == release_result::released);
    CHECK(lock.try_lock());
}

TEST_CASE("an error of the server reaches the caller with its text, and nothing is held")
{
    private_redis server;
    store in(server.url());
    server.ask("MSET 'baton:lock:{stock}:token' text");
    auto lock = in.lock("stock");
    CHECK_THAT(failure_of([&] { lock.try_lock(); }), Contains("not an integer"));
    CHECK_FALSE(has_key(server, "stock"));
}

TEST_CASE("a connection that the server has closed is opened again, and no lock is lost")
{
    private_redis server;
    store in(server.url());
    auto lock = in.lock("stock", long_lived());
    REQUIRE(lock.try_lock());
    REQUIRE(lock.unlock() == release_result::released);
    REQUIRE(lock.try_lock()); // on a connection of this thread's
    server.ask("CLIENT KILL TYPE normal");
    CHECK(lock.unlock() == release_result::released);
    server.ask("CLIENT KILL TYPE normal");
    CHECK(lock.try_lock_for(60s));
    CHECK(lock.token() == 3);
}

TEST_CASE("more threads than a store has connections can all hold locks")
{
    constexpr int count = 40;
    private_redis server;
    store in(server.url());
    auto first = in.lock("first");
    REQUIRE(first.try_lock()); // the way is known
    std::barrier all_hold(count + 1);
    std::barrier seen(count + 1);
    std::vector<std::future<release_result>> threads;
    for (int i = 0; i < count; ++i)
        threads.push_back(std::async(std::launch::async, [&, i] {
            auto lock = in.lock("stock-" + std::to_string(i), long_lived());
            lock.lock();
            all_hold.arrive_and_wait();
            seen.arrive_and_wait();
            return lock.unlock();
        }));
    all_hold.arrive_and_wait();
    for (int i = 0; i < count; ++i)
        CHECK(has_key(server, "stock-" + std::to_string(i)));
    auto const connections = std::stoi(server.ask("CLIENT LIST TYPE normal | wc -l"));
    CHECK(connections <= 16 + 2); // the loop's, and who asks
    seen.arrive_and_wait();
    for (auto& each : threads)
        CHECK(each.get() == release_result::released);
}

TEST_CASE("the URL gives user, password and database, and a wrong or missing password is refused")
{
    private_redis server("--requirepass 'p@ss'");
    auto const address = server.url().substr(8);
    store right("redis://default:p%40ss@" + address + "/3");
    store wrong("redis://:pass@" + address);
    store without_login(server.url());
    auto lock = right.lock("stock");
    REQUIRE(lock.try_lock());
    CHECK(server.ask("-n 3 -a p@ss EXISTS 'baton:lock:{stock}'") == "1");
    auto refused = wrong.lock("stock");
    CHECK_THAT(failure_of([&] { refused.try_lock(); }), Contains("WRONGPASS"));
    auto unknown = without_login.lock("stock");
    CHECK_THAT(failure_of([&] { unknown.try_lock(); }), Contains("NOAUTH"));
}

TEST_CASE("an invalid URL is refused with a message that names the fault")
{
    CHECK_THROWS_WITH(store("redis://"), Contains("host"));
    CHECK_THROWS_WITH(store("redis://a:0"), Contains("port"));
    CHECK_THROWS_WITH(store("redis://a:1/x"), Contains("database"));
    CHECK_THROWS_WITH(store("redis://user@a"), Contains("password"));
    CHECK_THROWS_WITH(store("redis://[::1"), Contains("]"));
    CHECK_THROWS_WITH(store("redis://a,b"), Contains("one server"));
    CHECK_THROWS_WITH(store("redlock://a,b"), Contains("three"));
    CHECK_THROWS_WITH(store("redlock://a,b,a:6379"), Contains("twice"));
    CHECK_THROWS_WITH(store("redis-sentinel://a,b"), Contains("name of the master"));
    CHECK_THROWS_WITH(store("redis-sentinel://a,b/"), Contains("name of the master"));
    CHECK_THROWS_WITH(store("redis-sentinel://a/m/x"), Contains("database"));
    CHECK_THROWS_WITH(store("redis-sentinel://a/m/n/1"), Contains("name of the master"));
    CHECK_THROWS_WITH(store("redis-cluster://a,b/1"), Contains("database"));
    CHECK_THROWS_WITH(store("redis-ring://a"), Contains("redis-cluster:"));
    CHECK_THROWS_WITH(store("redis://a?wait_replicas=101"), Contains("wait_replicas") && Contains("0 to 100"));
    CHECK_THROWS_WITH(store("redis://a?sentinel_password=secret"),
                      Contains("sentinel_password") && !Contains("secret"));
    CHECK_THROWS_WITH(store("redis-sentinel://a/m?sentinel_user=me"), Contains("sentinel_password"));
    store in("redis://a");
    CHECK_THROWS_WITH(in.lock("x", baton::lock::sql_lock::lease), Contains("form"));
}

TEST_CASE("a Redis user without permission to publish can acquire and release locks")
{
    private_redis server;
    server.ask("ACL SETUSER worker on '>secret' '~*' +@all resetchannels");
    store in("redis://worker:secret@" + server.url().substr(8));
    auto lock = in.lock("stock");
    auto permit = in.semaphore("stock", 1);
    for (int times = 0; times < 2; ++times) {
        REQUIRE(lock.try_lock());
        CHECK(lock.unlock() == release_result::released);
        REQUIRE(permit.try_lock());
        CHECK(permit.unlock() == release_result::released);
    }
}

TEST_CASE("a restarted server without a written log grants a held lock a second time")
{
    bool const writes = GENERATE(true, false);
    private_redis server(writes ? "--appendonly yes --appendfsync always" : "");
    store one(server.url());
    store other(server.url());
    auto first = one.lock("stock", long_lived());
    auto second = other.lock("stock", long_lived());
    REQUIRE(first.try_lock());
    server.kill();
    server.start();
    CHECK(second.try_lock() == !writes);
    CHECK(first.valid());
    CHECK(first.unlock() == (writes ? release_result::released : release_result::was_lost));
}

TEST_CASE("a lock that asks for replicas is not granted without their confirmation")
{
    private_redis server;
    store sure(with_parameter(server.url(), "wait_replicas=1"), impatient());
    store any(server.url());
    bool const shared = GENERATE(false, true);
    auto const of = [&](store& in) {
        return shared ? in.semaphore("stock", 1, long_lived()) : in.lock("stock", long_lived());
    };
    auto lock = of(sure);
    auto other = of(any);
    CHECK_THAT(failure_of([&] { lock.try_lock(); }), Contains("0 of 1 replicas"));
    CHECK(other.try_lock_for(60s));
    other.unlock();

    private_redis replica("--replicaof 127.0.0.1 " + server.port());
    CHECK(lock.try_lock_for(60s));
    CHECK(lock.unlock() == release_result::released);
}

TEST_CASE("a promoted replica that missed a grant grants the lock a second time")
{
    private_redis server;
    private_redis replica("--replicaof 127.0.0.1 " + server.port());
    REQUIRE(await([&] { return server.ask("WAIT 1 1000") == "1"; }));
    store one(server.url());
    store successor(replica.url());
    replica.ask("REPLICAOF 127.0.0.1 1"); // its way to the server is cut
    auto first = one.lock("stock", long_lived());
    auto second = successor.lock("stock", long_lived());
    REQUIRE(first.try_lock());
    server.kill();
    replica.ask("REPLICAOF NO ONE");
    CHECK(second.try_lock());
    CHECK(first.valid());
    CHECK(second.token() == first.token());
}

TEST_CASE("a promoted replica does not grant a lock again whose grant it had to confirm")
{
    bool const cut = GENERATE(false, true);
    private_redis server;
    private_redis replica("--replicaof 127.0.0.1 " + server.port());
    REQUIRE(await([&] { return server.ask("WAIT 1 1000") == "1"; }));
    store one(with_parameter(server.url(), "wait_replicas=1"), impatient());
    store successor(replica.url());
    if (cut)
        replica.ask("REPLICAOF 127.0.0.1 1");
    auto first = one.lock("stock", long_lived());
    auto second = successor.lock("stock", long_lived());
    if (cut)
        CHECK_THAT(failure_of([&] { first.try_lock(); }), Contains("0 of 1 replicas"));
    else
        REQUIRE(first.try_lock_for(60s)); // a new replica is slow to confirm at first
    server.kill();
    replica.ask("REPLICAOF NO ONE");
    bool const twice = second.try_lock();
    CHECK(first.valid() != twice);
    CHECK(twice == cut);
}
