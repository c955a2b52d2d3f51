#include "tests/unit/trigger/master/assigner_stage.hpp"

#include <catch2/catch.hpp>

namespace paused_services_test {

using namespace baton;
using namespace baton::trigger;

namespace {

struct fixture : test::assigner_stage {
    fixture()
    {
        firing->hear("n1", room(100, 100));
        add_task(2, {{"schedule", {{"kind", "fixed_delay"}, {"every_ms", 1000}}}});
    }
    void pause(std::string const& firings, std::string const& service = "s")
    {
        exec("INSERT INTO pause (id, namespace, project, service, firings, reason, begun_by, since) VALUES (1, 1, "
             "'default', '" +
             service + "', '" + firings + "', 'incident', 'ann', " + std::to_string(to_micros(start)) + ")");
        pass(1100ms);
    }
    void resume()
    {
        exec("UPDATE pause SET ended_at = " + std::to_string(to_micros(stage.database.utc())));
        pass(1100ms);
    }
    std::vector<execution_id> sent() { return all_at("n1"); }
};

} // namespace

TEST_CASE("nothing of a paused service is sent until it is resumed")
{
    fixture f;
    f.pause("hold");
    f.fire({1, 2, 3});
    f.pass(1s);
    CHECK(f.sent().empty());
    CHECK(f.state(1) == "planned");
    f.resume();
    CHECK(f.sent().size() == 3);
}

TEST_CASE("the pause of a project holds its services")
{
    fixture f;
    f.pause("hold", "");
    f.fire({1});
    f.pass(1s);
    CHECK(f.sent().empty());
    f.resume();
    CHECK(f.sent().size() == 1);
}

TEST_CASE("an execution that waits for a client with room when its service is paused waits on")
{
    fixture f;
    f.firing->hear("n1", f.room(0, 0));
    f.fire({1});
    f.pass(100ms);
    f.pause("hold");
    f.firing->hear("n1", f.room(100, 100));
    f.pass(1s);
    CHECK(f.sent().empty());
    f.resume();
    CHECK(f.sent().size() == 1);
}

TEST_CASE("firings during a pause that skips are skipped with its reason, all others wait for its end")
{
    fixture f;
    f.pause("skip");
    f.exec("UPDATE pause SET since = since + 2"); // after the first firing
    f.pass(1100ms);
    f.fire({1, 3});
    f.fire({4}, 2); // of a fixed delay
    f.add_execution(5, 1);
    f.exec("UPDATE execution SET cause = 'manual', run_key = id WHERE id = 5");
    f.load();
    f.due_changed.wake();
    f.pass(1s);
    CHECK(f.sent().empty());
    CHECK(f.state(1) == "planned");
    CHECK(f.state(3) == "skipped");
    CHECK(f.text("SELECT reason FROM execution WHERE id = 3") == "service 's' is paused: incident (by ann)");
    CHECK(f.state(4) == "planned");
    CHECK(f.state(5) == "planned");
    f.resume();
    CHECK(f.sent().size() == 3);
}

TEST_CASE("a firing that a client has had is not skipped by a pause, its next attempt waits")
{
    fixture f;
    f.pause("skip");
    f.add_execution(1, 1, 3);
    f.add_execution(2, 1, 3);
    f.exec("UPDATE execution SET attempt = 2, begun = 1 WHERE id = 1");
    f.exec("UPDATE execution SET attempt = 2, begun = 1, deaths = 1 WHERE id = 2");
    f.load();
    f.due_changed.wake();
    f.pass(1s);
    CHECK(f.sent().empty());
    CHECK(f.state(1) == "planned");
    CHECK(f.state(2) == "planned");
    f.resume();
    CHECK(f.sent().size() == 2);
}

TEST_CASE("a task that starts after a pause that skips has ended runs, though its parent was due during the pause")
{
    fixture f;
    f.add_task(3, {{"schedule", {{"kind", "after"}, {"task", "t1"}}}});
    f.pause("skip");
    f.resume();
    auto const started = f.stage.database.utc();
    f.add_execution(1, 3);
    f.add_execution(2, 3);
    f.exec("UPDATE execution SET run_key = 2 WHERE id = 2");
    f.exec("UPDATE execution SET scheduled_at = " + std::to_string(to_micros(f.start + 1s)));
    f.exec("UPDATE execution SET created_at = " + std::to_string(to_micros(started)) + " WHERE id = 1");
    f.exec("UPDATE execution SET created_at = scheduled_at WHERE id = 2"); // started during the pause
    f.load();
    f.due_changed.wake();
    f.pass(1s);
    CHECK(f.sent() == std::vector{execution_id{1}});
    CHECK(f.state(2) == "skipped");
}

TEST_CASE("an execution that is cancelled while its service is paused ends")
{
    fixture f;
    f.pause("hold");
    f.fire({1, 2});
    f.pass(1s);
    f.next.cancel(f.one(1));
    f.pass(100ms);
    CHECK(f.state(1) == "cancelled");
    f.resume();
    CHECK(f.sent() == std::vector{execution_id{2}});
}

TEST_CASE("a reading of the pauses that began before another one, and is answered after it, does not count")
{
    fixture f;
    protocol::pause pause;
    pause.of = {"default", "s"};
    pause.since = f.start;
    auto const now = f.host.time().now();
    f.paused.learn({pause}, now + 2ms);
    f.paused.learn({}, now + 1ms);
    f.fire({1});
    f.pass(20ms);
    CHECK(f.sent().empty());
    f.paused.learn({}, now + 30ms);
    f.pass(20ms);
    CHECK(f.sent().size() == 1);
}

TEST_CASE("a run by force is sent during a pause, and nothing else")
{
    fixture f;
    f.pause("hold");
    f.add_execution(1, 1);
    f.add_execution(2, 1);
    f.exec("UPDATE execution SET cause = 'forced', run_key = id WHERE id = 1");
    f.exec("UPDATE execution SET cause = 'manual', run_key = id WHERE id = 2");
    f.load();
    f.due_changed.wake();
    f.pass(1s);
    REQUIRE(f.sent().size() == 1);
    CHECK(f.sent().front() == execution_id{1});
    f.resume();
    CHECK(f.sent().size() == 2);
}

} // namespace paused_services_test
