// The rows of nodes and clients, and the signals for the master.

#include "libs/base/random.hpp"
#include "tests/support/stores.hpp"

#include <catch2/catch.hpp>

namespace members_test {

using namespace baton;
using namespace baton::test;
using storage::client_record;
using storage::client_state;
using storage::engine;
using storage::node_record;

namespace {

client_record client(std::string instance, std::string node, std::int64_t generation = 1)
{
    client_record record;
    record.instance = std::move(instance);
    record.service = "it's";
    record.address = "http://127.0.0.1:1";
    record.secret = "s3cret";
    record.handlers = {"a", "b'; --", "\xc3\xa9"};
    record.slots = 4;
    record.queue = 9;
    record.version = "0.1.0";
    record.node = std::move(node);
    record.generation = generation;
    return record;
}

template <class Client>
std::vector<std::string> names(std::vector<Client> const& clients)
{
    std::vector<std::string> out;
    for (auto const& each : clients)
        out.push_back(each.instance);
    return out;
}

// Its home, if the client was not gone before.
std::optional<std::string> leave(storage::clients& clients, std::string instance, std::int64_t generation)
{
    std::vector<storage::client_write> group(1);
    group[0].what = storage::client_write::kind::leave;
    group[0].row = client(std::move(instance), "", generation);
    auto const written = wait_for(clients.write(group)).at(0);
    return written.kept ? std::optional(written.node_before) : std::nullopt;
}

// Changes are ordered by a clock of microseconds: moves it past the last one.
utc_time later(storage::clients& clients, utc_time than)
{
    for (;;)
        if (auto const now = wait_for(clients.all()).now; now > than)
            return now;
}

} // namespace

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

TEST_CASE("changes since an instant include clients that are gone, and no older change")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::clients clients(*database);
    for (auto const* name : {"c1", "c2", "c3"})
        wait_for(clients.put(client(name, "n1")));
    auto const since = later(clients, wait_for(clients.all()).clients.at(2).changed_at);
    CHECK(wait_for(clients.changed_since(since, {}, 9)).clients.empty());
    CHECK(leave(clients, "c3", 1) == "n1");
    auto drains = client("c1", "n1");
    drains.state = client_state::draining;
    wait_for(clients.put(drains));
    auto const changed = wait_for(clients.changed_since(since, {}, 9));
    CHECK(names(changed.clients) == std::vector<std::string>{"c3", "c1"});
    CHECK(changed.clients[0].state == client_state::gone);
    CHECK(changed.clients[1].state == client_state::draining);
    CHECK(changed.clients[1].handlers == nlohmann::json(client("", "").handlers).dump());
    CHECK(changed.now >= since);
    CHECK(names(wait_for(clients.all()).clients) == std::vector<std::string>{"c1", "c2"});
}

TEST_CASE("a list and its changes are read in pages that leave out nothing")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::clients clients(*database);
    for (auto const* name : {"c2", "c1", "c5", "c4", "c3"})
        wait_for(clients.put(client(name, "n1")));
    leave(clients, "c2", 1);
    CHECK(names(wait_for(clients.list({}, 2)).clients) == std::vector<std::string>{"c1", "c3"});
    CHECK(names(wait_for(clients.list("c3", 2)).clients) == std::vector<std::string>{"c4", "c5"});
    CHECK(wait_for(clients.list("c5", 2)).clients.empty());

    home.exec("UPDATE client SET changed_at = 7000 WHERE instance < 'c4'"); // three at the same time
    auto const first = wait_for(clients.changed_since(from_micros(7000), {}, 2)).clients;
    CHECK(names(first) == std::vector<std::string>{"c1", "c2"});
    auto const second = wait_for(clients.changed_since(first[1].changed_at, first[1].instance, 2)).clients;
    REQUIRE(second.size() == 2);
    CHECK(second[0].instance == "c3");
    auto const third = wait_for(clients.changed_since(second[1].changed_at, second[1].instance, 2)).clients;
    CHECK(third.size() == 1);
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
    CHECK(wait_for(clients.bury_heard_by("n1")) == std::vector<std::string>{"c1", "c3"});
    CHECK(wait_for(clients.bury_heard_by("n1")).empty());
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

TEST_CASE("how a home reaches its clients is stored without a change that nodes would read")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::clients clients(*database);
    for (auto const* name : {"c1", "c2", "c3", "c4"})
        wait_for(clients.put(client(name, std::string(name) == "c3" ? "n2" : "n1")));
    leave(clients, "c4", 1);
    auto const before = wait_for(clients.all()).clients;
    CHECK(before.at(0).reach == protocol::reach::pending);
    using protocol::reach;
    wait_for(clients.set_reach("n1", {{"c4", 1, reach::reachable, {}},
                                      {"c3", 1, reach::reachable, {}},
                                      {"c2", 1, reach::unreachable, "it's cut off"},
                                      {"c1", 1, reach::reachable, {}}}));
    auto const after = wait_for(clients.all()).clients;
    REQUIRE(names(after) == std::vector<std::string>{"c1", "c2", "c3"});
    CHECK(after[0].reach == reach::reachable);
    CHECK(after[1].reach == reach::unreachable);
    CHECK(after[1].reach_why == "it's cut off");
    CHECK(after[2].reach == reach::pending); // another node's
    CHECK(after[0].changed_at == before[0].changed_at);
    wait_for(clients.set_reach("n1", {{"c2", 1, reach::reachable, {}}}));
    CHECK(wait_for(clients.all()).clients.at(1).reach_why.empty());
    CHECK(home.text("SELECT reach FROM client WHERE instance = 'c4'") == "pending");
    wait_for(clients.set_reach("n1", {}));
}

TEST_CASE("the services are those of present clients, each with all its handlers")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::clients clients(*database);
    auto one = client("c1", "n1");
    one.handlers = {"x", "y"};
    auto two = client("c2", "n1");
    two.handlers = {"z", "x"};
    auto other = client("c3", "n1");
    other.service = "other";
    wait_for(clients.put(one));
    wait_for(clients.put(two));
    wait_for(clients.put(other));
    leave(clients, "c3", 1);
    auto elsewhere = client("c4", "n1"); // another project's service of the same name
    elsewhere.project = "p2";
    elsewhere.handlers = {"x"};
    wait_for(clients.put(elsewhere));
    auto const services = wait_for(clients.services());
    REQUIRE(services.size() == 2);
    CHECK(services[0].service == protocol::service_key{"default", "it's"});
    CHECK(services[0].handlers == std::vector<std::string>{"x", "y", "z"});
    CHECK(services[0].instances == 2);
    CHECK(services[1].service == protocol::service_key{"p2", "it's"});
    CHECK(services[1].handlers == std::vector<std::string>{"x"});
}

TEST_CASE("clients of a service that are alike are counted, and those that are gone are left out")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::clients clients(*database);
    for (auto const* name : {"c1", "c2", "c3", "c4", "c5"}) {
        auto one = client(name, "n1");
        if (one.instance == "c3")
            one.state = client_state::draining;
        if (one.instance == "c5")
            one.service = "other";
        wait_for(clients.put(one));
    }
    leave(clients, "c4", 1);
    wait_for(clients.set_reach("n1",
                               {{"c1", 1, protocol::reach::reachable, {}}, {"c2", 1, protocol::reach::reachable, {}}}));
    auto const before = wait_for(clients.all()).now;
    auto const found = wait_for(clients.standing({{"default", "it's"}, {"default", "none"}}));
    CHECK(found.now >= before);
    REQUIRE(found.clients.size() == 2);
    auto const& drains = found.clients[found.clients[0].state == client_state::draining ? 0 : 1];
    auto const& up = found.clients[found.clients[0].state == client_state::draining ? 1 : 0];
    CHECK(drains.instances == 1);
    CHECK(up.instances == 2);
    CHECK(up.state == client_state::up);
    CHECK(up.reach == protocol::reach::reachable);
    CHECK(up.service == protocol::service_key{"default", "it's"});
    CHECK(up.handlers == client("c1", "n1").handlers);
    CHECK(wait_for(clients.standing({})).clients.empty());
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

TEST_CASE("signals are read in order until they are removed")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::signals signals(*database);
    home.exec("INSERT INTO `signal` (id, kind, subject, created_at) VALUES (3, 'cancel', 30, 1), (1, 'task', 10, 1), "
              "(2, 'run', 20, 1)");
    auto const two = wait_for(signals.pending(20s, utc_time{}, 2));
    REQUIRE(two.size() == 2);
    CHECK(two[0].id == signal_id{1});
    CHECK(two[0].kind == protocol::signal_kind::task);
    CHECK(two[0].subject == 10);
    CHECK(two[1].kind == protocol::signal_kind::run);
    wait_for(signals.remove({signal_id{1}, signal_id{2}, signal_id{99}}));
    wait_for(signals.remove({}));
    auto const left = wait_for(signals.pending(20s, utc_time{}, 10));
    REQUIRE(left.size() == 1);
    CHECK(left[0].kind == protocol::signal_kind::cancel);
}

TEST_CASE("signals are read from a short time back, or from an earlier instant, and those behind that by themselves")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::signals signals(*database);
    auto const now = to_micros(system_time().utc());
    auto const at = [&](duration ago) { return std::to_string(now - ago.count()); };
    home.exec("INSERT INTO `signal` (id, kind, subject, created_at) VALUES (3, 'run', 1, " + at(1s) +
              "), (1, 'run', 1, " + at(-1s) + "), (2, 'run', 1, " + at(30s) + "), (4, 'run', 1, " + at(2min) + ")");
    auto const ids = [](std::vector<storage::signal_record> const& found) {
        std::vector<std::int64_t> out;
        for (auto const& one : found)
            out.push_back(one.id.value());
        return out;
    };
    CHECK(ids(wait_for(signals.pending(20s, utc_time::max(), 10))) == std::vector<std::int64_t>{3, 1});
    CHECK(ids(wait_for(signals.pending(20s, from_micros(now) - 1min, 10))) == std::vector<std::int64_t>{2, 3, 1});
    CHECK(ids(wait_for(signals.pending(20s, from_micros(now), 10))) == std::vector<std::int64_t>{3, 1});
    CHECK(ids(wait_for(signals.older(20s, 10))) == std::vector<std::int64_t>{4, 2});
}

TEST_CASE("a signal of an unknown kind does not hide the signals behind it")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::signals signals(*database);
    home.exec("INSERT INTO `signal` (id, kind, subject, created_at) VALUES (1, 'novel', 10, 1), (2, 'run', 20, 1)");
    auto const found = wait_for(signals.pending(20s, utc_time{}, 10));
    REQUIRE(found.size() == 2);
    CHECK_FALSE(found[0].kind);
    CHECK(found[0].text == "novel");
    CHECK(found[1].kind == protocol::signal_kind::run);
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

} // namespace members_test
