// The rows of nodes.

#include "libs/base/random.hpp"
#include "tests/support/stores.hpp"

#include <catch2/catch.hpp>

namespace nodes_test {

using namespace baton;
using namespace baton::test;
using storage::engine;
using storage::node_record;

TEST_CASE("a node's first heartbeat inserts its row and later ones update it, with the database's time")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::nodes nodes(*database);
    node_record self;
    self.incarnation = "host:1:boot:random";
    self.name = "node's";
    self.address = "http://127.0.0.1:7800";
    self.secret = "s";
    self.role = "slave";
    self.version = "0.1.0";
    self.revision = 7;
    self.ttl = 3s;
    self.started_at = from_micros(123);
    wait_for(nodes.beat(self));
    self.role = "master";
    self.load_permille = 500;
    self.clients = 7;
    self.health = R"({"loops":[]})";
    self.draining = true;
    wait_for(nodes.beat(self));

    auto const all = wait_for(nodes.all());
    REQUIRE(all.size() == 1);
    CHECK(all[0].incarnation == self.incarnation);
    CHECK(all[0].name == "node's");
    CHECK(all[0].address == self.address);
    CHECK(all[0].secret == "s");
    CHECK(all[0].role == "master");
    CHECK(all[0].version == "0.1.0");
    CHECK(all[0].load_permille == 500);
    CHECK(all[0].clients == 7);
    CHECK(all[0].health == R"({"loops":[]})");
    CHECK(all[0].draining);
    CHECK(all[0].ttl == 3s);
    CHECK(all[0].started_at == from_micros(123));
    CHECK(all[0].revision == 7);
    CHECK(all[0].age >= 0s);
    CHECK(all[0].age < 3s);
    CHECK(all[0].alive());

    home.exec("UPDATE node SET heartbeat_at = heartbeat_at - 4000000");
    auto const silent = wait_for(nodes.all());
    CHECK(silent.at(0).age >= 4s);
    CHECK_FALSE(silent.at(0).alive());
    wait_for(nodes.remove(self.incarnation));
    CHECK(wait_for(nodes.all()).empty());
}

TEST_CASE("a heartbeat that is executed late does not set the node's time back")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::nodes nodes(*database);
    node_record self;
    self.incarnation = "n1";
    self.name = self.address = self.role = self.version = self.secret = "x";
    self.ttl = 4s;
    wait_for(nodes.beat(self));
    home.exec("UPDATE node SET heartbeat_at = heartbeat_at + 2000000"); // as a later beat left it
    wait_for(nodes.beat(self));
    CHECK(wait_for(nodes.all()).at(0).age <= -1s);
    home.exec("UPDATE node SET heartbeat_at = heartbeat_at + 3600000000"); // the database's clock was set back
    wait_for(nodes.beat(self));
    CHECK(wait_for(nodes.all()).at(0).age >= 0s);
}

} // namespace nodes_test
