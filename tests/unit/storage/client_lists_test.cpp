// The lists of clients and services, and the changes that nodes read.

#include "libs/storage/overview.hpp"
#include "libs/storage/services.hpp"
#include "libs/storage/statement.hpp"
#include "tests/unit/storage/client_rows.hpp"

#include <catch2/catch.hpp>

namespace client_lists_test {

using namespace baton;
using namespace baton::test;
using storage::client_state;
using storage::engine;

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
    auto const listed = wait_for(clients.list({}, 10)).clients;
    CHECK_FALSE(listed.at(0).unreachable);
    CHECK(listed.at(1).unreachable);
    home.exec("UPDATE client SET changed_at = 7000");
    wait_for(clients.set_reach("n1", {{"c1", 1, reach::pending, {}}, {"c2", 1, reach::unreachable, "still"}}));
    CHECK(home.number("SELECT changed_at FROM client WHERE instance = 'c1'") == 7000);
    CHECK(home.number("SELECT changed_at FROM client WHERE instance = 'c2'") > 7000);
    home.exec("UPDATE client SET changed_at = 7000");
    wait_for(clients.set_reach("n1", {{"c2", 1, reach::reachable, {}}}));
    CHECK(wait_for(clients.all()).clients.at(1).reach_why.empty());
    CHECK(home.number("SELECT changed_at FROM client WHERE instance = 'c2'") > 7000);
    CHECK(home.text("SELECT reach FROM client WHERE instance = 'c4'") == "pending");
    wait_for(clients.set_reach("n1", {}));
}

TEST_CASE("what a service serves are the handlers of its present clients, and without one other services are named")
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
    auto const found = wait_for(clients.served({"default", "it's"}));
    CHECK(found.service == protocol::service_key{"default", "it's"});
    CHECK(found.handlers == std::vector<std::string>{"x", "y", "z"});
    CHECK(found.instances == 2);
    CHECK(found.others.empty());
    CHECK(wait_for(clients.served({"p2", "it's"})).handlers == std::vector<std::string>{"x"});
    auto const gone = wait_for(clients.served({"default", "other"}));
    CHECK(gone.instances == 0);
    CHECK(gone.others == std::vector<std::string>{"it's"});
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

TEST_CASE("the clients of a project or a service are found in order of instance, page by page")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::clients clients(*database);
    auto const put = [&](std::string instance, std::string project, std::string service) {
        auto row = client(std::move(instance), "n1");
        row.project = std::move(project);
        row.service = std::move(service);
        wait_for(clients.put(row));
    };
    put("c1", "shop", "mail");
    put("c2", "shop", "billing");
    put("c3", "default", "mail");
    put("c4", "shop", "mail");
    put("c5", "shop", "mail");
    CHECK(leave(clients, "c5", 1) == "n1");
    using scope = storage::clients::scope;
    auto const found = [&](scope const& of, std::string const& after, std::size_t most) {
        return names(wait_for(clients.find_in(of, after, most)));
    };
    using list = std::vector<std::string>;
    CHECK(found({}, "", 9) == list{"c1", "c2", "c3", "c4"});
    CHECK(found({}, "c1", 2) == list{"c2", "c3"});
    CHECK(found({"shop", {}}, "", 9) == list{"c1", "c2", "c4"});
    CHECK(found({"shop", "mail"}, "", 9) == list{"c1", "c4"});
    CHECK(found({"shop", "mail"}, "c1", 9) == list{"c4"});
    CHECK(found({"shop", "none"}, "", 9).empty());
}

TEST_CASE("a client counts once: as drained by a person, else as one that stops, else by its reach")
{
    using counts = storage::service_clients;
    using protocol::reach;
    CHECK(storage::count_of(client_state::up, reach::reachable, false) == &counts::up);
    CHECK(storage::count_of(client_state::up, reach::pending, false) == &counts::pending);
    CHECK(storage::count_of(client_state::up, reach::unreachable, false) == &counts::unreachable);
    CHECK(storage::count_of(client_state::draining, reach::unreachable, false) == &counts::draining);
    CHECK(storage::count_of(client_state::draining, reach::unreachable, true) == &counts::drained);
}

TEST_CASE("the clients of a page of services are counted by their states")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::clients clients(*database);
    for (auto const* name : {"c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"}) {
        auto one = client(name, "n1");
        if (one.instance == "c3")
            one.state = client_state::draining;
        if (one.instance == "c6")
            one.service = "other";
        if (one.instance == "c7")
            one.project = "shop";
        if (one.instance == "c8")
            one.service = "not asked for";
        wait_for(clients.put(one));
    }
    using protocol::reach;
    wait_for(clients.set_reach(
        "n1",
        {{"c1", 1, reach::reachable, {}}, {"c2", 1, reach::unreachable, "why"}, {"c7", 1, reach::reachable, {}}}));
    leave(clients, "c4", 1);
    wait_for(clients.drain("c5", "ann", ""));
    protocol::service_key const here{"default", "it's"};
    protocol::service_key const other{"default", "other"};
    protocol::service_key const there{"shop", "it's"};
    auto const found = wait_for(clients.count({there, {"shop", "none"}, other, here}));
    CHECK(found.size() == 3);
    auto const& ours = found.at(here);
    CHECK(ours.up == 1);
    CHECK(ours.unreachable == 1);
    CHECK(ours.draining == 1);
    CHECK(ours.drained == 1);
    CHECK(ours.pending == 0);
    CHECK(found.at(other).pending == 1);
    CHECK(found.at(there).up == 1);
    CHECK(wait_for(clients.count({})).empty());
}

TEST_CASE("lists of a small project read no clients of others")
{
    store home(engine::mysql); // which counts what it reads; SQLite refuses a statement whose index is of no use
    storage::database_settings one_session;
    one_session.sessions = 1;
    auto const database = home.migrated().open(one_session);
    storage::clients clients(*database);
    storage::services services(*database);
    std::vector<storage::client_write> group(500);
    for (std::size_t i = 0; i < group.size(); ++i) {
        group[i].row = client("big-" + std::to_string(i), "n1");
        group[i].row.service = i % 2 == 0 ? "one" : "two";
    }
    wait_for(clients.write(group));
    for (auto const* name : {"a-1", "z-1"}) {
        auto small = client(name, "n1");
        small.project = "small";
        small.service = "one";
        wait_for(clients.put(small));
    }
    auto const rows_read = [&](auto work) {
        auto const sum = [](soci::session& sql) {
            std::int64_t all = 0;
            storage::statement ask(sql);
            // MySQL skips the first comment, and MariaDB the second.
            ask.select("VARIABLE_VALUE")(" FROM /*M! information_schema*//*!80000 performance_schema*/"
                                         ".session_status WHERE VARIABLE_NAME IN "
                                         "('Handler_read_next', 'Handler_read_rnd_next')");
            ask.each([&](storage::row& cells) { all += std::stoll(cells.text()); });
            return all;
        };
        auto const before = wait_for(database->run(sum));
        work();
        return wait_for(database->run(sum)) - before;
    };
    auto const idle = rows_read([] {}); // the look itself
    auto const many = [&] { CHECK(wait_for(clients.find_in({"default", {}}, "", 400)).size() == 400); };
    REQUIRE(rows_read(many) > idle + 350); // so what is read is counted
    auto const found = [&] { CHECK(names(wait_for(clients.find_in({"small", {}}, "", 9))).size() == 2); };
    CHECK(rows_read(found) < idle + 20);
    auto const counted = [&] { CHECK(wait_for(clients.count({{"small", "one"}})).size() == 1); };
    CHECK(rows_read(counted) < idle + 20);
    auto const listed = [&] { CHECK(wait_for(services.list("small", {}, 9)).size() == 1); };
    CHECK(rows_read(listed) < idle + 20);
    auto const services_of_all = [&] { CHECK(wait_for(services.list({}, {}, 9)).size() == 3); };
    CHECK(rows_read(services_of_all) < idle + 40);
    auto const served = [&] { CHECK(wait_for(clients.served({"small", "one"})).instances == 2); };
    CHECK(rows_read(served) < idle + 20);
    auto const unserved = [&] { CHECK(wait_for(clients.served({"default", "none"})).others.size() == 2); };
    CHECK(rows_read(unserved) < idle + 20);
    auto const page = [&] { CHECK(wait_for(clients.find_in({"default", {}}, "", 9)).size() == 9); };
    CHECK(rows_read(page) < idle + 20);
}

TEST_CASE("a client that a person drains stays drained through registrations and moves, until a person resumes it")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::clients clients(*database);
    using outcome = storage::drain_outcome;
    auto const first = wait_for(clients.put(client("c1", "n1")));
    CHECK_FALSE(first.drained);
    wait_for(clients.put(client("c2", "n1")));
    auto const since = later(clients, wait_for(clients.all()).clients.at(1).changed_at);
    auto const drained = wait_for(clients.drain("c1", "it's ann", "new 'disk'"));
    CHECK(drained.outcome == outcome::done);
    CHECK(drained.node == "n1");
    CHECK(wait_for(clients.drain("c1", "bob", "")).outcome == outcome::already);
    CHECK(wait_for(clients.drain("c9", "", "")).outcome == outcome::not_found);
    auto const changes = wait_for(clients.changed_since(since, {}, 9)).clients;
    CHECK(names(changes) == std::vector<std::string>{"c1"});
    CHECK(changes.at(0).drained);

    auto const moved = wait_for(clients.put(client("c1", "n2", 2)));
    CHECK(moved.kept);
    CHECK(moved.drained);
    auto stops = client("c1", "n2", 2);
    stops.state = client_state::draining;
    CHECK(wait_for(clients.put(stops)).drained);
    CHECK(wait_for(clients.put(client("c1", "n2", 2))).drained);
    auto const rows = wait_for(clients.find_in({}, "", 9));
    REQUIRE(rows.at(0).drained);
    CHECK(rows[0].drained->by == "it's ann");
    CHECK(rows[0].drained->reason == "new 'disk'");
    CHECK(rows[0].drained->since >= since);
    CHECK_FALSE(rows.at(1).drained);
    auto const page = wait_for(clients.list("", 9)).clients;
    CHECK(page.at(0).drained);
    CHECK_FALSE(page.at(1).drained);
    auto const alike = wait_for(clients.standing({{"default", "it's"}})).clients;
    REQUIRE(alike.size() == 2);
    CHECK(alike[0].drained != alike[1].drained);
    storage::overview counts(*database);
    CHECK(wait_for(counts.clients(std::nullopt)).draining == 1);

    CHECK(wait_for(clients.resume("c1")).node == "n2");
    CHECK(wait_for(clients.resume("c1")).outcome == outcome::already);
    CHECK_FALSE(wait_for(clients.find_in({}, "", 9)).at(0).drained);
    CHECK(leave(clients, "c1", 2) == "n2");
    CHECK(wait_for(clients.drain("c1", "", "")).outcome == outcome::not_found);
    CHECK(wait_for(clients.resume("c1")).outcome == outcome::not_found);
}

} // namespace client_lists_test
