// The promises of locks on a Redis cluster while slots move and nodes die.

#include "locks/tests/conformance/redis_locks.hpp"
#include "locks/tests/support/private_redis.hpp"
#include "locks/tests/support/private_redis_groups.hpp"

#include <future>
#include <set>

using namespace baton::test;
using baton::lock::lock_options;
using baton::lock::named_lock;
using baton::lock::release_result;
using baton::lock::store;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

std::vector<std::string> const nodes{"node-1", "node-2", "node-3"};

std::string in_quotes(std::string const& text)
{
    return "'" + text + "'";
}

// A slot, and what it takes to move it from one node to another.
class slot {
public:
    slot(private_redis_cluster& in, std::string const& name)
        : in_(in), lock_("baton:lock:{" + name + "}"), number_(in.ask("node-1", "CLUSTER KEYSLOT " + in_quotes(lock_)))
    {
        for (auto const& each : nodes)
            if (in.ask(each, "GET " + in_quotes(lock_)).find("MOVED") == std::string::npos)
                source_ = each;
        target_ = source_ == nodes[0] ? nodes[1] : nodes[0];
    }

    std::string const& from() const { return source_; }
    std::string const& to() const { return target_; }
    void open()
    {
        in_.ask(target_, "CLUSTER SETSLOT " + number_ + " IMPORTING " + id(source_));
        in_.ask(source_, "CLUSTER SETSLOT " + number_ + " MIGRATING " + id(target_));
    }
    void move_lock() { move(in_quotes(lock_)); }
    void move_tokens() { move(in_quotes(lock_ + ":token")); }
    void close()
    {
        for (auto const& each : {target_, source_})
            in_.ask(each, "CLUSTER SETSLOT " + number_ + " NODE " + id(target_));
    }

private:
    std::string id(std::string const& node) { return in_.ask(node, "CLUSTER MYID"); }
    void move(std::string const& key)
    {
        REQUIRE(in_.ask(source_, "MIGRATE 127.0.0.1 " + in_.port(target_) + " " + key + " 0 5000") == "OK");
    }

    private_redis_cluster& in_;
    std::string lock_;
    std::string number_;
    std::string source_, target_;
};

int count_of(private_redis_cluster& in, std::string const& node, std::string const& command)
{
    auto const all = in.ask(node, "INFO commandstats");
    auto const text = "cmdstat_" + command + ":calls=";
    auto const at = all.find(text);
    return at == std::string::npos ? 0 : std::stoi(all.substr(at + text.size()));
}

} // namespace

TEST_CASE("a lock has one holder, whatever its name and wherever its slot")
{
    private_redis_cluster servers;
    store one(servers.url());
    store other(servers.url());
    std::vector<std::string> names{"{a}", "}", "{}", "{", "a{b}c", "%7d", "x%"};
    for (int i = 0; i < 30; ++i)
        names.push_back("stock:" + std::to_string(i));
    for (int times = 1; times <= 2; ++times)
        for (auto const& name : names) {
            CAPTURE(name);
            auto lock = one.lock(name, long_lived());
            auto rival = other.lock(name, long_lived());
            REQUIRE(lock.try_lock());
            CHECK(lock.token() == static_cast<std::uint64_t>(times));
            CHECK_FALSE(rival.try_lock());
            CHECK(lock.unlock() == release_result::released);
        }
    for (auto const& each : nodes)
        CHECK(std::stoi(servers.ask(each, "DBSIZE")) >= 5); // their counters
}

TEST_CASE("a waiter is notified of a release at any node of a cluster")
{
    private_redis_cluster servers;
    store one(servers.url());
    store other(servers.url());
    auto const subscribed = [&] {
        for (auto const& each : nodes)
            if (!servers.ask(each, "PUBSUB CHANNELS").empty())
                return true;
        return false;
    };
    int late = 0;
    for (int i = 0; i < 12; ++i) { // the locks are at different nodes, the waiters subscribe at one
        auto holder = one.lock("stock:" + std::to_string(i), long_lived());
        auto waiter = other.lock("stock:" + std::to_string(i), long_lived());
        REQUIRE(holder.try_lock());
        auto waits = std::async(std::launch::async, [&] { return waiter.try_lock_for(60s); });
        REQUIRE(await(subscribed));
        auto const took = time_of([&] {
            holder.unlock();
            CHECK(waits.get());
        });
        late += took > 700ms; // a waiter without a notification looks after a second
        waiter.unlock();
        REQUIRE(await([&] { return !subscribed(); }));
    }
    CHECK(late < 3); // without the notifications of one node it would be a third; a busy machine may delay some
}

TEST_CASE("a slot may move while its lock is held and waited for, and tokens keep rising")
{
    private_redis_cluster servers;
    store one(servers.url(), impatient());
    store other(servers.url(), impatient());
    store third(servers.url(), impatient());
    lock_options how;
    how.ttl = 5s;
    auto holder = one.lock("stock", how);
    auto waiter = other.lock("stock", how);
    auto late = third.lock("stock", how);
    REQUIRE(holder.try_lock());
    slot moving(servers, "stock");
    auto waits = std::async(std::launch::async, [&] { return waiter.try_lock_for(5min); });

    moving.open();
    CHECK_FALSE(late.try_lock()); // both keys are where they were
    moving.move_lock();
    auto const asked = count_of(servers, moving.to(), "asking");
    CHECK(await([&] { return count_of(servers, moving.to(), "asking") >= asked + 3; }, 30s)); // renewed there
    CHECK(holder.valid());
    // On a busy machine a try may end before the node has answered.
    CHECK(await([&] { return failure_of([&] { late.try_lock(); }).find("TRYAGAIN") != std::string::npos; }, 60s));
    moving.move_tokens();
    CHECK_FALSE(late.try_lock());
    CHECK(holder.unlock() == release_result::released);
    CHECK(waits.wait_for(1500ms) == std::future_status::timeout); // the lock is granted when the move is over
    moving.close();
    REQUIRE(waits.wait_for(60s) == std::future_status::ready);
    CHECK(waits.get());
    CHECK(waiter.token() == 2);
    auto const was_moved = count_of(servers, moving.from(), "evalsha");
    CHECK(waiter.unlock() == release_result::released);
    REQUIRE(late.try_lock());
    CHECK(late.token() == 3);
    CHECK(late.unlock() == release_result::released);
    CHECK(late.try_lock());
    CHECK(count_of(servers, moving.from(), "evalsha") == was_moved); // no script goes to the old node any more
}

TEST_CASE("the locks of a dead node fail within the limit, and work again when it is back")
{
    private_redis_cluster servers;
    store in(servers.url(), impatient());
    auto lock = in.lock("stock", long_lived());
    REQUIRE(lock.try_lock());
    lock.unlock();
    auto const lost = slot(servers, "stock").from();
    servers.kill(lost);
    CHECK(time_of([&] { CHECK(failure_of([&] { lock.try_lock(); }) != "none"); }) < bounded);
    CHECK(await([&] { return failure_of([&] { lock.try_lock(); }).find("CLUSTERDOWN") != std::string::npos; }, 20s));
    servers.start(lost, "cluster");
    CHECK(lock.try_lock_for(60s));
}

TEST_CASE("a lock survives at the replica that replaces a dead node")
{
    private_redis_cluster servers;
    private_redis replica("cluster");
    store one(servers.url(), impatient());
    store other(servers.url(), impatient());
    auto holder = one.lock("stock", long_lived());
    auto rival = other.lock("stock", long_lived());
    REQUIRE(holder.try_lock());
    auto const lost = slot(servers, "stock").from();
    auto const port = servers.port(lost);
    replica.ask("CLUSTER MEET 127.0.0.1 " + port + " " + std::to_string(std::stoi(port) - 10'000));
    auto const id = servers.ask(lost, "CLUSTER MYID");
    REQUIRE(await([&] { return replica.ask("CLUSTER REPLICATE " + id) == "OK"; }));
    REQUIRE(await(
        [&] { return replica.ask("CLUSTER COUNTKEYSINSLOT " + servers.ask(lost, "CLUSTER KEYSLOT stock")) == "2"; }));
    for (auto const& each : nodes) // or they would not elect it
        REQUIRE(await([&] { return servers.ask(each, "CLUSTER NODES").find("slave " + id) != std::string::npos; }));
    servers.kill(lost);
    REQUIRE(await([&] { return replica.ask("ROLE").starts_with("master"); }, 60s));
    CHECK(await([&] { return failure_of([&] { CHECK_FALSE(rival.try_lock()); }) == "none"; }, 30s));
    CHECK(holder.unlock() == release_result::released);
    CHECK(rival.try_lock_for(60s));
    CHECK(rival.token() == 2);
}

TEST_CASE("a single answering node of the URL is enough to find a cluster, and a standalone server is refused")
{
    private_redis_cluster servers;
    store in("redis-cluster://127.0.0.1:1,127.0.0.1:" + servers.port("node-3"), impatient());
    for (auto const* name : {"a", "b", "c"}) {
        auto lock = in.lock(name, long_lived());
        CHECK(lock.try_lock());
    }
    private_redis single;
    store wrong("redis-cluster://127.0.0.1:" + single.port(), impatient());
    auto lock = wrong.lock("stock");
    CHECK_THAT(failure_of([&] { lock.try_lock(); }), Contains("cluster support disabled"));
}
