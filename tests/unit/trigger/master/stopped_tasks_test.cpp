#include "tests/unit/trigger/master/term_stage.hpp"
#include "trigger/master/stopped_tasks.hpp"

#include <catch2/catch.hpp>

namespace stopped_tasks_test {

using namespace baton;
using namespace baton::trigger;

namespace {

// Task 1 of version 1 has three executions that wait, and is disabled by version 2 with a line that lies `from_now`.
struct fixture : test::term_stage {
    completion_queue ended{open, stage.loop.get_executor()};
    suspect_line suspects{scope()};
    attempts next{scope(), ended, suspects};
    stopped_tasks stopped{scope(), next};

    explicit fixture(duration from_now = 0s)
    {
        add_task(1);
        for (auto const id : {1, 2, 3})
            add_execution(id, 1, 3);
        load();
        auto const line = std::to_string(to_micros(start + from_now));
        exec("INSERT INTO stopped_task VALUES (1, 1, 2, " + line + ", 'task disabled')");
        host.spawn(next.run());
        host.spawn(stopped.run());
    }
    ~fixture() { stage.end(); }

    std::string reason(int id) { return text("SELECT reason FROM execution WHERE id = " + std::to_string(id)); }
    auto stops() { return number("SELECT COUNT(*) FROM stopped_task"); }
};

} // namespace

TEST_CASE("the executions of a disabled task that were not sent are cancelled behind its line, with the reason")
{
    fixture f(5s);
    f.stopped.all_loaded();
    f.pass(5500ms);
    CHECK(f.is_open(1));
    f.pass(2s);
    for (auto const id : {1, 2, 3}) {
        CHECK(f.state(id) == "cancelled");
        CHECK(f.reason(id) == "task disabled");
        CHECK_FALSE(f.is_open(id));
    }
}

TEST_CASE("an execution of a disabled task that was sent stays, between its attempts too, and so does one of a later "
          "version")
{
    fixture f;
    f.open.move(f.one(1), phase::held, "client-1");
    f.one(2).begun = true;
    auto later = std::make_shared<known_task>(*f.one(3).task);
    later->version = 2;
    f.one(3).task = later;
    f.stopped.all_loaded();
    f.pass(5s);
    for (auto const id : {1, 2, 3})
        CHECK(f.state(id) == "planned");
}

TEST_CASE("the stops of the last seconds are unknown while the database does not answer")
{
    fixture f;
    f.stopped.all_loaded();
    f.pass(5s);
    CHECK_FALSE(f.stopped.is_behind());
    f.stage.database.crash_for(4s);
    f.pass(3s);
    CHECK(f.stopped.is_behind());
    f.pass(3s);
    CHECK_FALSE(f.stopped.is_behind());
}

TEST_CASE("the stops that came during a long take-over are unknown while it lasts, and when it ends")
{
    fixture f;
    f.stage.play(f.stopped.read());
    CHECK_FALSE(f.stopped.is_behind());
    f.pass(4500ms);
    CHECK(f.stopped.is_behind());
    f.stopped.all_loaded();
    CHECK(f.stopped.is_behind());
    f.pass(2s);
    CHECK_FALSE(f.stopped.is_behind());
}

TEST_CASE("a run by hand that waits is cancelled too, but no shard and nothing that a client has had")
{
    fixture f;
    f.one(1).begun = true;
    f.one(2).parent = execution_id{9};
    f.exec("UPDATE execution SET cause = 'manual', run_key = id WHERE id = 3");
    f.open.erase(execution_id{3});
    f.load();
    REQUIRE_FALSE(f.one(3).scheduled);
    f.stopped.all_loaded();
    f.pass(5s);
    CHECK(f.state(1) == "planned");
    CHECK(f.state(2) == "planned");
    CHECK(f.state(3) == "cancelled");
}

TEST_CASE("nothing is cancelled before the open executions of earlier terms are known")
{
    fixture f;
    f.pass(5s);
    CHECK(f.state(1) == "planned");
    f.stopped.all_loaded();
    f.pass(2s);
    CHECK(f.state(1) == "cancelled");
}

TEST_CASE("a stop is kept for a minute, because an execution may come into memory later")
{
    fixture f;
    f.stopped.all_loaded();
    f.pass(30s);
    CHECK(f.stops() == 1);
    f.add_execution(4, 1);
    f.load();
    f.pass(2s);
    CHECK(f.state(4) == "cancelled");
    f.pass(40s);
    CHECK(f.stops() == 0);
}

TEST_CASE("a stop behind more others than one round reads is carried out by the next round")
{
    fixture f(5s);
    f.exec("INSERT INTO stopped_task WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) "
           "SELECT i, 1, 2, " +
           std::to_string(to_micros(f.start)) + ", 'task disabled' FROM n");
    f.stopped.all_loaded();
    f.pass(9s);
    CHECK(f.state(1) == "cancelled");
}

TEST_CASE("an execution in doubt that no client has is cancelled if its task was stopped before this term")
{
    fixture f;
    f.pass(1100ms);
    f.stage.play(f.stopped.read());
    f.open.move(f.one(1), phase::in_doubt);
    CHECK(f.stopped.cancel_if_stopped(f.one(1)));
    f.pass(100ms);
    CHECK(f.state(1) == "cancelled");
    CHECK(f.reason(1) == "task disabled");
}

TEST_CASE("one that has begun is not cancelled, and neither is one before the line of the stop or of a later version")
{
    fixture f(1h);
    f.stage.play(f.stopped.read());
    CHECK_FALSE(f.stopped.cancel_if_stopped(f.one(1)));
    fixture other;
    other.pass(1100ms);
    other.stage.play(other.stopped.read());
    other.one(2).begun = true;
    CHECK_FALSE(other.stopped.cancel_if_stopped(other.one(2)));
    auto later = std::make_shared<known_task>(*other.one(3).task);
    later->version = 2;
    other.one(3).task = later;
    CHECK_FALSE(other.stopped.cancel_if_stopped(other.one(3)));
}

} // namespace stopped_tasks_test
