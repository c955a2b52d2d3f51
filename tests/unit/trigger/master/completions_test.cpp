#include "tests/unit/trigger/master/completions_stage.hpp"

#include <catch2/catch.hpp>

namespace completions_test {

using namespace baton;
using namespace baton::trigger;
using protocol::state;
using test::fixed_delay;

namespace {

struct fixture : test::completions_stage {
    // Task 1, whose fixed delay waits for the end of execution 1.
    void run_delayed()
    {
        add_task(1, fixed_delay);
        add_execution(1, 1);
        exec("UPDATE task SET waiting_for = 1 WHERE id = 1");
        run();
        pass(1s);
    }
    std::int64_t next_firing() { return number("SELECT COALESCE(next_fire_at, 0) FROM task WHERE id = 1"); }
};

} // namespace

TEST_CASE("a failure with attempts left opens the next one, and any other end is the end")
{
    fixture f;
    f.add_task(1, {{"retry_delay_ms", 3000}});
    f.add_execution(1, 1, 2);
    f.add_execution(2, 1, 1);
    f.add_execution(3, 1, 2);
    f.add_execution(4, 1, 2);
    f.run();
    f.following.finished({execution_id{1}, 1, state::failed});
    f.following.finished({execution_id{2}, 1, state::failed});
    f.following.finished({execution_id{3}, 1, state::succeeded});
    f.following.finished({execution_id{4}, 1, state::failed, 0, true}); // final
    f.pass(1s);
    CHECK(f.one(1).attempt == 2);
    CHECK(f.one(1).due_at >= f.start + 3s);
    CHECK_FALSE(f.is_open(2));
    CHECK_FALSE(f.is_open(3));
    CHECK_FALSE(f.is_open(4));
}

TEST_CASE("an interrupted execution goes out at once as an attempt that its task does not count, and later each time")
{
    fixture f;
    f.add_task(1, {{"retry_delay_ms", 3'600'000}});
    f.add_execution(1, 1, 1);
    f.run();
    auto const interrupt = [&](int attempt) {
        f.following.finished({execution_id{1}, attempt, state::failed, 0, false, true});
        f.pass(100ms);
    };
    interrupt(1);
    CHECK(f.one(1).attempt == 2);
    CHECK(f.one(1).max_attempts == 2);
    CHECK(f.one(1).deaths == 0);
    CHECK(f.one(1).begun);
    CHECK(f.one(1).due_at <= f.clock.now());
    auto const second = f.clock.now();
    interrupt(2);
    CHECK(f.one(1).attempt == 3);
    CHECK(f.one(1).due_at >= second + 1s);
    f.following.finished({execution_id{1}, 3, state::failed});
    f.pass(100ms);
    CHECK_FALSE(f.is_open(1));
}

TEST_CASE("an interruption ends an execution that may not be started twice")
{
    fixture f;
    SECTION("by its deaths")
    {
        f.add_task(1, {{"max_deaths", 1}});
    }
    SECTION("by its final errors")
    {
        f.add_task(1, {{"retry", {{"final_errors", {"interrupted"}}}}});
    }
    f.add_execution(1, 1, 3);
    f.run();
    CHECK(make_assignment(f.one(1)).work.final_errors == std::vector<std::string>{"interrupted"});
    f.following.finished({execution_id{1}, 1, state::failed, 0, false, true});
    f.pass(1s);
    CHECK(f.text("SELECT state FROM execution WHERE id = 1") == "failed");
    CHECK_FALSE(f.is_open(1));
}

TEST_CASE("the success of an attempt that was given up ends the execution, and its failure changes nothing")
{
    fixture f;
    f.add_task(1);
    f.add_execution(1, 1, 3);
    f.run();
    f.one(1).attempt = 2;
    f.following.finished({execution_id{1}, 1, state::failed});
    REQUIRE(f.is_open(1));
    CHECK(f.one(1).phase == phase::waiting);
    f.following.finished({execution_id{1}, 1, state::succeeded});
    CHECK_FALSE(f.is_open(1));
}

TEST_CASE("an execution that an earlier attempt has done is told of if a client runs the present one")
{
    fixture f;
    f.add_task(1);
    f.add_execution(1, 1, 3);
    f.add_execution(2, 1, 3);
    f.run();
    std::vector<storage::unresponsive_attempt> outlived;
    f.following.on_outlived([&](auto one) { outlived.push_back(std::move(one)); });
    for (int const id : {1, 2}) {
        f.one(id).attempt = 2;
        f.open.move(f.one(id), phase::held, "c");
    }
    f.open.move(f.one(2), phase::runs_earlier, "c");
    f.one(2).earlier_attempt = 1; // which has succeeded: it runs no more
    for (int const id : {1, 2})
        f.following.finished({execution_id{id}, 1, state::succeeded});
    CHECK_FALSE(f.is_open(1));
    CHECK_FALSE(f.is_open(2));
    REQUIRE(outlived.size() == 1);
    CHECK(outlived[0].id == execution_id{1});
    CHECK(outlived[0].attempt == 2);
    CHECK(outlived[0].client == "c");
}

TEST_CASE("a fixed delay passes by the boot clock while cluster time stands still, because its clock was set back")
{
    fixture f;
    f.run_delayed();
    auto const step = [&f] {
        f.stage.database.step_clock(-90s);
        f.host.time().step_wall(-90s);
    };
    SECTION("of an execution that ends after the step")
    {
        step();
        f.pass(1s);
        f.end(1);
    }
    SECTION("of one that ended before it")
    {
        f.commit("1");
        step();
    }
    f.pass(9s);
    CHECK(f.next_firing() == 0);
    f.pass(2s);
    CHECK(f.next_firing() != 0);
    CHECK(f.next_firing() <= to_micros(f.clock.now()));
}

TEST_CASE("a fixed delay passes by cluster time while that has not followed a step of the database's clock")
{
    fixture f;
    f.run_delayed();
    bool const hinted = GENERATE(true, false);
    duration const by = GENERATE(duration{-300ms}, duration{-3s}, duration{-12s});
    f.stage.database.step_clock(by);
    auto const ended = to_micros(f.clock.now());
    if (hinted)
        f.end(1);
    else
        f.commit("1");
    f.pass(2s);
    auto const next = f.next_firing();
    CHECK(next >= ended + 10'000'000 - 50'000);
    CHECK(next <= ended + 10'000'000 + 50'000);
}

TEST_CASE("a fixed delay keeps its pause when the database's clock is set back while cluster time stands still")
{
    fixture f;
    f.run_delayed();
    f.stage.database.step_clock(-90s);
    f.host.time().step_wall(-90s); // cluster time has followed
    f.pass(1s);
    f.stage.database.step_clock(-12s); // and will
    f.end(1);
    f.pass(9s);
    CHECK(f.next_firing() == 0);
    f.pass(2s);
    CHECK(f.next_firing() != 0);
}

TEST_CASE("a fixed delay is not planned again after the last run of its maximum")
{
    fixture f;
    auto const limited = [](int most) -> nlohmann::json {
        return {{"schedule", {{"kind", "fixed_delay"}, {"every_ms", 10'000}, {"max_firings", most}}}};
    };
    f.add_task(1, limited(2));
    f.add_task(2, limited(3));
    f.exec("UPDATE task SET firings = 2, waiting_for = id");
    f.add_execution(1, 1);
    f.add_execution(2, 2);
    f.run();
    f.end(1);
    f.end(2);
    f.pass(1s);
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE id = 1 AND next_fire_at IS NULL") == 1);
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE id = 2 AND next_fire_at IS NOT NULL") == 1);
}

TEST_CASE("a task with a fixed delay fires next after the end, with and without a hint")
{
    bool const hinted = GENERATE(true, false);
    fixture f;
    f.add_task(1, fixed_delay);
    f.add_execution(1, 1);
    f.exec("UPDATE task SET waiting_for = 1");
    f.run();
    f.pass(5s);
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE next_fire_at IS NULL") == 1);
    auto const ended = f.stage.database.utc();
    if (hinted)
        f.end(1);
    else
        f.commit("1");
    f.pass(hinted ? 100ms : 2s);
    CHECK(f.number("SELECT next_fire_at FROM task") == to_micros(ended + 10s));
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE waiting_for IS NULL") == 1);
}

TEST_CASE("an end costs a look-up by its id, however many fixed-delay tasks wait")
{
    constexpr int many = 300;
    fixture f;
    for (int id = 1; id <= many; ++id) {
        f.add_task(id, fixed_delay);
        f.add_execution(id, id);
    }
    f.exec("UPDATE task SET waiting_for = id");
    f.run();
    f.pass(5s);
    for (int id = 1; id <= many; ++id)
        f.end(id);
    auto const before = f.stage.database.calls();
    f.pass(100ms);
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE waiting_for IS NOT NULL") == 0);
    CHECK(f.stage.database.calls() - before <= 4); // one question and one write for all, beside a look
}

TEST_CASE("the end of one execution does not lead to a look at the other fixed-delay tasks that wait")
{
    fixture f;
    for (int id : {1, 2}) {
        f.add_task(id, fixed_delay);
        f.add_execution(id, id);
    }
    f.exec("UPDATE task SET waiting_for = id");
    f.run();
    f.pass(5'300ms); // between two looks, which come once a second
    f.commit("2");   // without a hint
    f.end(1);
    f.pass(100ms);
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE id = 1 AND waiting_for IS NULL") == 1);
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE id = 2 AND waiting_for IS NULL") == 0);
    f.pass(2s);
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE id = 2 AND waiting_for IS NULL") == 1);
}

TEST_CASE("a fixed delay whose next firing the database refuses does not keep the others from theirs")
{
    fixture f;
    for (int id : {1, 2, 3}) {
        f.add_task(id, fixed_delay);
        f.add_execution(id, id);
    }
    f.exec("UPDATE task SET waiting_for = id");
    f.poison("UPDATE ON task WHEN OLD.id = 2 AND NEW.next_fire_at IS NOT NULL");
    f.run();
    f.pass(1s);
    for (int id : {1, 2, 3})
        f.end(id);
    f.pass(3s);
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE next_fire_at IS NOT NULL") == 2);
    f.exec("DROP TRIGGER poison");
    f.pass(3s);
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE next_fire_at IS NOT NULL") == 3);
}

} // namespace completions_test
