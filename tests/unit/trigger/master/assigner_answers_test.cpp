// The assigner after answers of nodes, and without an answer.

#include "tests/unit/trigger/master/assigner_stage.hpp"

#include <catch2/catch.hpp>

namespace assigner_answers_test {

using namespace baton;
using namespace baton::trigger;
using test::ids;
using fixture = test::assigner_stage;
using groups = std::vector<std::vector<execution_id>>;

TEST_CASE("executions that a full node did not take wait a little and may go to another node")
{
    fixture f;
    auto const node = GENERATE(std::string("n1"), std::string("master"));
    f.here.takes = 1;
    f.calls.assignments["n1"] = [](auto const&) { return node_calls::assign_outcome{200, 1, false}; };
    f.firing->hear(node, f.room(10, 10));
    f.fire({1, 2, 3});
    f.pass(20ms);
    CHECK(f.one(1).phase == phase::assigned);
    CHECK(f.one(2).phase == phase::waiting);
    f.firing->hear(node, f.room(0, 0, 2));
    f.firing->hear("n2", f.room(10, 10));
    f.pass(200ms);
    CHECK(f.one(1).where == node);
    CHECK(f.all_at("n2") == ids({2, 3}));
}

TEST_CASE("work that a node certainly did not get goes elsewhere at once, and the node is avoided for a second")
{
    fixture f;
    f.calls.assignments["n1"] = [](auto const&) { return node_calls::assign_outcome{}; };
    f.firing->hear("n1", f.room(10, 10));
    f.fire_on_time({1});
    f.pass(1ms);
    f.firing->hear("n2", f.room(10, 10));
    f.pass(50ms);
    CHECK(f.calls.assigned["n1"].size() == 1);
    CHECK(f.all_at("n2") == ids({1}));
    f.calls.assignments.clear();
    f.firing->hear("n2", f.room(1, 1, 2)); // full
    f.fire({2});
    f.pass(500ms);
    CHECK(f.calls.assigned["n1"].size() == 1);
    f.pass(1s);
    CHECK(f.all_at("n1") == ids({1, 2}));
}

TEST_CASE("work that a node may have is assigned to it again and to no other, until it answers")
{
    fixture f;
    int answers = 0;
    f.calls.assignments["n1"] = [&](auto const& message) {
        return ++answers < 3 ? node_calls::assign_outcome{{}, 0, true}
                             : node_calls::assign_outcome{200, message.executions.size(), false};
    };
    f.firing->hear("n1", f.room(10, 10));
    f.fire({1});
    f.pass(20ms);
    f.firing->hear("n2", f.room(10, 10));
    f.pass(2s);
    CHECK(f.calls.groups("n1") == groups{ids({1}), ids({1}), ids({1})});
    CHECK(f.calls.assigned["n2"].empty());
    CHECK(f.one(1).number == 3);
    CHECK(f.calls.assigned["n1"].back().open.empty()); // the first ones are given up
}

TEST_CASE("the number that was taken of a repeated assignment says nothing, because the node had passed some on")
{
    fixture f;
    f.firing->hear("n1", f.room(10, 10));
    f.fire({1, 2});
    f.pass(50ms);
    f.calls.assignments["n1"] = [](auto const&) { return node_calls::assign_outcome{200, 0, false}; };
    f.firing->repeat("n1", ids({1, 2}));
    f.pass(1s);
    CHECK(f.calls.assigned["n1"].size() == 2);
    CHECK(f.one(1).phase == phase::assigned);
    CHECK(f.one(2).phase == phase::assigned);
}

TEST_CASE("work that a node may have is in doubt when the node is gone")
{
    fixture f;
    f.calls.assignments["n1"] = [](auto const&) { return node_calls::assign_outcome{{}, 0, true}; };
    f.firing->hear("n1", f.room(10, 10));
    f.fire({1});
    f.pass(50ms);
    f.kill("n1");
    f.pass(1s);
    REQUIRE(f.in_doubt.added.size() == 1);
    CHECK(f.in_doubt.added.begin()->first == execution_id{1});
    CHECK(f.in_doubt.added.begin()->second == protocol::attempt_cause::node_gone);
}

TEST_CASE("an answer that comes when its execution has gone elsewhere changes nothing")
{
    fixture f;
    f.calls.takes = 100ms;
    f.calls.assignments["n1"] = [](auto const&) { return node_calls::assign_outcome{200, 0, false}; };
    f.firing->hear("n1", f.room(10, 10));
    f.fire({1});
    f.pass(50ms);
    SECTION("as the next attempt")
    {
        ++f.one(1).attempt;
    }
    SECTION("to a client")
    {
        f.open.move(f.one(1), phase::held, "client");
    }
    auto const before = f.one(1).phase;
    f.pass(1s);
    CHECK(f.one(1).phase == before);
    CHECK(f.calls.assigned["n1"].size() == 1);
}

TEST_CASE("a node that owes eight answers gets no further assignment before one of them comes")
{
    fixture f;
    f.calls.takes = 1s;
    f.firing->hear("n1", f.room(100, 100));
    for (int id = 1; id <= 10; ++id) {
        f.fire({id});
        f.pass(10ms);
    }
    CHECK(f.calls.assigned["n1"].size() == 8);
    CHECK(f.calls.assigned["n1"].back().open.size() == 7);
    f.pass(1s);
    CHECK(f.all_at("n1").size() == 10);
}

TEST_CASE("returned work goes out again, but only if the return names the latest assignment of that node")
{
    fixture f;
    f.firing->hear("n1", f.room(10, 10));
    f.fire({1});
    f.pass(50ms);
    auto& one = f.one(1);
    REQUIRE(one.number == 1);
    f.firing->repeat("n1", ids({1}));
    f.pass(50ms);
    REQUIRE(one.number == 2);
    f.firing->returned(one, "n1", 1); // late
    CHECK(one.phase == phase::assigned);
    f.firing->returned(one, "n2", 2);
    CHECK(one.phase == phase::assigned);
    f.firing->returned(one, "n1", 2);
    CHECK(one.phase == phase::waiting);
    f.pass(30ms);
    CHECK(f.calls.assigned["n1"].size() == 2); // the node says soon what it can take
    f.pass(100ms);
    CHECK(f.calls.assigned["n1"].size() == 3);
}

} // namespace assigner_answers_test
