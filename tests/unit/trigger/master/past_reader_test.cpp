#include "tests/unit/trigger/master/assigner_stage.hpp"

#include <catch2/catch.hpp>

namespace past_reader_test {

using namespace baton;
using namespace baton::trigger;

namespace {

// Task 2 asks for both, task 1 for nothing.
struct fixture : test::assigner_stage {
    fixture()
    {
        firing->hear("n1", room(100, 100));
        add_task(2, {{"context", {"previous", "last_success"}}, {"concurrency", {{"limit", 1}}}});
    }
    std::vector<execution_id> sent() { return all_at("n1"); }
    void end(int id, std::string const& state)
    {
        exec("UPDATE execution SET state = '" + state +
             "', due_at = NULL, started_at = 3, ended_at = 4 WHERE id = " + std::to_string(id));
        ended.ended(execution_id{id});
        pass(100ms);
    }
};

} // namespace

TEST_CASE("an execution whose task asks for it is sent with the execution before and the last success")
{
    fixture f;
    f.fire({1}, 2);
    f.pass(100ms);
    REQUIRE(f.sent().size() == 1);
    CHECK(make_assignment(f.one(1)).work.previous == protocol::past_execution{});
    f.end(1, "succeeded");
    f.fire({2}, 2);
    f.pass(100ms);
    f.end(2, "failed");
    f.fire({3}, 2);
    f.pass(100ms);
    auto const work = make_assignment(f.one(3)).work;
    CHECK(work.previous.execution == execution_id{2});
    CHECK(work.previous.state == protocol::state::failed);
    CHECK(work.previous.ended_at == 4);
    CHECK(work.last_success.execution == execution_id{1});
}

TEST_CASE("an execution that waits for its turn is told of the one before as that has ended")
{
    fixture f;
    f.fire({1, 2}, 2);
    f.pass(500ms);
    REQUIRE(f.sent().size() == 1);
    f.end(1, "succeeded");
    REQUIRE(f.sent().size() == 2);
    CHECK(make_assignment(f.one(2)).work.previous.state == protocol::state::succeeded);
}

TEST_CASE("a further attempt is told anew, and a task that does not ask is told nothing")
{
    fixture f;
    f.fire({1}, 1);
    f.fire({2}, 2);
    f.pass(100ms);
    CHECK(f.one(1).past == nullptr);
    CHECK(f.one(2).past_attempt == 1);
    f.one(2).attempt = 2;
    f.open.wait(f.one(2), f.start);
    f.due_changed.wake();
    f.pass(100ms);
    CHECK(f.one(2).past_attempt == 2);
    CHECK(f.sent().size() == 3);
}

TEST_CASE("an execution keeps its turn while its context is read, though another is forced beside it")
{
    fixture f;
    f.add_task(3, {{"context", {"previous"}}, {"concurrency", {{"limit", 1}, {"when_full", "skip"}}}});
    f.add_execution(1, 3);
    f.add_execution(2, 3);
    f.exec("UPDATE execution SET cause = 'forced', run_key = id WHERE id = 2");
    f.load();
    f.due_changed.wake();
    f.pass(100ms);
    CHECK(f.state(1) == "planned");
    CHECK(f.sent().size() == 2);
}

} // namespace past_reader_test
