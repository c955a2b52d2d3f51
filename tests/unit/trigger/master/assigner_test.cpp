// Which node gets which execution.

#include "tests/unit/trigger/master/assigner_stage.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace assigner_test {

using namespace baton;
using namespace baton::trigger;
using test::ids;
using fixture = test::assigner_stage;
using groups = std::vector<std::vector<execution_id>>;

TEST_CASE("due executions go to a node with room in a single request, in order of time")
{
    fixture f;
    f.firing->hear("n1", f.room(10, 10));
    f.fire({1, 2, 3});
    f.pass(50ms);
    CHECK(f.calls.groups("n1") == groups{ids({1, 2, 3})});
    CHECK(f.calls.assigned["n1"].front().number == 1);
    CHECK(f.one(1).phase == phase::assigned);
    CHECK(f.one(1).where == "n1");
    CHECK(f.firing->next_number() == 2);
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

TEST_CASE("of firings that waited too long for a client the latest is sent, and the others are skipped")
{
    fixture f;
    f.fire({1, 2, 3});
    f.pass(59s);
    CHECK(f.state(1) == "planned");
    f.pass(2s);
    f.firing->hear("n1", f.room(10, 10));
    f.pass(100ms);
    CHECK(f.all_at("n1") == ids({3}));
    for (int const id : {1, 2}) {
        CHECK(f.state(id) == "skipped");
        CHECK_FALSE(f.is_open(id));
    }
    CHECK(f.text("SELECT reason FROM execution WHERE id = 1").starts_with("over 60 s late; misfire policy fire_once"));
}

TEST_CASE("a run now and a further attempt are sent however late they are")
{
    fixture f;
    f.add_task(2, {{"misfire", {{"action", "skip"}}}});
    f.add_execution(1, 2);
    f.add_execution(2, 2);
    f.add_execution(3, 2);
    f.exec("UPDATE execution SET cause = 'manual', run_key = 1 WHERE id = 1");
    f.exec("UPDATE execution SET attempt = 2, begun = 1 WHERE id = 2");
    f.load();
    f.due_changed.wake();
    f.pass(2min);
    f.firing->hear("n1", f.room(10, 10));
    f.pass(100ms);
    CHECK(f.all_at("n1") == ids({1, 2}));
    CHECK(f.state(3) == "skipped");
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

TEST_CASE("what may begin at most once goes out only as far as slots are free, and marks no more")
{
    fixture f;
    f.add_task(2, {{"max_deaths", 1}});
    f.fire({1, 2, 3}, 2);
    f.firing->hear("n1", f.room(2, 100));
    f.pass(1s);
    CHECK(f.all_at("n1") == ids({1, 2}));
    CHECK(f.number("SELECT COUNT(*) FROM execution WHERE out_attempt IS NOT NULL") == 2);
    f.open.erase(execution_id{1});
    f.pass(1s);
    CHECK(f.all_at("n1") == ids({1, 2, 3}));
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

TEST_CASE("nothing fires that is due behind the last reading of the signals")
{
    fixture f({}, false);
    f.firing->hear("n1", f.room(10, 10));
    f.fire({1, 2});
    f.open.wait(f.one(2), f.clock.now() + 2s);
    f.pass(500ms);
    CHECK(f.calls.assigned.empty());
    f.firing->may_fire_until(f.clock.now() + 500ms);
    f.pass(3s);
    CHECK(f.all_at("n1") == ids({1}));
    f.firing->may_fire_until(f.clock.now() + 500ms);
    f.pass(500ms);
    CHECK(f.all_at("n1") == ids({1, 2}));
}

TEST_CASE("what waits for a client is not sent while nobody has read the signals: its service may be paused by now")
{
    fixture f({}, false);
    f.firing->may_fire_until(f.clock.now() + 500ms);
    f.fire({1});
    f.pass(1s);
    f.firing->hear("n1", f.room(10, 10));
    f.pass(1s);
    CHECK(f.calls.assigned.empty());
    f.firing->may_fire_until(f.clock.now() + 500ms);
    f.pass(100ms);
    CHECK(f.all_at("n1") == ids({1}));
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
    CHECK(f.calls.groups("n2") == groups{ids({1})});
    f.open.erase(execution_id{1}); // the client has one place
    f.pass(500ms);
    CHECK(f.calls.groups("n2") == groups{ids({1}), ids({2})});
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

TEST_CASE("a shard that is run again after its task has moved to another service fails")
{
    fixture f;
    f.add_client("a", "n1");
    f.firing->hear("n1", f.room(10, 10));
    f.add_task(2, {{"service", "another"}});
    f.add_execution(1, 2);
    f.load();
    f.one(1).shard_instance = "a";
    f.due_changed.wake();
    f.pass(500ms);
    CHECK(f.state(1) == "failed");
    CHECK(f.text("SELECT reason FROM execution WHERE id = 1").find("another service") != std::string::npos);
}

TEST_CASE("a broadcast that is due is handed on to be split, and goes to no node itself")
{
    fixture f;
    f.add_task(2, {{"routing", "broadcast"}});
    f.firing->hear("n1", f.room(10, 10));
    f.fire({1}, 2);
    f.pass(50ms);
    CHECK(f.ended.unsplit().next({}, [](auto const&) { return true; }) == execution_id{1});
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

TEST_CASE("a step of the loop assigns a bounded number, and whatever waits on the loop runs between two steps")
{
    constexpr int count = 9'000;
    constexpr std::size_t most = 5'000;
    fixture f;
    f.firing->hear("master", f.room(count, count));
    std::vector<int> all(count);
    std::iota(all.begin(), all.end(), 1);
    std::size_t looked_at = 0; // requests
    std::vector<std::size_t> steps;
    std::vector<int> turns_before;
    int turns = 0; // of another part of the loop
    bool waits = false;
    std::function<void()> turn = [&] {
        ++turns;
        waits = false;
    };
    f.stage.time.observe([&] {
        std::size_t assigned = 0;
        for (; looked_at < f.here.assigned.size(); ++looked_at)
            assigned += f.here.assigned[looked_at].executions.size();
        if (assigned != 0) {
            steps.push_back(assigned);
            turns_before.push_back(turns);
        }
        bool const may_fire = f.mark.limit() > f.start;
        if (may_fire && steps.size() < 2 && turns < 1'000 && !std::exchange(waits, true))
            asio::post(f.stage.loop, turn);
    });
    f.fire_on_time(all);
    f.pass(50ms);
    f.stage.time.observe({});
    CHECK(std::accumulate(steps.begin(), steps.end(), std::size_t{0}) == count);
    REQUIRE(steps.size() >= 2);
    CHECK(*std::max_element(steps.begin(), steps.end()) <= most);
    CHECK(turns_before[1] > turns_before[0]);
}

} // namespace assigner_test
