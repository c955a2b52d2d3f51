#include "libs/base/random.hpp"
#include "libs/schedule/plan.hpp"
#include "tests/unit/storage/scheduler_bench.hpp"

#include <catch2/catch.hpp>

namespace tasks_test {

using namespace baton;
using namespace baton::test;
using protocol::schedule_kind;
using protocol::task_definition;
using storage::edit_action;
using storage::edit_outcome;
using storage::engine;

namespace {

utc_time up_to_grid(utc_time from, duration every)
{
    auto const rest = from.time_since_epoch() % every;
    return rest == 0us ? from : from + (every - rest);
}

// Fixed rates count from the epoch, so that they fire on the grid of their period.
task_definition definition(std::string name, schedule_kind kind = schedule_kind::fixed_rate)
{
    task_definition task;
    task.name = std::move(name);
    task.service = "billing";
    task.handler = "close";
    task.schedule.kind = kind;
    if (kind == schedule_kind::fixed_rate || kind == schedule_kind::fixed_delay)
        task.schedule.every = 1s;
    if (kind == schedule_kind::fixed_rate)
        task.schedule.start_at = utc_time{};
    return task;
}

class tasks_fixture : public scheduler_bench {
public:
    explicit tasks_fixture(engine kind, duration lead = 2s)
        : scheduler_bench(kind), tasks(*shared, schedule::plan_edit, lead)
    {
        wait_for(ledger.raise(mine));
    }

    storage::edit_result create(task_definition task) { return wait_for(tasks.create(ids, std::move(task))); }
    storage::edit_result edit(task_id id, std::optional<int> seen, edit_action action,
                              std::function<void(task_definition&)> const& change)
    {
        return wait_for(tasks.edit(id, seen, action, ids, [&](storage::task_record const& record) {
            auto task = record.definition;
            change(task);
            return task;
        }));
    }
    void move_next(task_id id, utc_time at)
    {
        home.exec("UPDATE task SET next_fire_at = " + std::to_string(to_micros(at)) +
                  " WHERE id = " + std::to_string(id.value()));
    }
    // Plans firings of a registered task, with ids from `first_id` on.
    void plan(task_id task, int first_id, std::vector<utc_time> const& at, utc_time next)
    {
        auto const record = wait_for(tasks.find(task)).value();
        std::vector<storage::new_execution> rows;
        for (auto const each : at) {
            rows.push_back(firing(first_id++, 1, each));
            rows.back().task = task;
            rows.back().version = record.version;
        }
        storage::advance const step{task, record.version, record.next_fire_at.value(), next, std::nullopt};
        if (!wait_for(ledger.plan(mine, {step}, rows)))
            throw std::logic_error("the fixture could not plan");
    }

    system_time time;
    seeded_random chance{Catch::rngSeed()};
    id_generator ids{time, chance};
    storage::tasks tasks;
};

} // namespace

TEST_CASE("a new task has version 1, its first firing behind the lead, a version row and a signal")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite));
    auto const before = wait_for(fixture.ledger.now());
    auto const made = fixture.create(definition("it's: a \"task\" \xf0\x9f\x8e\xbc"));
    CHECK(made.outcome == edit_outcome::done);
    CHECK(made.task.version == 1);
    CHECK(made.valid_from >= before + 2s);
    REQUIRE(made.task.next_fire_at);
    CHECK(*made.task.next_fire_at >= made.valid_from);

    auto const found = wait_for(fixture.tasks.find(made.task.id));
    REQUIRE(found);
    CHECK(found->definition.name == "it's: a \"task\" \xf0\x9f\x8e\xbc");
    CHECK(found->next_fire_at == made.task.next_fire_at);
    CHECK(found->created_at == made.task.created_at);
    CHECK(protocol::to_json(found->definition) == protocol::to_json(made.task.definition));
    CHECK(wait_for(fixture.tasks.find_by_name("default", found->definition.name))->id == made.task.id);
    CHECK(fixture.home.text("SELECT action FROM task_version") == "created");
    CHECK(fixture.home.number("SELECT valid_from FROM task_version") == to_micros(made.valid_from));
    CHECK(fixture.home.number("SELECT subject FROM `signal`") == made.task.id.value());
    CHECK(fixture.home.number("SELECT id FROM `signal`") == made.signal.value());
    CHECK(wait_for(fixture.tasks.count()) == 1);
}

TEST_CASE("a task that is disabled or runs only on request is never due")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite));
    auto off = definition("off");
    off.enabled = false;
    CHECK_FALSE(fixture.create(off).task.next_fire_at);
    CHECK_FALSE(fixture.create(definition("api", schedule_kind::api)).task.next_fire_at);
    CHECK(wait_for(fixture.ledger.due(from_micros(4'000'000'000'000'000), {}, 10)).empty());
}

TEST_CASE("neither a new task nor a renamed one can take the name of another task in its project")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite));
    auto const first = fixture.create(definition("a")).task;
    CHECK_THROWS_AS(fixture.create(definition("a")), storage::already_exists);
    auto elsewhere = definition("a");
    elsewhere.project = "other";
    CHECK_NOTHROW(fixture.create(elsewhere));
    CHECK_NOTHROW(fixture.create(definition("A"))); // letters differ
    auto const second = fixture.create(definition("b")).task;
    auto const renamed =
        fixture.edit(second.id, 1, edit_action::edited, [](task_definition& task) { task.name = "a"; });
    CHECK(renamed.outcome == edit_outcome::name_taken);
    CHECK(wait_for(fixture.tasks.find(second.id))->version == 1);
    CHECK(wait_for(fixture.tasks.find(first.id))->version == 1);
    CHECK(wait_for(fixture.tasks.count()) == 4);
    CHECK(fixture.home.number("SELECT COUNT(*) FROM `signal`") == 4);
}

TEST_CASE("a definition that is not UTF-8 is refused as bad input, and nothing is written")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite));
    CHECK_THROWS_AS(fixture.create(definition("\xff")), invalid_input);
    auto const task = fixture.create(definition("a")).task;
    CHECK_THROWS_AS(fixture.edit(task.id, 1, edit_action::edited, [](task_definition& t) { t.description = "\xc3("; }),
                    invalid_input);
    CHECK(wait_for(fixture.tasks.find(task.id))->version == 1);
    CHECK(fixture.home.number("SELECT COUNT(*) FROM task_version") == 1);
}

TEST_CASE("an edit or deletion of another version than the present one is refused")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite));
    auto const task = fixture.create(definition("a")).task;
    auto const change = [](task_definition& t) { t.handler = "other"; };
    CHECK(fixture.edit(task.id, 1, edit_action::edited, change).task.version == 2);
    auto const stale = fixture.edit(task.id, 1, edit_action::edited, change);
    CHECK(stale.outcome == edit_outcome::stale_version);
    CHECK(stale.task.version == 2);
    CHECK(fixture.edit(task.id, std::nullopt, edit_action::edited, change).task.version == 3);
    CHECK(fixture.edit(task_id{99}, 1, edit_action::edited, change).outcome == edit_outcome::not_found);
    CHECK(wait_for(fixture.tasks.remove(task.id, 1, fixture.ids)).outcome == edit_outcome::stale_version);
    CHECK(fixture.home.number("SELECT COUNT(*) FROM task_version") == 3);
}

TEST_CASE("an edit whose change throws writes nothing, and the caller gets the exception")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite));
    auto const task = fixture.create(definition("a")).task;
    CHECK_THROWS_AS(fixture.edit(task.id, 1, edit_action::edited,
                                 [](task_definition&) { throw invalid_input("schedule", "never"); }),
                    invalid_input);
    CHECK(wait_for(fixture.tasks.find(task.id))->version == 1);
}

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
    auto const start = up_to_grid(wait_for(fixture.ledger.now()), 1s) - 60s;
    fixture.move_next(task.id, start);
    auto const edited = fixture.edit(task.id, 1, edit_action::edited, [](task_definition& t) {
        t.schedule.every = 10s;
        t.max_attempts = 9;
    });
    auto const expected = (edited.valid_from - start + 1s - 1us) / 1s;
    CHECK(expected > 60);
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

TEST_CASE("an edit is refused while planning is too far behind with the task")
{
    // A lead that nearly 10,000 rows are inserted within on the slowest of builds.
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite), 60s);
    auto const task = fixture.create(definition("a")).task;
    fixture.move_next(task.id, wait_for(fixture.ledger.now()) - 10'010s);
    auto const answer = fixture.edit(task.id, 1, edit_action::edited, [](task_definition&) {});
    CHECK(answer.outcome == edit_outcome::planner_behind);
    CHECK(wait_for(fixture.tasks.find(task.id))->version == 1);
    CHECK(fixture.home.number("SELECT COUNT(*) FROM execution") == 0);
    fixture.move_next(task.id, wait_for(fixture.ledger.now()) - 9'900s);
    CHECK(fixture.edit(task.id, 1, edit_action::edited, [](task_definition&) {}).outcome == edit_outcome::done);
    CHECK(fixture.home.number("SELECT COUNT(*) FROM execution") >= 9'900);
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
    auto const on = fixture.edit(task.id, 2, edit_action::enabled, [](task_definition& t) { t.enabled = true; });
    REQUIRE(on.task.next_fire_at);
    CHECK(*on.task.next_fire_at >= on.valid_from);
    CHECK(fixture.home.text("SELECT action FROM task_version WHERE version = 3") == "enabled");
}

TEST_CASE("the executions and versions of a deleted task stay, and its planned firings are cancelled")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite));
    auto const task = fixture.create(definition("a")).task;
    auto const now = up_to_grid(wait_for(fixture.ledger.now()), 1s);
    fixture.plan(task.id, 1, {now, now + 60s}, now + 61s);
    auto const gone = wait_for(fixture.tasks.remove(task.id, 1, fixture.ids));
    CHECK(gone.outcome == edit_outcome::done);
    CHECK(gone.cancelled == 1);
    CHECK(gone.open == 1);
    CHECK_FALSE(wait_for(fixture.tasks.find(task.id)));
    CHECK(fixture.state(1) == "planned");
    CHECK(fixture.home.text("SELECT reason FROM execution WHERE id = 2") == "task deleted");
    CHECK(fixture.home.text("SELECT action FROM task_version WHERE version = 2") == "deleted");
    CHECK_THAT(wait_for(fixture.ledger.open_among({execution_id{1}})).at(0).definition, Catch::Contains("billing"));
    CHECK(wait_for(fixture.tasks.remove(task.id, std::nullopt, fixture.ids)).outcome == edit_outcome::not_found);
    CHECK_NOTHROW(fixture.create(definition("a")));
}

TEST_CASE("a fixed-delay task that is edited goes on waiting for its open execution")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite));
    auto const task = fixture.create(definition("a", schedule_kind::fixed_delay)).task;
    auto const at = task.next_fire_at.value();
    auto run = fixture.firing(1, 1, at - 60s);
    run.task = task.id;
    storage::advance const step{task.id, 1, at, std::nullopt, execution_id{1}};
    REQUIRE(wait_for(fixture.ledger.plan(fixture.mine, {step}, {run})));

    auto const waiting =
        fixture.edit(task.id, 1, edit_action::edited, [](task_definition& t) { t.schedule.every = 9s; });
    CHECK_FALSE(waiting.task.next_fire_at);
    CHECK(fixture.home.number("SELECT waiting_for FROM task") == 1);

    fixture.record(fixture.result(1, protocol::state::succeeded));
    auto const free = fixture.edit(task.id, 2, edit_action::edited, [](task_definition& t) { t.schedule.every = 5s; });
    CHECK(free.task.next_fire_at == free.valid_from);
    CHECK(fixture.home.number("SELECT waiting_for FROM task") == -1);
}

TEST_CASE("a fixed-delay task whose planned execution an edit cancels starts anew at the line")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite));
    auto const task = fixture.create(definition("a", schedule_kind::fixed_delay)).task;
    auto const at = task.next_fire_at.value();
    auto run = fixture.firing(1, 1, at + 60s);
    run.task = task.id;
    storage::advance const step{task.id, 1, at, std::nullopt, execution_id{1}};
    REQUIRE(wait_for(fixture.ledger.plan(fixture.mine, {step}, {run})));
    auto const edited = fixture.edit(task.id, 1, edit_action::edited, [](task_definition&) {});
    CHECK(edited.cancelled == 1);
    CHECK(edited.task.next_fire_at == edited.valid_from);
    CHECK(fixture.home.number("SELECT waiting_for FROM task") == -1);
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

TEST_CASE("the list of tasks applies each filter, in order of registration, in pages")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite));
    for (int i = 0; i < 5; ++i) {
        auto task = definition("job_" + std::to_string(i) + (i == 3 ? "%" : ""),
                               i == 4 ? schedule_kind::api : schedule_kind::fixed_rate);
        task.project = i == 0 ? "other" : "default";
        task.service = i == 1 ? "s1" : "s2";
        task.handler = i == 2 ? "h1" : "h2";
        task.enabled = i != 1;
        fixture.create(task);
    }
    auto const names = [&](storage::task_filter const& filter) {
        std::string all;
        for (auto const& task : wait_for(fixture.tasks.list(filter)))
            all += task.definition.name.substr(4, 1);
        return all;
    };
    CHECK(names({}) == "01234");
    CHECK(names({.project = "default"}) == "1234");
    CHECK(names({.service = "s1"}) == "1");
    CHECK(names({.handler = "h1"}) == "2");
    CHECK(names({.name_contains = "%"}) == "3");
    CHECK(names({.name_contains = "ob_"}) == "01234");
    CHECK(names({.name_contains = "JOB"}).empty());
    CHECK(names({.name_contains = "' OR 1=1 --"}).empty());
    CHECK(names({.enabled = false}) == "1");
    CHECK(names({.kind = schedule_kind::api}) == "4");
    CHECK(names({.project = "default", .enabled = true, .kind = schedule_kind::fixed_rate}) == "23");
    CHECK(names({.limit = 2}) == "01");
    auto const second = wait_for(fixture.tasks.list({.limit = 2})).at(1).id;
    CHECK(names({.after = second, .limit = 2}) == "23");
}

TEST_CASE("a registration that cannot commit well ahead of its line is retried and then given up, with nothing written")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite), 2us);
    CHECK_THROWS_AS(fixture.create(definition("a")), unavailable);
    CHECK(wait_for(fixture.tasks.count()) == 0);
    CHECK(fixture.home.number("SELECT COUNT(*) FROM task_version") == 0);
}

TEST_CASE("the firings that an edit inserts have signals of their own")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite));
    auto const made = fixture.create(definition("a")).task;
    fixture.home.exec("DELETE FROM `signal`");
    auto const now = up_to_grid(wait_for(fixture.ledger.now()), 1s);
    fixture.move_next(made.id, now - 3s);
    auto const edited =
        fixture.edit(made.id, 1, edit_action::disabled, [](task_definition& task) { task.enabled = false; });
    REQUIRE(edited.outcome == edit_outcome::done);
    auto const inserted = fixture.home.number("SELECT COUNT(*) FROM execution");
    CHECK(inserted >= 5); // from three seconds ago to the line in two seconds
    CHECK(fixture.home.number(
              "SELECT COUNT(*) FROM `signal` s JOIN execution e ON e.id = s.subject AND s.kind = 'run'") == inserted);
    CHECK(fixture.home.number("SELECT COUNT(*) FROM `signal` WHERE kind = 'task'") == 1);
}

TEST_CASE("an edit takes the edit_lead of the master if that is longer than its own")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite), 1s);
    auto const made = fixture.create(definition("a")).task;
    auto const edit = [&](int version) {
        auto const same = [](task_definition&) {};
        auto const edited = fixture.edit(made.id, version, edit_action::edited, same);
        REQUIRE(edited.outcome == edit_outcome::done);
        return edited.valid_from - edited.task.updated_at;
    };
    CHECK(edit(1) == 1s);
    CHECK(wait_for(fixture.ledger.set_edit_lead(fixture.mine, 20s)) == 0s);
    CHECK(edit(2) == 20s);
    CHECK(wait_for(fixture.ledger.set_edit_lead(fixture.mine, 500ms)) == 20s);
    CHECK(edit(3) == 1s);
    storage::fence const stale{"master", 4};
    CHECK_THROWS_AS(wait_for(fixture.ledger.set_edit_lead(stale, 60s)), not_master);
}

TEST_CASE("an edit is announced by a signal that is committed before it, and removes the announcement")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite));
    auto const made = fixture.create(definition("a")).task;
    fixture.home.exec("DELETE FROM `signal`");
    std::int64_t announced = 0;
    auto const look = [&](task_definition&) { // another session sees it while the edit is not committed
        announced = fixture.home.number("SELECT COUNT(*) FROM `signal` WHERE kind = 'edit' AND subject = " +
                                        std::to_string(made.id.value()));
    };
    REQUIRE(fixture.edit(made.id, 1, edit_action::edited, look).outcome == edit_outcome::done);
    CHECK(announced == 1);
    CHECK(fixture.home.number("SELECT COUNT(*) FROM `signal` WHERE kind = 'edit'") == 0);
    CHECK(fixture.home.number("SELECT COUNT(*) FROM `signal` WHERE kind = 'task'") == 1);
}

TEST_CASE("an edit that is refused leaves no announcement")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite));
    auto const made = fixture.create(definition("a")).task;
    auto const same = [](task_definition&) {};
    CHECK(fixture.edit(made.id, 7, edit_action::edited, same).outcome == edit_outcome::stale_version);
    CHECK(fixture.edit(task_id{4711}, 1, edit_action::edited, same).outcome == edit_outcome::not_found);
    CHECK_THROWS_AS(
        fixture.edit(made.id, 1, edit_action::edited, [](task_definition&) { throw invalid_input("", ""); }),
        invalid_input);
    CHECK(fixture.home.number("SELECT COUNT(*) FROM `signal` WHERE kind = 'edit'") == 0);
}

TEST_CASE("an edit whose announcement cannot be committed well ahead of its line is drawn anew and then given up")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite));
    auto const made = fixture.create(definition("a")).task;
    storage::tasks hasty(*fixture.shared, schedule::plan_edit, 2us);
    auto const same = [](storage::task_record const& task) { return task.definition; };
    CHECK_THROWS_AS(wait_for(hasty.edit(made.id, 1, edit_action::edited, fixture.ids, same)), unavailable);
    CHECK(fixture.home.number("SELECT version FROM task") == 1);
    CHECK(fixture.home.number("SELECT COUNT(*) FROM `signal` WHERE kind = 'edit'") == 0);
}

TEST_CASE("an edit draws its line behind everything that a master may have fired, though the clock has stepped back")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite), 1s);
    auto const made = fixture.create(definition("a")).task;
    auto const fired = wait_for(fixture.ledger.now()) + 10s;
    wait_for(fixture.ledger.mark_fired(fixture.mine, fired));
    auto const edited = fixture.edit(made.id, 1, edit_action::edited, [](task_definition&) {});
    REQUIRE(edited.outcome == edit_outcome::done);
    CHECK(edited.valid_from >= fired);
    CHECK(edited.task.next_fire_at >= fired);
}

TEST_CASE("an announcement that was given up keeps its edit from being committed")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite));
    auto const made = fixture.create(definition("a")).task;
    fixture.home.exec("INSERT INTO `signal` (id, kind, subject, created_at) VALUES (1, 'edit', 7, 1)");
    wait_for(fixture.ledger.give_up_edits({signal_id{1}}));
    CHECK(fixture.home.number("SELECT COUNT(*) FROM `signal` WHERE kind = 'edit'") == 0);
    // A trigger stands for a master that gives up each edit at once.
    bool const mysql = fixture.home.where().engine == engine::mysql;
    fixture.home.exec(mysql ? "CREATE TRIGGER at_once BEFORE INSERT ON `signal` FOR EACH ROW SET NEW.id = -NEW.id"
                            : "CREATE TRIGGER at_once AFTER INSERT ON `signal` BEGIN DELETE FROM `signal`; END");
    CHECK_THROWS_AS(fixture.edit(made.id, 1, edit_action::edited, [](task_definition&) {}), unavailable);
    CHECK(fixture.home.number("SELECT version FROM task") == 1);
}

} // namespace tasks_test
