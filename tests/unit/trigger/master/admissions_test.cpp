#include "tests/unit/trigger/master/assigner_stage.hpp"

#include <catch2/catch.hpp>

namespace admissions_test {

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

TEST_CASE("a task's executions go out one after the other when its limit is one")
{
    fixture f(limited(1));
    f.fire({1, 2, 3}, 2);
    f.pass(100ms);
    CHECK(f.sent() == ids({1}));
    f.end(1);
    CHECK(f.sent() == ids({1, 2}));
    f.end(2);
    CHECK(f.sent() == ids({1, 2, 3}));
}

TEST_CASE("an execution that waits for over a second is marked in the ledger, and unmarked before it is sent")
{
    fixture f(limited(1));
    f.fire({1, 2}, 2);
    f.pass(900ms);
    CHECK(f.state(2) == "planned");
    f.pass(300ms);
    CHECK(f.state(2) == "waiting");
    CHECK(f.state(1) == "planned");
    f.end(1);
    CHECK(f.state(2) == "planned");
    CHECK(f.sent() == ids({1, 2}));
}

TEST_CASE("an execution that is due while the limit is reached is skipped, if that is the policy")
{
    fixture f(limited(1, "skip"));
    f.fire({1, 2}, 2);
    f.pass(500ms);
    CHECK(f.state(2) == "skipped");
    CHECK(f.text("SELECT reason FROM execution WHERE id = 2") ==
          "as many executions as may be under way at a time (1) were");
    CHECK_FALSE(f.is_open(2));
    CHECK(f.sent() == ids({1}));
}

TEST_CASE("a replaced execution is asked to end with the reason, and the new one begins after it")
{
    fixture f(limited(1, "replace"));
    f.fire({1}, 2);
    f.pass(100ms);
    f.fire({2}, 2);
    f.pass(100ms);
    f.fire({3}, 2);
    f.pass(500ms);
    CHECK(f.one(1).cancel_requested);
    CHECK(f.number("SELECT cancel_requested_at FROM execution WHERE id = 1") > 0);
    CHECK(f.text("SELECT reason FROM execution WHERE id = 1") == "a newer execution took its place");
    CHECK(f.state(2) == "skipped");
    CHECK(f.sent() == ids({1}));
    f.end(1);
    CHECK(f.sent() == ids({1, 3}));
}

TEST_CASE("an execution that was under way before this term keeps others back, and so does one in doubt")
{
    fixture f(limited(1));
    f.add_execution(1, 2);
    f.load();
    f.put_in_doubt({1});
    f.fire({2}, 2);
    f.pass(100ms);
    CHECK(f.sent().empty());
    f.end(1);
    CHECK(f.sent() == ids({2}));
}

TEST_CASE("of executions in doubt that no client has, one goes out at a time, in the order in which they were due")
{
    fixture f(limited(1));
    for (int const id : {1, 2, 3})
        f.add_execution(id, 2);
    f.load();
    f.put_in_doubt({1, 2, 3});
    f.find_absent({1, 2, 3});
    f.pass(500ms);
    CHECK(f.sent() == ids({1}));
    f.end(1);
    CHECK(f.sent() == ids({1, 2}));
    f.end(2);
    CHECK(f.sent() == ids({1, 2, 3}));
}

TEST_CASE("a limit that an edit changed holds for executions that had not asked for a place before")
{
    fixture f(limited(1));
    for (int id = 1; id <= 4; ++id)
        f.add_execution(id, 2);
    f.exec("UPDATE execution SET due_at = due_at + 3000000, scheduled_at = scheduled_at + 3000000");
    f.load();
    CHECK(f.limits.limits(task_id{2}));
    CHECK_FALSE(f.limits.limits(task_id{1}));
    auto const to_three = f.text("SELECT REPLACE(definition, '\"limit\":1', '\"limit\":3') FROM task WHERE id = 2");
    SECTION("while this master led")
    {
        f.limits.edited(f.book.get(task_id{2}, 2, to_three, std::nullopt));
    }
    SECTION("under a former master")
    {
        f.exec("UPDATE task SET version = 2, definition = '" + to_three + "' WHERE id = 2");
        f.host.spawn(f.limits.read_edits([&](storage::defined_task const& task) {
            f.limits.edited(f.book.get(task.id, task.version, task.definition, std::nullopt));
        }));
        f.pass(100ms);
    }
    f.pass(3s);
    CHECK(f.sent() == ids({1, 2, 3}));
}

TEST_CASE("a run that is read late is admitted by the limit of an edit that came before")
{
    fixture f(limited(1));
    f.host.spawn(f.limits.read_edits([&](storage::defined_task const& task) {
        f.limits.edited(f.book.get(task.id, task.version, task.definition, std::nullopt));
    }));
    f.pass(100ms);
    for (int id = 1; id <= 4; ++id)
        f.add_execution(id, 2);
    f.exec("UPDATE execution SET cause = 'manual', run_key = id");
    f.load();
    f.exec("UPDATE task SET version = 2, definition = REPLACE(definition, '\"limit\":1', '\"limit\":3') WHERE id = 2");
    f.pass(500ms);
    CHECK(f.sent() == ids({1, 2, 3}));
}

TEST_CASE("a new master reads the limits of a task whose executions are all in doubt")
{
    fixture f(limited(1));
    for (int id = 1; id <= 4; ++id)
        f.add_execution(id, 2);
    f.load();
    f.put_in_doubt({1, 2, 3, 4});
    CHECK(f.open.next_waiting_task(task_id{}) == std::nullopt);
    std::vector<task_id> read;
    f.host.spawn(f.limits.read_edits([&](storage::defined_task const& task) { read.push_back(task.id); }));
    f.pass(100ms);
    CHECK(read == std::vector{task_id{2}});
}

TEST_CASE("a place that becomes free sends no execution that is not due yet, and none that pauses")
{
    fixture f(limited(1));
    for (int const id : {1, 2})
        f.add_execution(id, 2);
    f.load();
    auto const later = f.clock.now() + 3s;
    if (GENERATE(true, false))
        f.one(2).due_at = later; // planned ahead
    f.put_in_doubt({1, 2});
    f.limits.absent(f.one(2));
    f.next.open(f.one(2), later, protocol::attempt_cause::take_over);
    f.pass(500ms);
    f.end(1);
    f.pass(1s);
    CHECK(f.sent().empty());
    f.pass(2s);
    CHECK(f.sent() == ids({2}));
}

TEST_CASE("an execution in doubt that no client has waits behind one that a former master kept back, and is marked")
{
    fixture f(limited(1));
    for (int const id : {1, 2, 3})
        f.add_execution(id, 2);
    f.exec("UPDATE execution SET state = 'waiting' WHERE id = 2");
    f.load();
    f.put_in_doubt({1, 3});
    f.due_changed.wake();
    f.pass(100ms);
    f.find_absent({3});
    f.pass(1500ms);
    CHECK(f.state(3) == "waiting");
    f.end(1);
    CHECK(f.sent() == ids({2}));
    f.end(2);
    CHECK(f.sent() == ids({2, 3}));
}

TEST_CASE("of executions in doubt that no client has, only the newest goes out where it takes over, and it goes")
{
    fixture f(limited(1, "replace"));
    for (int const id : {1, 2})
        f.add_execution(id, 2);
    f.load();
    f.put_in_doubt({1, 2});
    f.find_absent({1, 2});
    f.pass(500ms);
    CHECK(f.sent() == ids({2}));
    CHECK(f.state(1) == "skipped"); // it has not begun
    CHECK(f.text("SELECT reason FROM execution WHERE id = 1") == "a newer execution took its place");
}

TEST_CASE("an execution that has begun and waits for its next attempt is cancelled and not skipped when a newer one "
          "takes its "
          "place")
{
    fixture f(limited(1, "replace"));
    f.fire({1}, 2);
    f.pass(100ms);
    f.add_execution(2, 2);
    f.load();
    f.one(2).begun = true;
    f.put_in_doubt({2});
    f.find_absent({2});
    f.pass(100ms);
    f.fire({3}, 2);
    f.pass(500ms);
    REQUIRE(f.is_open(2));
    CHECK(f.one(2).cancel_requested);
    CHECK(f.text("SELECT reason FROM execution WHERE id = 2") == "a newer execution took its place");
    f.end(1);
    CHECK(f.sent() == ids({1, 3}));
}

TEST_CASE("next attempts that a former master left go out one at a time")
{
    fixture f(limited(1));
    f.add_execution(1, 2);
    f.add_execution(2, 2);
    f.exec("UPDATE execution SET attempt = 2 WHERE id IN (1, 2)");
    f.load();
    for (int const id : {1, 2}) {
        f.limits.under_way(f.one(id));
        f.open.wait(f.one(id), f.clock.now());
    }
    f.due_changed.wake();
    f.pass(500ms);
    REQUIRE(f.sent().size() == 1);
    f.end(static_cast<int>(f.sent()[0].value()));
    CHECK(f.sent().size() == 2);
}

TEST_CASE("an execution that a former master kept back is not late because it waited")
{
    fixture f(limited(1, "wait"));
    f.fire({1}, 2);
    f.pass(100ms);
    f.add_execution(2, 2);
    f.add_execution(3, 2);
    f.exec("UPDATE execution SET state = 'waiting', scheduled_at = scheduled_at - 7200000000 WHERE id IN (2, 3)");
    f.load();
    f.due_changed.wake();
    f.pass(100ms);
    f.end(1);
    CHECK(f.state(2) == "planned");
    CHECK(f.sent() == ids({1, 2}));
    f.end(2);
    CHECK(f.sent() == ids({1, 2, 3}));
}

TEST_CASE("an execution that a former master kept back loses its mark before it is sent, though its limit is gone")
{
    fixture f(nlohmann::json::object());
    f.add_execution(1, 2);
    f.exec("UPDATE execution SET state = 'waiting' WHERE id = 1");
    f.load();
    f.due_changed.wake();
    f.pass(100ms);
    CHECK(f.sent() == ids({1}));
    CHECK(f.state(1) == "planned"); // the result of one that waits is not recorded
}

TEST_CASE("a run by force goes out beside the execution that fills the limit, and only it")
{
    fixture f(limited(1, "skip"));
    f.fire({1}, 2);
    f.pass(100ms);
    f.add_execution(2, 2);
    f.add_execution(3, 2);
    f.exec("UPDATE execution SET cause = 'forced', run_key = id WHERE id = 2");
    f.exec("UPDATE execution SET cause = 'manual', run_key = id WHERE id = 3");
    f.load();
    f.due_changed.wake();
    f.pass(100ms);
    CHECK(f.sent() == ids({1, 2}));
    CHECK(f.state(3) == "skipped");
}

TEST_CASE("a run by force waits for a handler that has not returned")
{
    fixture f(limited(1));
    f.fire({1}, 2);
    f.pass(100ms);
    f.limits.runs_on(execution_id{1});
    f.add_execution(2, 2);
    f.exec("UPDATE execution SET cause = 'forced', run_key = id WHERE id = 2");
    f.load();
    f.due_changed.wake();
    f.pass(1500ms);
    CHECK(f.sent() == ids({1}));
    CHECK(f.state(2) == "waiting");
    f.end(1);
    CHECK(f.sent() == ids({1, 2}));
}

} // namespace admissions_test
