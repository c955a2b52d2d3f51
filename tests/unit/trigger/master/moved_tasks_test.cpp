// The concurrency limit of a task that an edit gave to another service.

#include "tests/unit/trigger/master/assigner_stage.hpp"

#include <catch2/catch.hpp>

namespace moved_tasks_test {

using namespace baton;
using namespace baton::trigger;

namespace {

nlohmann::json limited(int limit, char const* when_full = "wait", nlohmann::json more = nlohmann::json::object())
{
    more["limit"] = limit;
    more["when_full"] = when_full;
    return {{"concurrency", more}};
}

// A node whose client takes everything, and a task with a limit.
struct fixture : test::assigner_stage {
    explicit fixture(nlohmann::json const& task)
    {
        add_task(2, task);
        firing->hear("n1", room(100, 100));
    }
    std::vector<execution_id> sent() { return all_at("n1"); }
    // An edit of the task.
    void move_to(std::string const& service)
    {
        exec("INSERT INTO task_version (task_id, version, action, valid_from, definition, created_at) SELECT task_id, "
             "2, "
             "'edited', 2, REPLACE(definition, '\"service\":\"s\"', '\"service\":\"" +
             service + "\"'), 2 FROM task_version WHERE task_id = 2");
        limits.edited(book.get(task_id{2}, 2, text("SELECT definition FROM task_version WHERE version = 2"), {}));
    }
    void fire_version_2(int id)
    {
        add_execution(id, 2);
        exec("UPDATE execution SET task_version = 2 WHERE id = " + std::to_string(id));
        load();
        due_changed.wake();
    }
    void end(int id)
    {
        exec("UPDATE execution SET state = 'succeeded', due_at = NULL WHERE id = " + std::to_string(id));
        ended.ended(execution_id{id});
        pass(50ms);
    }
};

std::vector<execution_id> ids(std::initializer_list<int> numbers)
{
    std::vector<execution_id> out;
    for (auto const id : numbers)
        out.push_back(execution_id{id});
    return out;
}

} // namespace

TEST_CASE("what waits for a client of a former service keeps no place from executions of the present one")
{
    for (auto const* when_full : {"wait", "skip"}) {
        CAPTURE(when_full);
        fixture f(limited(1, when_full));
        f.firing->hear("n1", f.room(0, 0, 2));
        f.firing->hear("n1", f.room(100, 100, 1, "another"));
        f.fire({1}, 2);
        if (std::string_view(when_full) == "wait")
            f.fire({2, 3}, 2);
        f.pass(200ms);
        REQUIRE(f.sent().empty());
        f.move_to("another");
        f.fire_version_2(4);
        f.pass(500ms);
        CHECK(f.sent() == ids({4}));

        f.firing->hear("n1", f.room(100, 100, 3));
        f.pass(200ms);
        if (std::string_view(when_full) == "skip") {
            CHECK(f.state(1) == "skipped");
            continue;
        }
        CHECK(f.sent() == ids({4})); // it runs
        f.end(4);
        CHECK(f.sent() == ids({4, 1}));
        f.end(1);
        f.pass(200ms);
        CHECK(f.sent() == ids({4, 1, 2}));
    }
}

TEST_CASE("an execution that left its place to one of the present service goes when a client has room for it first")
{
    fixture f(limited(1));
    f.firing->hear("n1", f.room(0, 0, 2));
    f.fire({1, 2}, 2);
    f.pass(200ms);
    f.move_to("another");
    f.fire_version_2(4);
    f.pass(500ms);
    CHECK(f.sent().empty());
    f.firing->hear("n1", f.room(100, 100, 3));
    f.pass(200ms);
    CHECK(f.sent() == ids({1}));
    f.firing->hear("n1", f.room(100, 100, 1, "another"));
    f.pass(200ms);
    CHECK(f.sent() == ids({1})); // it runs
    f.end(1);
    f.pass(200ms);
    CHECK(f.sent().size() == 2);
}

TEST_CASE("a holder that waits for a client of the present service does not block executions of a former one")
{
    char const* const ahead = GENERATE("by force", "of a higher priority");
    CAPTURE(ahead);
    fixture f(limited(1));
    f.fire({1, 2, 3}, 2);
    f.pass(200ms);
    REQUIRE(f.sent() == ids({1}));
    f.move_to("another");
    f.add_execution(4, 2);
    f.exec("UPDATE execution SET task_version = 2 WHERE id = 4");
    if (std::string_view(ahead) == "by force")
        f.exec("UPDATE execution SET cause = 'forced', run_key = id WHERE id = 4");
    else
        f.exec("UPDATE execution SET scheduled_at = scheduled_at - 1000000 WHERE id = 4");
    f.load();
    f.due_changed.wake();
    f.pass(500ms);
    CHECK(f.sent() == ids({1}));
    f.end(1);
    f.pass(500ms);
    CHECK(f.sent() == ids({1, 2}));
    f.end(2);
    f.pass(500ms);
    CHECK(f.sent() == ids({1, 2, 3}));
    f.firing->hear("n1", f.room(100, 100, 3, "another"));
    f.pass(500ms);
    f.end(3);
    f.pass(500ms);
    CHECK(f.is_open(4));
    CHECK(f.sent().size() == 4);
}

TEST_CASE("such a holder does not block executions of a former service behind a hundred others")
{
    fixture f(limited(1));
    f.fire({1, 2}, 2);
    f.pass(200ms);
    f.move_to("another");
    for (int id = 10; id < 160; ++id)
        f.add_execution(id, 2);
    f.exec("UPDATE execution SET task_version = 2, scheduled_at = scheduled_at - 1000000 WHERE id >= 10");
    f.load();
    f.due_changed.wake();
    f.pass(500ms);
    f.end(1);
    f.pass(1s);
    CHECK(f.sent() == ids({1, 2}));
}

TEST_CASE("an execution that left the line to wait for its client is not skipped when the line has filled up")
{
    fixture f(limited(1, "wait", {{"queue", 2}}));
    f.fire({1, 2, 3}, 2);
    f.pass(200ms);
    REQUIRE(f.sent() == ids({1}));
    f.firing->hear("n1", f.room(0, 0, 2));
    f.move_to("another");
    f.add_execution(4, 2);
    f.exec("UPDATE execution SET task_version = 2, cause = 'forced', run_key = id WHERE id = 4");
    f.load();
    f.due_changed.wake();
    f.pass(500ms);
    f.fire_version_2(5);
    f.fire_version_2(6);
    f.pass(500ms);
    f.firing->hear("n1", f.room(100, 100, 3));
    f.pass(500ms);
    CHECK(f.is_open(2));
    CHECK(f.is_open(3));
    f.end(1);
    f.pass(500ms);
    CHECK(f.sent() == ids({1, 2}));
    f.end(2);
    f.pass(500ms);
    CHECK(f.sent() == ids({1, 2, 3}));
}

TEST_CASE("the shards of a moved task's broadcast ask for no place under its limit")
{
    auto task = limited(1);
    task["routing"] = "broadcast";
    fixture f(task);
    f.move_to("another");
    f.fire({1}, 2);
    f.pass(100ms);
    f.one(1).displaced = true;
    f.one(1).parent = execution_id{9};
    CHECK(f.limits.start(f.one(1)));
}

} // namespace moved_tasks_test
