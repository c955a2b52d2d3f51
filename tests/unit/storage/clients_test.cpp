// The rows of clients: joining, leaving, moving, dying.

#include "tests/unit/storage/client_rows.hpp"

#include <catch2/catch.hpp>

namespace clients_test {

using namespace baton;
using namespace baton::test;
using storage::client_state;
using storage::engine;

TEST_CASE("a client that is gone stays gone, even if another node hears it")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::clients clients(*database);
    CHECK(wait_for(clients.put(client("c1", "n1"))).kept);
    CHECK(wait_for(clients.put(client("c1", "n2", 2))).node_before == "n1");
    CHECK(leave(clients, "c1", 2) == "n2");
    CHECK_FALSE(wait_for(clients.put(client("c1", "n2", 2))).kept);
    CHECK_FALSE(wait_for(clients.put(client("c1", "n3", 3))).kept);
    CHECK(leave(clients, "c1", 3) == std::nullopt);
    CHECK(wait_for(clients.all()).clients.empty());
    CHECK(home.text("SELECT node FROM client") == "n2");
}

TEST_CASE("a client's name cannot be taken without its secret")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::clients clients(*database);
    CHECK(wait_for(clients.put(client("c1", "n1"))).kept);
    auto thief = client("c1", "n2", 2);
    thief.secret = "another secret";
    thief.address = "http://127.0.0.1:2";
    CHECK_FALSE(wait_for(clients.put(thief)).kept);
    CHECK(wait_for(clients.all()).clients.at(0).address == "http://127.0.0.1:1");
}

TEST_CASE("a client is stored as it joined, and its row is replaced when it joins another node")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::clients clients(*database);
    auto joining = client("c1", "n1");
    joining.project = "p1";
    joining.text_ids = true;
    wait_for(clients.put(joining));
    CHECK(wait_for(clients.list("", 1)).clients.at(0).project == "p1");
    auto const first = wait_for(clients.all()).clients.at(0);
    CHECK(first.project == "p1");
    CHECK(first.service == "it's");
    CHECK(first.address == "http://127.0.0.1:1");
    CHECK(first.secret == "s3cret");
    CHECK(first.handlers == client("", "").handlers);
    CHECK(first.slots == 4);
    CHECK(first.queue == 9);
    CHECK(first.text_ids);
    CHECK(first.version == "0.1.0");
    CHECK(first.node == "n1");
    CHECK(first.state == client_state::up);
    CHECK(first.joined_at <= first.changed_at); // SQLite reads its clock for each
    CHECK(first.joined_at > from_micros(1'700'000'000'000'000));

    wait_for(clients.put(client("c1", "n2", 2)));
    auto const moved = wait_for(clients.all()).clients;
    REQUIRE(moved.size() == 1);
    CHECK(moved[0].node == "n2");
    CHECK(moved[0].joined_at == first.joined_at);
    CHECK(moved[0].changed_at >= first.changed_at);
}

TEST_CASE("a node cannot bury a client that another node hears")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::clients clients(*database);
    wait_for(clients.put(client("c1", "n2")));
    wait_for(clients.put(client("c2", "n1")));
    CHECK(wait_for(clients.bury("n1", {{"c1", 1}, {"c2", 1}, {"c9", 1}})) == std::vector<std::string>{"c2"});
    CHECK(wait_for(clients.find({"c1"})).at(0).state == client_state::up);
    CHECK(wait_for(clients.find({"c2"})).at(0).state == client_state::gone);
    CHECK(wait_for(clients.find({"c9"})).empty());
}

TEST_CASE("the clients of a dead node are marked gone once, and purged only after the retention time")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::clients clients(*database);
    wait_for(clients.put(client("c1", "n1")));
    wait_for(clients.put(client("c2", "n2")));
    wait_for(clients.put(client("c3", "n1")));
    CHECK(wait_for(clients.bury_heard_by("n1", 1)).size() == 1);
    CHECK(wait_for(clients.bury_heard_by("n1", 5)).size() == 1);
    CHECK(wait_for(clients.bury_heard_by("n1", 5)).empty());
    CHECK(names(wait_for(clients.all()).clients) == std::vector<std::string>{"c2"});

    wait_for(clients.purge(1h));
    CHECK(home.number("SELECT COUNT(*) FROM client") == 3);
    home.exec("UPDATE client SET changed_at = changed_at - 3700000000 WHERE instance IN ('c1', 'c2')");
    wait_for(clients.purge(1h));
    CHECK(home.text("SELECT MIN(instance) FROM client") == "c2");
    CHECK(home.number("SELECT COUNT(*) FROM client") == 2);
}

TEST_CASE("a registration that is written late does not undo a later one")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::clients clients(*database);
    wait_for(clients.put(client("c1", "n2", 2)));
    auto const late = wait_for(clients.put(client("c1", "n1", 1)));
    CHECK_FALSE(late.kept);
    CHECK(late.overtaken);
    CHECK(wait_for(clients.put(client("c1", "n1", 2))).overtaken); // the number is taken
    CHECK(wait_for(clients.all()).clients.at(0).node == "n2");
    CHECK(wait_for(clients.all()).clients.at(0).generation == 2);
    CHECK(wait_for(clients.put(client("c1", "n2", 2))).kept); // the same one again
    CHECK(wait_for(clients.put(client("c1", "n1", 3))).kept);
}

TEST_CASE("the late end of an earlier registration, by its node or by the client, does not end a later one")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::clients clients(*database);
    wait_for(clients.put(client("c1", "n1", 2)));
    wait_for(clients.put(client("c2", "n1", 1)));
    // The client has come back to the node that buries it.
    CHECK(wait_for(clients.bury("n1", {{"c1", 1}, {"c2", 1}})) == std::vector<std::string>{"c2"});
    CHECK(leave(clients, "c1", 1) == std::nullopt);
    CHECK(names(wait_for(clients.all()).clients) == std::vector<std::string>{"c1"});
    CHECK(leave(clients, "c1", 2) == "n1");
}

TEST_CASE("how a home reached an earlier registration says nothing about a later one")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::clients clients(*database);
    wait_for(clients.put(client("c1", "n1", 3)));
    wait_for(clients.set_reach("n1", {{"c1", 1, protocol::reach::unreachable, "cut off"}}));
    CHECK(wait_for(clients.all()).clients.at(0).reach == protocol::reach::pending);
}

TEST_CASE("a handler's name that is not UTF-8 is refused as invalid input")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::clients clients(*database);
    auto odd = client("c1", "n1");
    odd.handlers = {"\xff"};
    CHECK_THROWS_AS(wait_for(clients.put(odd)), invalid_input);
}

TEST_CASE("each row of a group is written if its own registration is the last, and each answer says so")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::clients clients(*database);
    for (auto const* name : {"c1", "c3", "c4", "c5", "c6"})
        wait_for(clients.put(client(name, "n2", 5)));
    leave(clients, "c4", 5);
    using kind = storage::client_write::kind;
    auto thief = client("c3", "n1", 9);
    thief.secret = "another secret";
    std::vector<storage::client_write> const group{
        {kind::put, client("c1", "n1", 4)},  // stalled: the client has registered again since
        {kind::put, client("c2", "n1", 1)},  // new
        {kind::put, thief},                  //
        {kind::put, client("c4", "n1", 6)},  // gone
        {kind::put, client("c5", "n1", 6)},  // moves
        {kind::put, client("c5", "n1", 7)},  // and registers again
        {kind::bury, client("c6", "n1", 5)}, // which another node hears
        {kind::put, client("c7", "n1", 1)},  //
        {kind::leave, client("c7", "", 1)},
    };
    auto const written = wait_for(clients.write(group));
    REQUIRE(written.size() == group.size());
    std::string kept;
    std::string overtaken;
    for (auto const& one : written) {
        kept += one.kept ? "1" : "0";
        overtaken += one.overtaken ? "1" : "0";
    }
    CHECK(kept == "010011011");
    CHECK(overtaken == "100000000");
    CHECK(written[4].node_before == "n2");
    CHECK(written[8].node_before == "n1");
    CHECK(wait_for(clients.find({"c1"})).at(0).node == "n2");
    CHECK(wait_for(clients.find({"c5"})).at(0).generation == 7);
    CHECK(wait_for(clients.find({"c7"})).at(0).state == client_state::gone);
    CHECK(names(wait_for(clients.all()).clients) == std::vector<std::string>{"c1", "c2", "c3", "c5", "c6"});
}

TEST_CASE("of two nodes that write the same new clients at once, the later registrations win")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const first = home.migrated().open();
    auto const second = home.open();
    for (int round = 0; round < 20; ++round) {
        std::vector<storage::client_write> early;
        std::vector<storage::client_write> late;
        for (int i = 0; i < 50; ++i) {
            auto const name = "r" + std::to_string(round) + "-" + std::to_string(i);
            early.push_back({storage::client_write::kind::put, client(name, "n1", 1)});
            late.push_back({storage::client_write::kind::put, client(name, "n2", 2)});
        }
        auto const both = [&]() -> awaitable<void> {
            using namespace asio::experimental::awaitable_operators;
            storage::clients one(*first);
            storage::clients other(*second);
            co_await (one.write(early) && other.write(late));
        };
        wait_for(both());
    }
    CHECK(home.number("SELECT COUNT(*) FROM client WHERE generation = 2 AND node = 'n2'") == 1'000);
}

TEST_CASE("a group of more rows than one statement takes is written whole")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::clients clients(*database);
    std::vector<storage::client_write> group;
    for (int i = 0; i < 1'200; ++i)
        group.push_back({storage::client_write::kind::put, client("c" + std::to_string(i), "n1")});
    wait_for(clients.write(group));
    for (auto& one : group)
        one.row.generation = 2;
    wait_for(clients.write(group));
    CHECK(home.number("SELECT COUNT(*) FROM client WHERE generation = 2") == 1'200);
}

} // namespace clients_test
