// The promises of locks on an ensemble of three ZooKeeper servers while servers are killed.

#include "locks/tests/support/private_zookeepers.hpp"
#include "tests/support/await.hpp"

#include <catch2/catch.hpp>

#include <baton/lock/store.hpp>
#include <future>

using namespace baton::test;
using baton::lock::named_lock;
using baton::lock::release_result;
using baton::lock::store;
using namespace std::chrono_literals;

namespace {

// Whole at the start of each test.
private_zookeepers& ensemble()
{
    static private_zookeepers servers;
    servers.start();
    return servers;
}

// A process of its own, as far as the servers can tell. A lock's time is half of the session's.
store enter(private_zookeepers const& servers, std::chrono::milliseconds session)
{
    return store(servers.url() + "?session=" + std::to_string(session.count()) + "ms");
}

named_lock make(store& in, char const* name, std::chrono::seconds ttl)
{
    baton::lock::lock_options how;
    how.ttl = ttl;
    return in.lock(name, how);
}

// Longer than an election takes on a busy machine: nothing may be lost by one.
constexpr auto long_session = 40s;
constexpr auto long_ttl = 20s;

} // namespace

TEST_CASE("a holder keeps its lock over another server when its own server is killed")
{
    auto& servers = ensemble();
    auto one = enter(servers, long_session);
    auto holder = make(one, "moved", long_ttl);
    REQUIRE(holder.try_lock());
    auto const token = holder.token();
    auto const sessions = servers.sessions();
    REQUIRE(sessions.size() == 1);
    auto const session = sessions.begin()->first;
    auto const server = sessions.begin()->second;
    auto other = enter(servers, long_session);
    auto waiter = make(other, "moved", long_ttl);
    auto waits = std::async(std::launch::async, [&] { return waiter.try_lock_for(5min); });
    REQUIRE(await([&] { return servers.sessions().size() == 2; }));

    servers.kill(server);
    REQUIRE(await([&] { return servers.sessions().contains(session); }, 60s));
    CHECK(servers.sessions().at(session) != server);
    auto const left = holder.remaining();
    REQUIRE(await([&] { return holder.remaining() > left; }, 60s)); // the other server has renewed it
    CHECK(holder.valid());
    CHECK_FALSE(holder.lost().stop_requested());
    CHECK(holder.token() == token);
    CHECK(waits.wait_for(0s) == std::future_status::timeout);
    CHECK(holder.unlock() == release_result::released);
    REQUIRE(waits.get());
    CHECK(waiter.token() > token);
}

TEST_CASE("a waiter is granted the lock with a higher token although the leader is killed before the release")
{
    auto& servers = ensemble();
    auto one = enter(servers, long_session);
    auto other = enter(servers, long_session);
    auto holder = make(one, "passed on", long_ttl);
    auto waiter = make(other, "passed on", long_ttl);
    REQUIRE(holder.try_lock());
    auto const token = holder.token();
    auto waits = std::async(std::launch::async, [&] { return waiter.try_lock_for(5min); });
    REQUIRE(await([&] { return servers.sessions().size() == 2; }));
    auto const leader = servers.leader();
    REQUIRE_FALSE(leader.empty());

    servers.kill(leader);
    CHECK(holder.unlock() != release_result::was_lost); // unknown where no other leads in time: it is tried again
    REQUIRE(waits.wait_for(long_session - 5s) == std::future_status::ready);
    REQUIRE(waits.get());
    CHECK(waiter.token() > token);
    CHECK(servers.leader() != leader);
}

TEST_CASE("without a majority no lock is granted and the holder is notified of its loss, and with one locks work again")
{
    auto& servers = ensemble();
    auto one = enter(servers, 4s);
    auto other = enter(servers, 4s);
    auto holder = make(one, "halted", 10s);
    auto rival = make(other, "halted", 10s);
    auto free = make(other, "free", 10s);
    REQUIRE(holder.try_lock());
    auto const token = holder.token();
    auto const left = servers.sessions().begin()->second; // whom a client is connected to
    CHECK_FALSE(rival.try_lock());

    for (std::string const each : {"node-1", "node-2", "node-3"})
        if (each != left)
            servers.kill(each);
    auto const lost = holder.lost();
    CHECK_THROWS_AS(free.try_lock_for(1s), std::system_error);
    CHECK(await([&] { return lost.stop_requested(); }, 60s)); // half of the session's time, and no renewal
    CHECK_FALSE(holder.valid());
    CHECK_THROWS_AS(rival.try_lock_for(1s), std::system_error);

    auto waits = std::async(std::launch::async, [&] { return rival.try_lock_for(5min); });
    servers.start();
    REQUIRE(waits.wait_for(60s) == std::future_status::ready);
    REQUIRE(waits.get());
    CHECK(rival.token() > token);
    CHECK_FALSE(holder.valid());
    CHECK(holder.unlock() == release_result::was_lost);
    CHECK(rival.valid());
}
