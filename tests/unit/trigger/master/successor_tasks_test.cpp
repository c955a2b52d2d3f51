#include "tests/unit/trigger/master/term_stage.hpp"
#include "trigger/master/successor_tasks.hpp"

#include <catch2/catch.hpp>

namespace successor_tasks_test {

using namespace baton;
using namespace baton::trigger;

namespace {

// Task 2 runs after task 1, and task 3 after task 2.
struct fixture : test::term_stage {
    successor_tasks following{{}, scope(), book, ids};

    fixture()
    {
        add_task(1);
        add_task(2, {{"schedule", {{"kind", "after"}, {"task", "t1"}}}, {"limits", {{"start_within_ms", 5000}}}});
        add_task(3, {{"schedule", {{"kind", "after"}, {"task", "t2"}}}});
        exec("INSERT INTO task_parent (task_id, parent_id) VALUES (2, 1)");
        exec("INSERT INTO task_parent (task_id, parent_id) VALUES (3, 2)");
    }
    ~fixture() { stage.end(); }

    // A firing of task 1 that has not been followed.
    void plan(int id)
    {
        add_execution(id, 1);
        exec("INSERT INTO settle (execution_id, namespace, task_id, scheduled_at) SELECT id, 1, task_id, scheduled_at "
             "FROM execution WHERE id = " +
             std::to_string(id));
    }
    void run() { host.spawn(following.run()); }
    void end(std::string const& which, std::string const& outcome = "succeeded")
    {
        exec("UPDATE execution SET state = '" + outcome +
             "', due_at = NULL, ended_at = " + std::to_string(to_micros(stage.database.utc())) + " WHERE " + which);
    }
    std::int64_t runs_of(int task)
    {
        return number("SELECT COUNT(*) FROM execution WHERE task_id = " + std::to_string(task));
    }
    std::vector<open_execution const*> in_memory()
    {
        std::vector<open_execution const*> found;
        open.each([&](open_execution& one) { found.push_back(&one); });
        return found;
    }
};

} // namespace

TEST_CASE("a task runs after the success of its parent, for the same time, and not after a failure")
{
    fixture f;
    f.plan(1);
    f.plan(2);
    f.plan(3);
    f.run();
    f.pass(2s);
    CHECK(f.runs_of(2) == 0);
    f.end("id = 1");
    f.end("id = 2", "failed");
    f.pass(2s);
    CHECK(f.runs_of(2) == 1);
    CHECK(f.number("SELECT scheduled_at FROM execution WHERE task_id = 2") == to_micros(f.start) + 1);
    CHECK(f.number("SELECT run_key FROM execution WHERE task_id = 2") == 0);
    auto const open = f.in_memory();
    REQUIRE(open.size() == 1);
    CHECK(open.front()->due_at >= f.start + 2s);
    CHECK(open.front()->since_due == open.front()->due_at); // from which its time limits count
    CHECK(f.number("SELECT COUNT(*) FROM settle WHERE task_id = 1") == 1);
}

TEST_CASE("a chain of tasks runs to its end, each one once")
{
    fixture f;
    f.plan(1);
    f.end("id = 1");
    f.run();
    f.pass(2s);
    CHECK(f.runs_of(2) == 1);
    CHECK(f.runs_of(3) == 0);
    f.end("task_id = 2");
    f.pass(2s);
    CHECK(f.runs_of(3) == 1);
    f.end("task_id = 3");
    f.pass(2s);
    CHECK(f.runs_of(2) == 1);
    CHECK(f.runs_of(3) == 1);
    CHECK(f.number("SELECT COUNT(*) FROM settle") == 0);
}

TEST_CASE("a child that a former master has started runs once, although its parent is still to be followed")
{
    fixture f;
    f.plan(1);
    f.end("id = 1");
    f.add_execution(7, 2);
    f.exec("UPDATE execution SET scheduled_at = (SELECT scheduled_at FROM execution WHERE id = 1) WHERE id = 7");
    f.run();
    f.pass(2s);
    CHECK(f.runs_of(2) == 1);
    CHECK(f.in_memory().empty());
    CHECK(f.number("SELECT COUNT(*) FROM settle WHERE task_id = 1") == 0);
}

TEST_CASE("two runs of one firing that have succeeded start its child once")
{
    fixture f;
    for (int const id : {1, 2, 3}) {
        f.plan(id);
        f.exec("UPDATE execution SET scheduled_at = 77, run_key = id WHERE id = " + std::to_string(id));
        f.exec("UPDATE settle SET scheduled_at = 77 WHERE execution_id = " + std::to_string(id));
    }
    f.end("id <> 2");
    f.run();
    f.pass(2s);
    CHECK(f.runs_of(2) == 1);
    f.end("id = 2");
    f.pass(2s);
    CHECK(f.runs_of(2) == 1);
    CHECK(f.in_memory().size() == 1);
    CHECK(f.number("SELECT COUNT(*) FROM settle WHERE task_id = 1") == 0);
}

} // namespace successor_tasks_test
