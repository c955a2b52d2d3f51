#include "libs/sim/sim.hpp"
#include "trigger/delivery/reachability.hpp"

#include <catch2/catch.hpp>

namespace reachability_test {

using namespace baton;
using namespace baton::trigger;
using protocol::reach;

namespace {

std::string const address = "http://10.0.0.7:41234";

// Node "a" with the client "host:1", beside node "b" if there is one.
struct fixture {
    explicit fixture(std::vector<std::string> const& names)
    {
        stage.make_tables();
        for (auto const& name : names)
            start(name);
        watches = std::make_unique<home_watches>(*nodes.at(0), home->time(), stage.loop.get_executor());
        node = std::make_unique<reachability>(*databases.at(0),
                                              reachability::dependencies{*nodes.at(0), *watches, home->time()},
                                              stage.loop.get_executor());
        home->spawn(node->run());
        stage.time.run_for(3s);
        register_again();
        node->found(client, reach::pending, {});
    }
    ~fixture() { stage.end(); }

    void start(std::string const& name)
    {
        auto& host = stage.add_host(name);
        home = home == nullptr ? &host : home;
        databases.push_back(stage.database.connect(host, {.sessions = 2, .read_limit = 5s}));
        storage::node_record row;
        row.incarnation = row.name = name;
        row.address = "http://" + name + ":7800";
        row.started_at = host.time().utc();
        auto const idle = [] { return membership::status{"slave", 0, 0}; };
        nodes.push_back(std::make_unique<membership>(membership_settings{}, row, *databases.back(), host.time(), idle));
        host.spawn(nodes.back()->run());
    }

    void register_again()
    {
        storage::client_record row;
        row.instance = "host:1";
        row.service = row.secret = row.version = "x";
        row.address = address;
        row.node = "a";
        row.generation = client.generation;
        row.handlers = {"h"};
        auto call = [&]() -> awaitable<void> { co_await storage::clients(*databases.at(0)).put(row); };
        stage.play(call());
    }

    void fails(std::string const& cause = "connection timed out") { node->found(client, reach::unreachable, cause); }

    storage::client_record row()
    {
        storage::clients::page page;
        auto call = [&]() -> awaitable<void> { page = co_await storage::clients(*databases.at(0)).all(); };
        stage.play(call());
        return page.clients.at(0);
    }

    lane_client client{"host:1", {"default", "billing"}, {"h"}, 1, 0, false, address, 1};
    sim::stage stage{7};
    sim::host* home = nullptr;
    std::vector<std::unique_ptr<storage::database>> databases;
    std::vector<std::unique_ptr<membership>> nodes;
    std::unique_ptr<home_watches> watches;
    std::unique_ptr<reachability> node;
};

} // namespace

TEST_CASE("a client that fetches has no address that a person could mend")
{
    CHECK(reach_words("trigger-2", "", "it has ceased to fetch", "") ==
          "node trigger-2 has calls for the client, which fetches them: it has ceased to fetch");
    CHECK(reach_words("trigger-2", "", "it has ceased to fetch", "trigger-3") ==
          "node trigger-2 has calls for the client, which fetches them: it has ceased to fetch; the client is asked to "
          "register with node trigger-3");
}

TEST_CASE("the reason that a client is not reached names node, address and cause, and what a person can do")
{
    CHECK(reach_words("trigger-2", address, "connection timed out", "") ==
          "node trigger-2 cannot reach http://10.0.0.7:41234: connection timed out; set `address` (`advertise` of an "
          "agent), or let the client fetch");
    CHECK(reach_words("n", address, "cannot connect to " + address + ": Connection refused", "") ==
          "node n cannot reach http://10.0.0.7:41234: Connection refused; set `address` (`advertise` of an agent), or "
          "let the client fetch");
    CHECK(reach_words("n", address, "no answer", "m") ==
          "node n cannot reach http://10.0.0.7:41234: no answer; the client is asked to register with node m");
}

TEST_CASE("the node to try is the one with the fewest clients that has not tried yet")
{
    storage::node_record a, b, c;
    a.name = "a";
    b.name = "b";
    c.name = "c";
    a.clients = 3;
    b.clients = 1;
    c.clients = 2;
    CHECK(node_to_try({&a, &b, &c}, {}) == &b);
    CHECK(node_to_try({&a, &b, &c}, {"b", "gone"}) == &c);
    CHECK(node_to_try({&a}, {"a"}) == nullptr);
    CHECK(node_to_try({}, {}) == nullptr);
}

TEST_CASE("the client's row says whether its home reaches it, once that changes")
{
    fixture f({"a"});
    f.fails();
    CHECK(f.node->of("host:1").state == reach::unreachable);
    f.stage.time.run_for(2s);
    CHECK(f.row().reach == reach::unreachable);
    CHECK(f.row().reach_why == reach_words("a", address, "connection timed out", ""));
    f.node->found(f.client, reach::reachable, {});
    f.stage.time.run_for(2s);
    CHECK(f.row().reach == reach::reachable);
    CHECK(f.row().reach_why.empty());
}

TEST_CASE("an outage of the database delays the row, which then has the latest state")
{
    fixture f({"a"});
    f.stage.database.crash_for(5s);
    f.fails();
    f.stage.time.run_for(3s);
    f.node->found(f.client, reach::reachable, {});
    f.stage.time.run_for(10s);
    CHECK(f.row().reach == reach::reachable);
}

TEST_CASE("a client that registers again is written again, though nothing has changed")
{
    fixture f({"a"});
    f.node->found(f.client, reach::reachable, {});
    ++f.client.generation;
    f.register_again();
    f.node->found(f.client, reach::reachable, {});
    f.stage.time.run_for(2s);
    CHECK(f.row().reach == reach::reachable);
}

TEST_CASE("a client that fails in another way is news once a minute")
{
    fixture f({"a"});
    f.fails("connection timed out");
    f.fails("connection refused");
    CHECK_THAT(f.node->of("host:1").why, Catch::Contains("timed out"));
    f.stage.time.run_for(1min);
    f.fails("connection refused");
    CHECK_THAT(f.node->of("host:1").why, Catch::Contains("refused"));
}

TEST_CASE("a client is asked to try the nodes that have not tried, and then advised to fetch")
{
    fixture f({"a", "b"});
    protocol::watch_answer answer;
    auto hold = [&]() -> awaitable<void> { answer = co_await f.watches->hold("host:1"); };
    f.home->spawn(hold());
    f.stage.time.run_for(1s);
    f.fails();
    f.stage.time.run_for(1s);
    CHECK(answer.move);
    CHECK(answer.to == "http://b:7800");
    CHECK(answer.why == reach_words("a", address, "connection timed out", "b"));
    CHECK_FALSE(f.node->move_of("host:1")); // it has just been asked
    f.stage.time.run_for(10s);
    CHECK(f.node->move_of("host:1"));

    f.node->forget("host:1"); // it moved, b could not reach it either, and it came back
    f.node->found(f.client, reach::pending, {});
    f.node->tried("host:1", {"a", "b"});
    f.fails();
    CHECK_FALSE(f.node->move_of("host:1"));
    CHECK_THAT(f.node->of("host:1").why, Catch::Contains("let the client fetch"));
}

} // namespace reachability_test
