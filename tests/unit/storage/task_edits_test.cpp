#include "tests/unit/storage/tasks_fixture.hpp"

#include <catch2/catch.hpp>

namespace task_edits_test {

using namespace baton;
using namespace baton::test;
using protocol::misfire_action;
using protocol::schedule_kind;
using protocol::task_definition;
using storage::edit_action;
using storage::edit_outcome;
using storage::engine;

TEST_CASE("an edit cancels planned firings after its line, keeps those before it, and frees their places in the ledger")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite), 10s);
    auto const task = fixture.create(definition("a")).task;
    auto const now = up_to_grid(wait_for(fixture.ledger.now()), 1s);
    std::vector<utc_time> const planned{now + 1s, now + 5s, now + 30s, now + 31s, now + 32s};
    fixture.plan(task.id, 1, planned, now + 33s);
    fixture.home.exec("UPDATE execution SET state = 'running' WHERE id = 4");
    fixture.home.exec("UPDATE execution SET run_key = id, cause = 'manual' WHERE id = 5");

    auto const edited = fixture.edit(task.id, 1, edit_action::edited, [](task_definition& t) { t.handler = "other"; });
    CHECK(edited.outcome == edit_outcome::done);
    CHECK(edited.cancelled == 1);
    CHECK(fixture.state(1) == "planned");
    CHECK(fixture.state(2) == "planned");
    CHECK(fixture.state(3) == "cancelled");
    CHECK(fixture.state(4) == "running");
    CHECK(fixture.state(5) == "planned");
    CHECK(fixture.column(3, "due_at") == -1);
    CHECK(fixture.column(3, "run_key") == 3);
    CHECK(fixture.column(3, "ended_at") > 0);
    CHECK(fixture.home.text("SELECT reason FROM execution WHERE id = 3") == "superseded by version 2");
    REQUIRE(edited.task.next_fire_at);
    CHECK(*edited.task.next_fire_at >= edited.valid_from);
    CHECK(*edited.task.next_fire_at < edited.valid_from + 1s);
    CHECK(fixture.home.text("SELECT action FROM task_version WHERE version = 2") == "edited");
    CHECK(fixture.home.number("SELECT valid_from FROM task_version WHERE version = 2") == to_micros(edited.valid_from));

    // The freed place takes the new definition's firing.
    fixture.move_next(task.id, now + 30s);
    fixture.plan(task.id, 6, {now + 30s}, now + 60s);
    CHECK(fixture.state(6) == "planned");
    CHECK(fixture.home.number("SELECT task_version FROM execution WHERE id = 6") == 2);
}

TEST_CASE("an edit inserts the firings before its line that are not planned yet, with the old definition")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite), 5s);
    auto const task = fixture.create(definition("a")).task;
    auto const start = up_to_grid(wait_for(fixture.ledger.now()), 1s) - 50s; // none of them is late by the edit
    fixture.move_next(task.id, start);
    auto const edited = fixture.edit(task.id, 1, edit_action::edited, [](task_definition& t) {
        t.schedule.every = 10s;
        t.max_attempts = 9;
    });
    auto const expected = (edited.valid_from - start + 1s - 1us) / 1s;
    CHECK(expected > 50);
    CHECK(fixture.home.number("SELECT COUNT(*) FROM execution WHERE task_version = 1 AND state = 'planned' "
                              "AND run_key = 0 AND cause = 'schedule' AND max_attempts = 1") == expected);
    CHECK(fixture.home.number("SELECT MIN(scheduled_at) FROM execution") == to_micros(start));
    CHECK(fixture.home.number("SELECT MAX(scheduled_at) FROM execution") < to_micros(edited.valid_from));
    CHECK(*edited.task.next_fire_at == up_to_grid(edited.valid_from, 10s));
}

TEST_CASE("an edit takes a parked task back, whatever it changes")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite));
    auto const task = fixture.create(definition("a")).task;
    CHECK_FALSE(task.parked);
    auto const overdue = up_to_grid(wait_for(fixture.ledger.now()), 1s) - 10s;
    fixture.move_next(task.id, overdue);
    wait_for(fixture.ledger.park(fixture.mine, {{task.id, 1, overdue, {"default", "billing"}, "no room"}}));
    auto const parked = wait_for(fixture.tasks.find(task.id)).value();
    REQUIRE(parked.parked);
    CHECK(parked.parked->since > overdue);
    CHECK(parked.parked->reason == "no room");
    CHECK(parked.next_fire_at == overdue);

    auto const action = GENERATE(edit_action::edited, edit_action::disabled);
    auto const edited =
        fixture.edit(task.id, 1, action, [&](task_definition& t) { t.enabled = action == edit_action::edited; });
    CHECK(edited.outcome == edit_outcome::done);
    CHECK_FALSE(edited.task.parked);
    CHECK_FALSE(wait_for(fixture.tasks.find(task.id))->parked);
    CHECK(fixture.home.number("SELECT COUNT(*) FROM task WHERE parked_for = '' AND parked_reason IS NULL") == 1);
}

TEST_CASE("an edit records each of the 86,400 firings of a day that are overdue, as its misfire policy says")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite), 60s);
    auto late = definition("a");
    auto const policy = GENERATE(misfire_action::fire_once, misfire_action::fire_all, misfire_action::skip);
    late.misfire.action = policy;
    late.misfire.limit = 1'000;
    auto const task = fixture.create(late).task;
    auto const start = up_to_grid(wait_for(fixture.ledger.now()), 1s) - 24h;
    fixture.move_next(task.id, start);

    auto const action = GENERATE(edit_action::edited, edit_action::disabled, edit_action::deleted);
    auto const change = [&](task_definition& t) { t.enabled = action != edit_action::disabled; };
    auto const done = action == edit_action::deleted ? wait_for(fixture.tasks.remove(task.id, 1, fixture.ids))
                                                     : fixture.edit(task.id, 1, action, change);
    CHECK(done.outcome == edit_outcome::done);
    CHECK(done.task.version == 2);
    auto const before_line = (done.valid_from - start + 1s - 1us) / 1s;
    auto const skipped = fixture.home.number("SELECT SUM(firings) FROM skipped_range");
    auto const planned = fixture.home.number("SELECT COUNT(*) FROM execution WHERE state = 'planned'");
    CHECK(skipped + planned == before_line);
    CHECK(fixture.home.number("SELECT COUNT(*) FROM execution") == planned);
    CHECK(planned >= (policy == misfire_action::fire_all ? 1'000 : 60)); // the latest, and those up to the line
    CHECK(planned <= 1'100);
    CHECK(fixture.home.number("SELECT MAX(firings) FROM skipped_range") <= 10'000);
    CHECK(fixture.home.number("SELECT COUNT(*) FROM skipped_range one JOIN skipped_range other "
                              "ON one.first_at < other.first_at AND one.last_at >= other.first_at") == 0);
    CHECK(fixture.home.number("SELECT MIN(first_at) FROM skipped_range") == to_micros(start));
    CHECK(fixture.home.number("SELECT MAX(last_at) FROM skipped_range") <
          fixture.home.number("SELECT MIN(scheduled_at) FROM execution"));
    CHECK(fixture.home.number("SELECT COUNT(*) FROM task_version WHERE version = 2") == 1);
    CHECK(fixture.home.number("SELECT COUNT(*) FROM `signal` WHERE kind = 'edit'") == 0);
}

TEST_CASE("an edit inserts more overdue firings than one transaction takes, each once")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite), 60s);
    auto patient = definition("a");
    patient.misfire.after = 24h; // no firing is late
    patient.schedule.firing.max_firings = 50'000;
    auto const task = fixture.create(patient).task;
    auto const start = up_to_grid(wait_for(fixture.ledger.now()), 1s) - 12'000s;
    fixture.move_next(task.id, start);
    auto const edited = fixture.edit(task.id, 1, edit_action::edited, [](task_definition&) {});
    CHECK(edited.outcome == edit_outcome::done);
    auto const before_line = (edited.valid_from - start + 1s - 1us) / 1s;
    CHECK(fixture.home.number("SELECT COUNT(*) FROM execution WHERE task_version = 1") == before_line);
    CHECK(fixture.home.number("SELECT COUNT(*) FROM `signal` WHERE kind = 'run'") == before_line);
    CHECK(fixture.home.number("SELECT firings FROM task") == before_line);
    CHECK(edited.task.next_fire_at == up_to_grid(edited.valid_from, 1s));
}

TEST_CASE("an edit that is refused writes no overdue firings")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite), 60s);
    auto const task = fixture.create(definition("a")).task;
    fixture.move_next(task.id, wait_for(fixture.ledger.now()) - 24h);
    CHECK(fixture.edit(task.id, 7, edit_action::edited, [](task_definition&) {}).outcome ==
          edit_outcome::stale_version);
    auto const refuse = [](task_definition&) { throw invalid_input("handler", "no"); };
    CHECK_THROWS_AS(fixture.edit(task.id, 1, edit_action::edited, refuse), invalid_input);
    CHECK(fixture.home.number("SELECT COUNT(*) FROM skipped_range") == 0);
    CHECK(fixture.home.number("SELECT COUNT(*) FROM execution") == 0);
}

TEST_CASE("a disabled task loses its planned firings, and an enabled one fires again from the line on")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite));
    auto const task = fixture.create(definition("a")).task;
    auto const far = up_to_grid(wait_for(fixture.ledger.now()), 1s) + 60s;
    fixture.plan(task.id, 1, {far}, far + 1s);
    auto const off = fixture.edit(task.id, 1, edit_action::disabled, [](task_definition& t) { t.enabled = false; });
    CHECK(off.cancelled == 1);
    CHECK_FALSE(off.task.next_fire_at);
    CHECK(fixture.home.text("SELECT reason FROM execution") == "task disabled");
    CHECK(fixture.home.number("SELECT COUNT(*) FROM task WHERE next_fire_at IS NULL AND enabled = 0") == 1);
    CHECK(wait_for(fixture.ledger.stopped_tasks(off.valid_from - 1us, std::nullopt, 10)).empty());
    auto const stops = wait_for(fixture.ledger.stopped_tasks(off.valid_from, std::nullopt, 10));
    REQUIRE(stops.size() == 1);
    CHECK(stops.front().task == task.id);
    CHECK(stops.front().version == 2);
    CHECK(stops.front().line == off.valid_from);
    CHECK(stops.front().reason == "task disabled");
    wait_for(fixture.ledger.forget_stopped(fixture.mine, stops));
    CHECK(wait_for(fixture.ledger.stopped_tasks(off.valid_from, std::nullopt, 10)).empty());
    auto const on = fixture.edit(task.id, 2, edit_action::enabled, [](task_definition& t) { t.enabled = true; });
    REQUIRE(on.task.next_fire_at);
    CHECK(*on.task.next_fire_at >= on.valid_from);
    CHECK(fixture.home.text("SELECT action FROM task_version WHERE version = 3") == "enabled");
    CHECK(fixture.home.number("SELECT COUNT(*) FROM stopped_task") == 0);
    wait_for(fixture.tasks.remove(task.id, std::nullopt, fixture.ids));
    CHECK(fixture.home.text("SELECT reason FROM stopped_task") == "task deleted");
}

TEST_CASE("a disabled task that is disabled again stops what waits since, and another edit of it does not")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite));
    auto const task = fixture.create(definition("a")).task;
    auto const disable = [](task_definition& t) { t.enabled = false; };
    fixture.edit(task.id, 1, edit_action::disabled, disable);
    fixture.home.exec("DELETE FROM stopped_task");
    fixture.edit(task.id, 2, edit_action::edited, [](task_definition& t) { t.description = "why"; });
    CHECK(fixture.home.number("SELECT COUNT(*) FROM stopped_task") == 0);
    fixture.edit(task.id, 3, edit_action::disabled, disable);
    CHECK(fixture.home.number("SELECT version FROM stopped_task") == 4);
}

TEST_CASE("the ledger tells the present versions of tasks")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite));
    auto const first = fixture.create(definition("a", schedule_kind::api)).task;
    auto const second = fixture.create(definition("b", schedule_kind::api)).task;
    fixture.edit(first.id, 1, edit_action::edited, [](task_definition& t) { t.rate = {5, 1s, 1}; });
    auto const found = wait_for(fixture.ledger.definitions({first.id, second.id, task_id{77}}));
    REQUIRE(found.size() == 2);
    for (auto const& each : found) {
        auto const rate = protocol::parse_task(nlohmann::json::parse(each.definition)).rate;
        CHECK(each.version == (each.id == first.id ? 2 : 1));
        CHECK(rate.limit == (each.id == first.id ? 5 : 0));
    }
    CHECK(wait_for(fixture.ledger.definitions({})).empty());
}

TEST_CASE("an edit inserts the overdue firing of a fixed-delay task, which then waits for it")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite));
    auto const task = fixture.create(definition("a", schedule_kind::fixed_delay)).task;
    fixture.move_next(task.id, wait_for(fixture.ledger.now()) - 30s);
    auto const edited = fixture.edit(task.id, 1, edit_action::edited, [](task_definition&) {});
    CHECK_FALSE(edited.task.next_fire_at);
    CHECK(fixture.home.number("SELECT COUNT(*) FROM execution WHERE task_version = 1") == 1);
    CHECK(fixture.home.number("SELECT COUNT(*) FROM task JOIN execution ON execution.id = task.waiting_for") == 1);
}

} // namespace task_edits_test
