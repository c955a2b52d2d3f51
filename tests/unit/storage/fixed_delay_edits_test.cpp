#include "tests/unit/storage/tasks_fixture.hpp"

#include <catch2/catch.hpp>

namespace fixed_delay_edits_test {

using namespace baton;
using namespace baton::test;
using protocol::schedule_kind;
using protocol::task_definition;
using storage::edit_action;
using storage::engine;

namespace {

// A task that runs an hour after the end of its last run.
struct stage : tasks_fixture {
    stage() : tasks_fixture(GENERATE(engine::mysql, engine::sqlite))
    {
        auto made = definition("hourly", schedule_kind::fixed_delay);
        made.schedule.every = 1h;
        task = create(std::move(made)).task;
        now = wait_for(ledger.now());
    }
    // A firing with this id, for whose end the task waits.
    void plan_firing(int id, utc_time at)
    {
        auto const record = wait_for(tasks.find(task.id)).value();
        auto run = firing(id, 1, at);
        run.task = task.id;
        run.version = record.version;
        storage::advance const step{task.id, record.version, *record.next_fire_at, std::nullopt, execution_id{id}};
        REQUIRE(wait_for(ledger.plan(mine, {step}, {run})));
    }
    utc_time end(int id)
    {
        record(result(id, protocol::state::succeeded));
        return from_micros(column(id, "ended_at"));
    }
    storage::edit_result change(std::function<void(task_definition&)> const& what,
                                edit_action action = edit_action::edited)
    {
        return edit(task.id, std::nullopt, action, what);
    }
    storage::edit_result describe()
    {
        return change([](task_definition& t) { t.description = "another text"; });
    }
    storage::edit_result disable()
    {
        return change([](task_definition& t) { t.enabled = false; }, edit_action::disabled);
    }
    storage::edit_result enable()
    {
        return change([](task_definition& t) { t.enabled = true; }, edit_action::enabled);
    }
    std::int64_t waits_for() { return home.number("SELECT waiting_for FROM task"); }

    storage::task_record task;
    utc_time now;
};

constexpr std::int64_t nothing = -1;

} // namespace

TEST_CASE("an edit that leaves its schedule as it is does not move the next firing of a fixed delay")
{
    stage f;
    f.move_next(f.task.id, f.now + 40min);
    CHECK(f.describe().task.next_fire_at == f.now + 40min);
    CHECK(f.describe().task.next_fire_at == f.now + 40min);
    auto const moved = f.change([](task_definition& t) {
        t.service = "shipping";
        t.project = "logistics";
        t.max_attempts = 3;
    });
    CHECK(moved.task.next_fire_at == f.now + 40min);
    CHECK(f.waits_for() == nothing);
}

TEST_CASE("a fixed delay whose planned firing an edit replaces fires at the same instant")
{
    stage f;
    f.plan_firing(1, f.now + 60s);
    auto const edited = f.describe();
    CHECK(edited.cancelled == 1);
    CHECK(edited.task.next_fire_at == f.now + 60s);
    CHECK(f.waits_for() == nothing);
}

TEST_CASE("a fixed delay that is edited waits for its open run, and a period from the end of one that has ended")
{
    stage f;
    f.plan_firing(1, f.now - 60s);
    CHECK_FALSE(f.change([](task_definition& t) { t.schedule.every = 2h; }).task.next_fire_at);
    CHECK(f.waits_for() == 1);
    auto const ended = f.end(1); // and the master has not followed it yet
    CHECK(f.describe().task.next_fire_at == ended + 2h);
    CHECK(f.waits_for() == nothing);
    CHECK(f.change([](task_definition& t) { t.schedule.every = 3h; }).task.next_fire_at == ended + 3h);
    auto const short_delay = f.change([](task_definition& t) { t.schedule.every = 1ms; });
    CHECK(short_delay.task.next_fire_at == short_delay.valid_from);
}

TEST_CASE("a fixed delay that is edited after the clock was set back waits a period by the time of the nodes")
{
    stage f;
    f.plan_firing(1, f.now);
    f.end(1);
    wait_for(f.ledger.mark_fired(f.mine, f.now + 30min)); // the clock showed that before it was set back
    auto const next = f.describe().task.next_fire_at;
    REQUIRE(next);
    CHECK(*next >= f.now + 90min - 1s);
    CHECK(*next <= f.now + 90min + 1s);
}

TEST_CASE("a fixed delay that is disabled and enabled during a run waits for its end")
{
    stage f;
    f.plan_firing(1, f.now - 60s);
    CHECK_FALSE(f.disable().task.next_fire_at);
    CHECK_FALSE(f.enable().task.next_fire_at);
    CHECK(f.waits_for() == 1);
    auto const ended = f.end(1);
    f.disable();
    CHECK(f.enable().task.next_fire_at == ended + 1h);
}

TEST_CASE("a fixed delay whose handler does not return waits for it, whatever is edited")
{
    stage f;
    f.plan_firing(1, f.now - 60s);
    wait_for(f.ledger.end_unresponsive(
        f.mine, {{execution_id{1}, 1, "client-1", protocol::state::timed_out, "it did not stop"}}));
    f.describe();
    CHECK(f.waits_for() == 1);
    f.disable();
    CHECK_FALSE(f.enable().task.next_fire_at);
    CHECK(f.waits_for() == 1);
}

TEST_CASE("a fixed delay that has another kind of schedule for a while does not overlap its last run")
{
    stage f;
    f.plan_firing(1, f.now - 60s);
    f.change([](task_definition& t) { t.schedule.kind = schedule_kind::api; });
    CHECK(f.waits_for() == nothing);
    auto const again = f.change([](task_definition& t) {
        t.schedule.kind = schedule_kind::fixed_delay;
        t.schedule.every = 1h;
    });
    CHECK_FALSE(again.task.next_fire_at);
    CHECK(f.waits_for() == 1);
}

TEST_CASE(
    "a fixed delay that was never run or whose last run is deleted begins at the line of the edit that enables it")
{
    stage f;
    f.move_next(f.task.id, f.now + 1h); // so that it does not run before it is disabled
    f.disable();
    auto const on = f.enable();
    CHECK(on.task.next_fire_at == on.valid_from);
}

} // namespace fixed_delay_edits_test
