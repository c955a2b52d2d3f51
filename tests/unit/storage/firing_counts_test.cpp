#include "tests/unit/storage/tasks_fixture.hpp"

#include <catch2/catch.hpp>

namespace firing_counts_test {

using namespace baton;
using namespace baton::test;
using protocol::task_definition;
using storage::edit_action;
using storage::engine;

namespace {

struct stage : tasks_fixture {
    stage() : tasks_fixture(GENERATE(engine::mysql, engine::sqlite), 10s) {}

    storage::task_record create_limited(std::int64_t most)
    {
        auto task = definition("a");
        task.schedule.firing.max_firings = most;
        return create(std::move(task)).task;
    }
    // Plans two firings, the last ones that the task may have.
    void plan_last_two(storage::task_record const& task)
    {
        std::vector<storage::new_execution> rows;
        for (int i = 0; i < 2; ++i) {
            rows.push_back(firing(i + 1, 1, *task.next_fire_at + i * 1s));
            rows.back().task = task.id;
        }
        storage::advance step{task.id, task.version, *task.next_fire_at, std::nullopt, std::nullopt};
        step.state = storage::firing_state{std::nullopt, *task.next_fire_at + 2s, 2};
        CHECK(wait_for(ledger.plan(mine, {step}, rows)));
    }
    storage::task_record read(task_id id) { return wait_for(tasks.find(id)).value(); }
};

} // namespace

TEST_CASE("planning counts the firings of a task with a maximum, and keeps where it would go on")
{
    stage f;
    auto const task = f.create_limited(2);
    f.plan_last_two(task);
    auto const read = f.read(task.id);
    CHECK(read.firings == 2);
    CHECK_FALSE(read.next_fire_at);
    CHECK(read.resume_at == *task.next_fire_at + 2s);
}

TEST_CASE("a skipped firing is given back once, and the task fires again")
{
    stage f;
    auto const task = f.create_limited(2);
    f.plan_last_two(task);
    std::vector<execution_id> const skipped{execution_id{1}};
    CHECK(wait_for(f.ledger.skip(f.mine, skipped, "full")).first_again == *task.next_fire_at + 2s);
    CHECK(f.read(task.id).firings == 1);
    CHECK(f.read(task.id).next_fire_at == *task.next_fire_at + 2s);
    CHECK_FALSE(f.read(task.id).resume_at);
    CHECK_FALSE(wait_for(f.ledger.skip(f.mine, skipped, "full")).first_again);
    CHECK(f.read(task.id).firings == 1);
    CHECK(f.state(1) == "skipped");
}

TEST_CASE("a firing that was planned before the task had its maximum is not given back")
{
    stage f;
    auto const task = f.create(definition("a")).task;
    f.plan(task.id, 1, {*task.next_fire_at}, *task.next_fire_at + 1s);
    f.edit(task.id, 1, edit_action::edited, [](task_definition& t) { t.schedule.firing.max_firings = 5; });
    f.home.exec("UPDATE task SET firings = 3");
    CHECK_FALSE(wait_for(f.ledger.skip(f.mine, {execution_id{1}}, "full")).first_again);
    CHECK(f.read(task.id).firings == 3);
}

TEST_CASE("an edit gives back the firings that it cancels, and keeps the count")
{
    stage f;
    auto const task = f.create_limited(5);
    f.plan_last_two(task);
    f.home.exec("UPDATE execution SET scheduled_at = scheduled_at + 60000000");
    auto const edited =
        f.edit(task.id, 1, edit_action::edited, [](task_definition& t) { t.schedule.firing.max_firings = 2; });
    CHECK(edited.cancelled == 2);
    auto const read = f.read(task.id);
    CHECK(read.firings == 0);
    CHECK(read.next_fire_at);
}

TEST_CASE("a task with a jitter is read by the instant at which it is due, and keeps its firing beside it")
{
    stage f;
    auto made = definition("a");
    made.schedule.every = 1h;
    made.schedule.firing.jitter = 30min;
    made.schedule.firing.jitter_seed = 5;
    auto const task = f.create(made).task;
    auto const firing = task.next_fire_at.value();
    auto const due = protocol::due_instant(made.schedule.firing, firing);
    REQUIRE(due > firing);
    CHECK(f.home.number("SELECT next_fire_at FROM task") <= to_micros(due));
    CHECK(f.home.number("SELECT next_fire_at FROM task") > to_micros(firing));
    auto const rows = wait_for(f.ledger.due(due + 1s, {}, 10));
    REQUIRE(rows.size() == 1);
    CHECK(rows.front().cursor == firing);

    auto const row = storage::make_firing(execution_id{9}, task.id, 1, made, firing);
    storage::advance step{task.id, 1, rows.front().next_fire_at, due + 1h, std::nullopt};
    step.state = storage::firing_state{firing + 1h, std::nullopt, 0};
    REQUIRE(wait_for(f.ledger.plan(f.mine, {step}, {row})));
    CHECK(f.column(9, "scheduled_at") == to_micros(firing));
    CHECK(f.column(9, "due_at") == to_micros(due));
    CHECK(f.read(task.id).next_fire_at == firing + 1h);
}

} // namespace firing_counts_test
