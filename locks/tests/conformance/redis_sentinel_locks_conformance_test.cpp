// The promises of locks on a Redis master with sentinels, and the limits of these, while servers are broken.

#include "locks/tests/conformance/redis_locks.hpp"
#include "locks/tests/support/lock_urls.hpp"
#include "locks/tests/support/private_redis.hpp"
#include "locks/tests/support/private_redis_groups.hpp"

#include <future>

using namespace baton::test;
using baton::lock::lock_options;
using baton::lock::release_result;
using baton::lock::store;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

constexpr auto failover = 25s; // at most, on a busy host where the sentinels need some elections

// Longer than a failover takes.
lock_options renewed()
{
    lock_options how;
    how.ttl = 30s;
    return how;
}

std::string const key = "'baton:lock:{stock}'";

bool has_subscriber(private_redis_sentinels& servers, std::string const& who)
{
    return !servers.ask(who, "PUBSUB CHANNELS baton:*").empty();
}

// Waits for both replicas, since any may be promoted. A new replica is slow at first.
bool await_replicas(private_redis_sentinels& servers, std::string const& of)
{
    return await([&] {
        return servers.ask("server-2", "EXISTS " + of) == "1" && servers.ask("server-3", "EXISTS " + of) == "1";
    });
}

} // namespace

TEST_CASE("a single answering sentinel is enough to find the master, and without one every call ends within its limit")
{
    private_redis_sentinels servers;
    servers.kill("sentinel-1");
    servers.freeze("sentinel-2");
    store in(servers.url(), impatient());
    auto lock = in.lock("stock", long_lived());
    REQUIRE(lock.try_lock_for(60s));
    CHECK(servers.ask("server-1", "EXISTS " + key) == "1");
    CHECK(lock.unlock() == release_result::released);

    servers.freeze("sentinel-3");
    CHECK(lock.try_lock()); // the known master needs no sentinel
    lock.unlock();
    servers.freeze("server-1");
    CHECK(time_of([&] { failure_of([&] { lock.try_lock(); }); }) < bounded);
    CHECK(time_of([&] { CHECK_THAT(failure_of([&] { lock.try_lock(); }), Contains("baton")); }) < bounded);
    for (auto const* each : {"server-1", "sentinel-2", "sentinel-3"})
        servers.thaw(each);
    CHECK(lock.try_lock_for(failover));
}

TEST_CASE("a lock is refused if no sentinel knows the name or the named server is not the master")
{
    private_redis server;
    private_redis replica("--replicaof 127.0.0.1 " + server.port());
    private_redis sentinel("sentinel " + replica.port() + " 60000");
    auto const url = "redis-sentinel://127.0.0.1:" + sentinel.port();
    store unknown(url + "/other", impatient());
    auto nobody = unknown.lock("stock");
    CHECK_THAT(failure_of([&] { nobody.try_lock(); }), Contains("does not know the master 'other'"));
    store in(url + "/baton", impatient());
    auto lock = in.lock("stock");
    CHECK_THAT(failure_of([&] { lock.try_lock(); }), Contains("is not the master: a slave"));
    replica.ask("REPLICAOF NO ONE");
    CHECK(lock.try_lock_for(60s));
}

TEST_CASE("sentinels and servers are sent their own passwords")
{
    private_redis server("--requirepass theirs");
    private_redis sentinel("sentinel " + server.port() + " 60000");
    sentinel.ask("ACL SETUSER default resetpass '>of-sentinels'");
    auto const url = "redis-sentinel://default:theirs@127.0.0.1:" + sentinel.port() + "/baton";
    store unknown(url, impatient());
    auto refused = unknown.lock("stock");
    CHECK_THAT(failure_of([&] { refused.try_lock(); }), Contains("sentinel") && Contains("NOAUTH"));
    store in(with_parameter(url, "sentinel_password=of-sentinels"), impatient());
    auto lock = in.lock("stock");
    CHECK(lock.try_lock());
    CHECK(lock.unlock() == release_result::released);
}

TEST_CASE("a lock that the promoted replica knows is kept, and its waiter is granted it after the release")
{
    bool const killed = GENERATE(true, false);
    private_redis_sentinels servers;
    store one(servers.url(), impatient());
    store other(servers.url(), impatient());
    auto holder = one.lock("stock", renewed());
    auto waiter = other.lock("stock", renewed());
    REQUIRE(holder.try_lock());
    REQUIRE(await_replicas(servers, key));
    auto waits = std::async(std::launch::async, [&] { return waiter.try_lock_for(5min); });
    REQUIRE(await([&] { return has_subscriber(servers, "server-1"); }));

    killed ? servers.kill("server-1") : servers.freeze("server-1");
    REQUIRE(await([&] { return servers.master() != "server-1"; }, failover));
    auto const successor = servers.master();
    REQUIRE(await([&] { return has_subscriber(servers, successor); }, failover));
    // Its time was less when the old master went: it was renewed there.
    REQUIRE(await([&] { return std::stoi(servers.ask(successor, "PTTL " + key)) > 29'000; }, 15s));
    CHECK(holder.valid());
    CHECK(waits.wait_for(0s) == std::future_status::timeout);
    CHECK(holder.unlock() == release_result::released);
    REQUIRE(waits.wait_for(failover) == std::future_status::ready);
    CHECK(waits.get());
    CHECK(waiter.token() == 2);
}

TEST_CASE("after a planned failover the lock is found at the new master")
{
    private_redis_sentinels servers;
    store in(servers.url());
    auto lock = in.lock("stock", long_lived());
    REQUIRE(lock.try_lock());
    REQUIRE(await_replicas(servers, key));
    REQUIRE(await([&] { return servers.ask("sentinel-1", "SENTINEL FAILOVER baton") == "OK"; }));
    REQUIRE(await([&] { return servers.ask("server-1", "ROLE").starts_with("slave"); }, failover));
    CHECK(lock.unlock() == release_result::released);
    CHECK(lock.try_lock_for(failover));
    CHECK(lock.token() == 2);
}

TEST_CASE("a failover grants an unreplicated lock a second time, but not a lock that replicas had to confirm")
{
    private_redis_sentinels servers;
    store hasty(servers.url(), impatient());
    store sure(with_parameter(servers.url(), "wait_replicas=1"), impatient());
    store successor(servers.url(), impatient());
    auto first = hasty.lock("stock", long_lived());
    auto safe = sure.lock("safe", long_lived());
    REQUIRE(safe.try_lock_for(60s)); // all are connected
    safe.unlock();
    REQUIRE(await_replicas(servers, "'baton:lock:{safe}:token'"));
    for (auto const* each : {"server-2", "server-3"})
        servers.freeze(each);
    servers.ask("server-1", "CLIENT KILL TYPE replica"); // so that they do not read it from their sockets later
    REQUIRE(first.try_lock());
    CHECK_THAT(failure_of([&] { safe.try_lock(); }), Contains("0 of 1 replicas"));
    servers.kill("server-1");
    for (auto const* each : {"server-2", "server-3"})
        servers.thaw(each);

    auto second = successor.lock("stock", long_lived());
    auto next = successor.lock("safe", long_lived());
    CHECK(second.try_lock_for(failover));
    CHECK(first.valid());
    CHECK(second.token() <= first.token());
    CHECK(next.try_lock());
    CHECK_FALSE(safe.valid());
    CHECK(first.unlock() == release_result::was_lost);
}
