// Which node gets which execution, and what becomes of it by the node's answer: the assigner on doubles of the nodes.

#include "tests/unit/trigger/master/node_stage.hpp"
#include "trigger/master/assigner.hpp"

#include <catch2/catch.hpp>

namespace assigner_test {

using namespace baton;
using namespace baton::trigger;
using test::ids;
using groups = std::vector<std::vector<execution_id>>;

namespace {

struct fake_doubts final : doubts {
    explicit fake_doubts(open_set& all) : open(all) {}
    void add(open_execution& one, protocol::attempt_cause cause) override
    {
        added.emplace_back(one.id, cause);
        open.move(one, phase::in_doubt);
    }
    bool suspects(std::string const& incarnation) const override { return suspected == incarnation; }

    open_set& open;
    std::vector<std::pair<execution_id, protocol::attempt_cause>> added;
    std::string suspected;
};

struct fixture : test::node_stage {
    completion_queue ended{open, stage.loop.get_executor()};
    suspect_line suspects{scope()};
    attempts next{scope(), ended, suspects};
    trigger::credits credits;
    ready_queue ready;
    fire_mark mark{scope(), 1s};
    fake_doubts in_doubt{open};
    election_trace trace{"", "master", "master"};
    std::optional<assigner> firing;

    explicit fixture(dispatcher_settings settings = {}, bool signals_are_read = true) : node_stage(2)
    {
        firing.emplace(settings, scope(),
                       assigner::dependencies{view(), here, calls, trace, credits, ready, ended, in_doubt, next, mark});
        open.on_release([this](protocol::service_view service) { firing->released(service); });
        add_task(1);
        host.spawn(next.run());
        host.spawn(mark.run());
        host.spawn(firing->run());
        if (signals_are_read)
            firing->may_fire_until(utc_time::max());
        pass(20ms);
    }
    ~fixture() { stage.end(); }

    // Executions that are due now.
    void fire(std::vector<int> const& numbers, int task = 1)
    {
        for (auto const id : numbers)
            add_execution(id, task, 3);
        load();
        due_changed.wake();
    }
    std::vector<execution_id> all_at(std::string const& node)
    {
        std::vector<execution_id> out;
        for (auto const& group : calls.groups(node))
            out.insert(out.end(), group.begin(), group.end());
        return out;
    }
};

} // namespace

TEST_CASE("what is due goes to a node with room in one request, in order of time")
{
    fixture f;
    f.firing->hear("n1", f.room(10, 10));
    f.fire({1, 2, 3});
    f.pass(50ms);
    CHECK(f.calls.groups("n1") == groups{ids({1, 2, 3})});
    CHECK(f.calls.assigned["n1"].front().number == 1);
    CHECK(f.one(1).phase == phase::assigned);
    CHECK(f.one(1).where == "n1");
    CHECK(f.firing->next_number("n1") == 2);
}

TEST_CASE("a node gets no more than it has told that it can take, and the rest when it tells more")
{
    fixture f;
    f.firing->hear("n1", f.room(2, 2));
    f.fire({1, 2, 3});
    f.pass(1s);
    CHECK(f.all_at("n1") == ids({1, 2}));
    CHECK(f.one(3).phase == phase::waiting);
    f.firing->hear("n1", f.room(3, 3, 2));
    f.pass(50ms);
    CHECK(f.all_at("n1") == ids({1, 2, 3}));
}

TEST_CASE("the end of an execution makes room for the next one of its service")
{
    fixture f;
    f.firing->hear("n1", f.room(1, 1));
    f.fire({1, 2});
    f.pass(1s);
    CHECK(f.all_at("n1") == ids({1}));
    f.open.erase(execution_id{1});
    f.pass(50ms);
    CHECK(f.all_at("n1") == ids({1, 2}));
}

TEST_CASE("this node's share is a call without a message")
{
    fixture f;
    f.firing->hear("master", f.room(10, 10));
    f.fire({1, 2});
    f.pass(50ms);
    REQUIRE(f.here.assigned.size() == 1);
    CHECK(f.here.assigned.front().executions.size() == 2);
    CHECK(f.here.assigned.front().term == f.of.id());
    CHECK(f.calls.assigned.empty());
}

TEST_CASE("what a full node did not take waits a little and may go to another one")
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
    f.fire({1});
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
    CHECK(f.in_doubt.added.front().first == execution_id{1});
    CHECK(f.in_doubt.added.front().second == protocol::attempt_cause::node_gone);
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

TEST_CASE("nothing fires that is due behind the last reading of the signals")
{
    fixture f({}, false);
    f.firing->hear("n1", f.room(10, 10));
    f.fire({1, 2});
    f.open.wait(f.one(2), f.start + 10ms);
    f.pass(500ms);
    CHECK(f.calls.assigned.empty());
    f.firing->may_fire_until(f.start + 5ms);
    f.pass(500ms);
    CHECK(f.all_at("n1") == ids({1}));
    f.firing->may_fire_until(f.start + 15ms);
    f.pass(500ms);
    CHECK(f.all_at("n1") == ids({1, 2}));
}

TEST_CASE("a node that drains, is suspect or does not live gets nothing")
{
    fixture f;
    f.firing->hear("n1", f.room(10, 10));
    SECTION("suspect")
    {
        f.in_doubt.suspected = "n1";
    }
    SECTION("draining")
    {
        auto drain = [&]() -> awaitable<void> { co_await f.named("n1").view->drain(); };
        f.named("n1").host.spawn(drain());
        f.pass(2s);
    }
    SECTION("dead")
    {
        f.kill("n1");
    }
    f.fire({1});
    f.pass(500ms);
    CHECK(f.calls.assigned["n1"].empty());
    f.firing->hear("n2", f.room(10, 10));
    f.pass(500ms);
    CHECK(f.all_at("n2") == ids({1}));
}

TEST_CASE("a shard goes to the home of its client, however many places other nodes have")
{
    fixture f;
    f.add_client("a", "n2");
    f.firing->hear("n1", f.room(10, 10));
    f.firing->hear("n2", f.room(1, 1));
    f.add_execution(1, 1);
    f.add_execution(2, 1);
    f.load();
    for (auto const id : {1, 2})
        f.one(id).shard_instance = "a";
    f.due_changed.wake();
    f.pass(500ms);
    CHECK(f.calls.groups("n2") == groups{ids({1, 2})});
    CHECK(f.calls.assigned["n2"].front().executions.front().instance == "a");
    CHECK(f.calls.assigned["n1"].empty());
}

TEST_CASE("a shard whose client is gone fails, and one whose client may just have joined waits")
{
    fixture f;
    f.add_client("a", "n1");
    f.firing->hear("n1", f.room(10, 10));
    f.add_execution(1, 1);
    f.load();
    f.one(1).shard_instance = "b";
    f.due_changed.wake();
    f.pass(500ms);
    CHECK(f.state(1) == "planned");
    f.add_client("c", "n1"); // the directory has been read again
    f.pass(500ms);
    CHECK(f.state(1) == "failed");
    CHECK(f.text("SELECT reason FROM execution WHERE id = 1").find("gone") != std::string::npos);
}

TEST_CASE("failover work goes to the home of the first client with room")
{
    fixture f;
    f.add_task(2, {{"routing", "failover"}});
    f.add_client("b", "n1");
    f.add_client("a", "n2");
    f.firing->hear("n1", f.room(10, 10));
    f.firing->hear("n2", f.room(1, 1));
    f.fire({1, 2}, 2);
    f.pass(500ms);
    CHECK(f.all_at("n2") == ids({1}));
    CHECK(f.all_at("n1") == ids({2}));
}

TEST_CASE("a broadcast that is due is handed on to be split, and goes to no node itself")
{
    fixture f;
    f.add_task(2, {{"routing", "broadcast"}});
    f.firing->hear("n1", f.room(10, 10));
    f.fire({1}, 2);
    f.pass(50ms);
    CHECK(f.ended.to_split() == ids({1}));
    CHECK(f.calls.assigned.empty());
}

TEST_CASE("a request names at most as many executions as a group may have")
{
    dispatcher_settings settings;
    settings.group = 2;
    fixture f(settings);
    f.firing->hear("n1", f.room(10, 10));
    f.fire({1, 2, 3});
    f.pass(50ms);
    CHECK(f.calls.groups("n1") == groups{ids({1, 2}), ids({3})});
}

} // namespace assigner_test
