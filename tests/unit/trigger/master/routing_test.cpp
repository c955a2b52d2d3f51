// Executions for which the master chooses the client.

#include "tests/unit/trigger/master/assigner_stage.hpp"

#include <catch2/catch.hpp>

#include <numeric>
#include <set>

namespace routing_test {

using namespace baton;
using namespace baton::trigger;
using test::ids;

namespace {

struct fixture : test::assigner_stage {
    fixture()
    {
        firing->hear("n1", offering({"h"}));
        firing->hear("n2", offering({"h"}));
    }
    static protocol::capacity_message offering(std::vector<std::string> offers, std::int64_t number = 1)
    {
        protocol::service_capacity one;
        one.service = "s";
        one.classes.push_back({std::move(offers), 100, 100});
        return {number, {one}};
    }
    void add(std::string instance, std::string home, int slots = 10, std::vector<std::string> offers = {"h"})
    {
        put(std::move(instance), std::move(home), slots, std::move(offers), storage::client_state::up);
    }
    void put(std::string instance, std::string home, int slots, std::vector<std::string> offers,
             storage::client_state state)
    {
        storage::client_record row;
        row.instance = std::move(instance);
        row.service = "s";
        row.address = "http://127.0.0.1:1";
        row.secret = "0123456789abcdef";
        row.handlers = std::move(offers);
        row.node = std::move(home);
        row.generation = ++generation;
        row.slots = slots;
        row.state = state;
        storage::clients table(*shared);
        auto call = [&]() -> awaitable<void> {
            co_await table.put(row);
            co_await clients->refresh();
        };
        stage.play(call());
    }
    void unreachable(std::string const& instance, std::string const& home)
    {
        storage::clients table(*shared);
        std::vector<storage::reach_change> changes(1);
        changes[0].instance = instance;
        changes[0].generation = generation;
        changes[0].state = protocol::reach::unreachable;
        auto call = [&]() -> awaitable<void> {
            co_await table.set_reach(home, changes);
            co_await clients->refresh();
        };
        stage.play(call());
    }
    void run(std::vector<int> const& numbers, int task = 2)
    {
        fire(numbers, task);
        pass(300ms);
    }
    std::string client_of(int id) { return is_open(id) ? one(id).target : ""; }
    void end(int id)
    {
        open.erase(execution_id{id});
        pass(50ms);
    }
    std::int64_t generation = 0;
};

nlohmann::json routed(char const* routing, nlohmann::json const& route = nlohmann::json::object())
{
    return {{"routing", routing}, {"route", route}};
}

} // namespace

TEST_CASE("the choice for many executions with a rare tag does not look at all clients for each of them")
{
    constexpr int all = 200;
    fixture f;
    for (int number = 100; number < 100 + all; ++number)
        f.add("c" + std::to_string(number), "n1", 10,
              number == 250 ? std::vector<std::string>{"/gpu", "h"} : std::vector<std::string>{"h"});
    f.add_task(2, routed("last", {{"tag", "gpu"}}));
    router choice(*f.clients, [](listed_client const&) { return true; });
    f.add_execution(1, 2);
    f.load();
    for (int i = 0; i < 1'000; ++i)
        REQUIRE(choice.choose(f.one(1))->instance() == "c250");
    CHECK(choice.looks() < all + 2'000);
}

TEST_CASE("first and last are those by name of instance, and their executions wait for room there")
{
    fixture f;
    f.add_task(2, routed("first"));
    f.add_task(3, routed("last"));
    f.add("a", "n1", 2);
    f.add("b", "n2");
    f.add("c", "n2");
    f.run({1, 2, 3});
    f.run({11}, 3);
    CHECK(f.all_at("n1") == ids({1, 2}));
    CHECK(f.all_at("n2") == ids({11}));
    CHECK(f.client_of(11) == "c");
    CHECK(f.one(3).phase == phase::waiting);
    f.end(1);
    CHECK(f.all_at("n1") == ids({1, 2, 3}));
}

TEST_CASE("the first client drains, and the next one gets what waited for it")
{
    fixture f;
    f.add_task(2, routed("first"));
    f.add("a", "n1", 1);
    f.add("b", "n2");
    f.run({1, 2});
    CHECK(f.all_at("n1") == ids({1}));
    f.put("a", "n1", 1, {"h"}, storage::client_state::draining);
    f.pass(2s);
    CHECK(f.all_at("n2") == ids({2}));
}

TEST_CASE("failover passes over a client that cannot be reached, and first does not")
{
    fixture f;
    f.add_task(2, routed("failover"));
    f.add_task(3, routed("first"));
    f.add("b", "n2");
    f.add("a", "n1");
    f.unreachable("a", "n1");
    f.run({1});
    f.run({11}, 3);
    CHECK(f.client_of(1) == "b");
    CHECK(f.client_of(11) == "a");
}

TEST_CASE("a key goes to the same client, and to another one only when that is gone")
{
    fixture f;
    f.add_task(2, {{"routing", "consistent_hash"}, {"route", {{"key", "/k"}}}, {"payload", {{"k", 1}}}});
    f.add_task(3, {{"routing", "consistent_hash"}, {"route", {{"key", "/k"}}}, {"payload", {{"k", 1}}}});
    for (auto const* name : {"a", "b", "c", "d"})
        f.add(name, "n1");
    f.run({1, 2});
    f.run({11}, 3);
    auto const chosen = f.client_of(1);
    CHECK_FALSE(chosen.empty());
    CHECK(f.client_of(2) == chosen);
    CHECK(f.client_of(11) == chosen);
    f.bury_client(chosen, 10);
    f.run({3, 4});
    CHECK_FALSE(f.client_of(3).empty());
    CHECK(f.client_of(3) != chosen);
    CHECK(f.client_of(4) == f.client_of(3));
}

TEST_CASE("the key of an execution is in its own payload, if it has one")
{
    fixture f;
    f.add_task(2, {{"routing", "consistent_hash"}, {"route", {{"key", "/k"}}}, {"payload", {{"k", 0}}}});
    for (auto const* name : {"a", "b", "c", "d"})
        f.add(name, "n1", 100);
    std::set<std::string> chosen;
    for (int id = 1; id <= 20; ++id) {
        f.add_execution(id, 2, 3);
        f.exec("UPDATE execution SET payload = '{\"k\":" + std::to_string(id % 10) +
               "}' WHERE id = " + std::to_string(id));
    }
    f.load();
    f.due_changed.wake();
    f.pass(300ms);
    for (int id = 1; id <= 10; ++id) {
        CHECK(f.client_of(id) == f.client_of(id + 10));
        chosen.insert(f.client_of(id));
    }
    CHECK(chosen.size() > 1);
}

TEST_CASE("a new master knows the client of the last attempt, and goes to another one")
{
    fixture f;
    f.add_task(2, {{"retry", {{"on", "other"}}}, {"max_attempts", 3}});
    f.add("a", "n1");
    f.add("b", "n2");
    for (int id = 1; id <= 6; ++id)
        f.add_execution(id, 2, 3);
    f.exec("UPDATE execution SET attempt = 2, client = 'a'");
    f.load();
    f.due_changed.wake();
    f.pass(300ms);
    for (int id = 1; id <= 6; ++id)
        CHECK(f.client_of(id) == "b");
}

TEST_CASE("a key passes over a client that cannot be reached")
{
    fixture f;
    f.add_task(2, {{"routing", "consistent_hash"}, {"route", {{"key", "/k"}}}, {"payload", {{"k", 1}}}});
    f.add("a", "n1");
    f.add("b", "n2");
    f.run({1});
    auto const before = f.client_of(1);
    auto const home = f.one(1).where;
    f.put(before, home, 10, {"h"}, storage::client_state::up);
    f.unreachable(before, home);
    f.run({2});
    CHECK(f.client_of(2) == (before == "a" ? "b" : "a"));
}

TEST_CASE("an instance is named in full or by its beginning")
{
    fixture f;
    f.add_task(2, routed("instance", {{"instance", "build-7"}}));
    f.add("build-70:1", "n1");
    f.add("build-7:2", "n2", 1);
    f.add("build-7:3", "n2", 1);
    f.run({1, 2});
    CHECK(f.all_at("n2") == ids({1, 2}));
    CHECK(f.client_of(1) != f.client_of(2));
}

TEST_CASE("of several clients that an instance names, one with room gets the next execution")
{
    fixture f;
    f.add_task(2, routed("instance", {{"instance", "build-7"}}));
    for (int i = 1; i <= 6; ++i)
        f.add("build-7:" + std::to_string(i), "n1", 1);
    for (int id = 1; id <= 6; ++id)
        f.run({id});
    CHECK(f.all_at("n1").size() == 6);
}

TEST_CASE("the master chooses among the clients with the tag only")
{
    fixture f;
    f.firing->hear("n2", fixture::offering({"/gpu", "h"}, 2));
    f.add_task(2, routed("first", {{"tag", "gpu"}}));
    f.add("a", "n1");
    f.add("b", "n2", 10, {"/gpu", "h"});
    f.run({1});
    CHECK(f.client_of(1) == "b");
    CHECK(f.all_at("n2") == ids({1}));
}

TEST_CASE("executions that wait for an absent instance or tag hold up nothing else of their service")
{
    fixture f;
    f.add_task(2, routed("instance", {{"instance", "absent"}}));
    f.add_task(3, routed("round_robin", {{"tag", "gpu"}}));
    f.add_task(4, routed("first"));
    f.add("a", "n1");
    f.run({1, 2, 3}, 2);
    f.run({11, 12}, 3);
    CHECK(f.all_at("n1").empty());
    f.run({21, 22}, 1);
    f.run({31}, 4);
    CHECK(f.all_at("n1").size() + f.all_at("n2").size() == 3);
    CHECK(f.one(1).phase == phase::waiting);
    f.add("absent:1", "n1");
    f.pass(300ms);
    CHECK(f.client_of(1) == "absent:1");
    CHECK(f.one(3).phase == phase::assigned);
    f.firing->hear("n2", fixture::offering({"/gpu", "h"}, 2));
    f.pass(300ms);
    CHECK(f.one(11).where == "n2");
    CHECK(f.one(12).where == "n2");
    CHECK(f.calls.assigned["n2"].back().executions.front().tag == "gpu");
}

TEST_CASE("skip_busy waits for a free slot and does not use the queues of clients")
{
    fixture f;
    f.add_task(2, routed("skip_busy"));
    protocol::service_capacity one;
    one.service = "s";
    one.classes.push_back({{"h"}, 1, 50});
    f.firing->hear("n1", {2, {one}});
    one.classes.front().slots = 0;
    f.firing->hear("n2", {2, {one}});
    f.run({1, 2});
    CHECK(f.all_at("n1") == ids({1}));
    CHECK(f.all_at("n2").empty());
    f.end(1);
    CHECK(f.all_at("n1") == ids({1, 2}));
}

TEST_CASE("a home that returns work of a named client gets one at a time until it takes one")
{
    fixture f;
    f.add_task(2, routed("first"));
    f.add("a", "n1", 100);
    std::vector<int> all(20);
    std::iota(all.begin(), all.end(), 1);
    f.run(all);
    REQUIRE(f.all_at("n1").size() == 20);
    auto const number = f.one(1).number;
    for (int const id : all)
        f.firing->returned(f.one(id), "n1", number);
    f.pass(150ms);
    CHECK(f.calls.groups("n1").size() == 2);
    CHECK(f.calls.groups("n1").back().size() == 1);
    f.open.move(f.one(1), phase::held, "a");
    f.pass(200ms);
    CHECK(f.all_at("n1").size() == 40);
}

TEST_CASE("a further attempt goes to another client, or to the same one, as the task says")
{
    fixture f;
    auto const retried = [](char const* on, char const* routing, char const* retry_routing_key = nullptr) {
        nlohmann::json task{{"routing", routing}, {"retry", {{"on", on}}}, {"max_attempts", 3}};
        if (retry_routing_key != nullptr) {
            task["route"] = {{"key", retry_routing_key}};
            task["payload"] = {{"k", 5}};
        }
        return task;
    };
    f.add_task(2, retried("other", "round_robin"));
    f.add_task(3, retried("same", "round_robin"));
    f.add_task(4, retried("other", "first"));
    f.add_task(5, retried("other", "consistent_hash", "/k"));
    f.add("a", "n1");
    SECTION("a single client gets it again")
    {
        f.run({1, 2}, 2);
        f.open.move(f.one(1), phase::held, "a");
        f.next.open(f.one(1), f.start, protocol::attempt_cause::retry);
        f.pass(300ms);
        CHECK(f.one(1).attempt == 2);
        CHECK(f.client_of(1) == "a");
    }
    SECTION("of several")
    {
        f.add("b", "n2");
        for (int const task : {2, 3, 4, 5})
            f.run({task * 10}, task);
        auto const hashed = f.client_of(50);
        for (int const task : {2, 3, 4})
            f.open.move(f.one(task * 10), phase::held, "a");
        f.open.move(f.one(50), phase::held, hashed);
        for (int const task : {2, 3, 4, 5})
            f.next.open(f.one(task * 10), f.start, protocol::attempt_cause::retry);
        f.pass(300ms);
        CHECK(f.client_of(20) == "b");
        CHECK(f.client_of(30) == "a");
        CHECK(f.client_of(40) == "b");
        CHECK(f.client_of(50) == (hashed == "a" ? "b" : "a"));
    }
    SECTION("of two, of which the other one cannot be reached")
    {
        f.run({20}, 2);
        f.add("b", "n2");
        f.unreachable("b", "n2");
        f.open.move(f.one(20), phase::held, "a");
        f.next.open(f.one(20), f.start, protocol::attempt_cause::retry);
        f.pass(300ms);
        CHECK(f.client_of(20) == "a");
    }
    SECTION("of several, the one of the last attempt is gone")
    {
        f.add("b", "n2");
        f.run({30}, 3);
        f.open.move(f.one(30), phase::held, "a");
        f.next.open(f.one(30), f.start, protocol::attempt_cause::retry);
        f.bury_client("a", 10);
        f.pass(300ms);
        CHECK(f.one(30).attempt == 2);
        CHECK(f.one(30).phase == phase::assigned);
    }
}

} // namespace routing_test
