#include "tests/unit/storage/tasks_fixture.hpp"

#include <catch2/catch.hpp>

namespace tasks_test {

using namespace baton;
using namespace baton::test;
using protocol::schedule_kind;
using protocol::task_definition;
using storage::edit_action;
using storage::edit_outcome;
using storage::engine;

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

TEST_CASE("a task that fires once before the line of its registration is refused, and nothing is written")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite));
    auto task = definition("soon", schedule_kind::once);
    task.schedule.at = utc_time{} + 1s;
    CHECK_THROWS_AS(fixture.create(task), invalid_input);
    CHECK(fixture.home.number("SELECT COUNT(*) FROM task") == 0);
    task.enabled = false;
    CHECK_FALSE(fixture.create(task).task.next_fire_at); // it is checked when it is enabled
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
        for (auto const& task : wait_for(fixture.tasks.list(filter)).items)
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
    CHECK(names({.project = "default", .service = "s2"}) == "234");
    CHECK(names({.project = "default", .service = "s2", .handler = "h1"}) == "2");
    CHECK(names({.text = "JOB_2"}) == "2");
    CHECK(names({.text = "S1"}) == "1");
    CHECK(names({.text = "h1"}) == "2");
    CHECK(names({.text = "' OR 1=1 --"}).empty());
    CHECK(names({.text = "h2", .enabled = true}) == "034");
    CHECK(names({.state = storage::task_state::disabled}) == "1");
    CHECK(names({.state = storage::task_state::enabled}) == "0234");
    CHECK(names({.enabled = true, .state = storage::task_state::disabled}).empty());
    CHECK(names({.state = storage::task_state::parked}).empty());
    fixture.home.exec("UPDATE task SET parked_for = 'default/s2' WHERE name = 'job_4'");
    CHECK(names({.state = storage::task_state::parked}) == "4");
    CHECK(names({.state = storage::task_state::enabled}) == "023");
    CHECK(names({.enabled = true}) == "0234");
    CHECK(names({.limit = 2}) == "01");
    auto const second = wait_for(fixture.tasks.list({.limit = 2})).items.at(1).id;
    CHECK(names({.after = second, .limit = 2}) == "23");
}

TEST_CASE("a search for rare tasks ends after the tasks that it may look at, and the next page goes on behind them")
{
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite));
    std::vector<task_id> made;
    for (int i = 0; i < 9; ++i) {
        auto task = definition("job" + std::to_string(i));
        task.owner = "ops";
        task.labels = {{"team", "billing"}};
        if (i % 3 == 2)
            task.labels["rare"] = "yes";
        task.handler = i == 7 ? "rare" : "h";
        made.push_back(fixture.create(task).task.id);
    }
    std::vector<storage::task_filter> const searches{{.handler = "rare"},
                                                     {.text = "RARE"},
                                                     {.project = "default", .service = "billing", .handler = "rare"},
                                                     {.service = "billing", .handler = "rare"},
                                                     {.handler = "rare", .owner = "ops"},
                                                     {.handler = "rare", .labels = {{"team", "billing"}}},
                                                     {.handler = "rare", .state = storage::task_state::enabled}};
    for (auto search : searches) {
        search.look = 4;
        auto const first = wait_for(fixture.tasks.list(search));
        CHECK(first.items.empty());
        REQUIRE(first.looked_to == made[3]);
        search.after = *first.looked_to;
        auto const second = wait_for(fixture.tasks.list(search));
        REQUIRE(second.items.size() == 1);
        CHECK(second.items[0].id == made[7]);
        CHECK(second.looked_to == made[7]);
        search.after = *second.looked_to;
        auto const last = wait_for(fixture.tasks.list(search));
        CHECK(last.items.empty());
        CHECK_FALSE(last.looked_to);
    }
    auto const full = wait_for(fixture.tasks.list({.handler = "h", .limit = 2, .look = 4}));
    CHECK(full.items.size() == 2);
    CHECK_FALSE(full.looked_to); // the page is full
    auto const by_index = wait_for(fixture.tasks.list({.labels = {{"rare", "yes"}}, .look = 4}));
    CHECK(by_index.items.size() == 3);
    CHECK_FALSE(by_index.looked_to);
}

} // namespace tasks_test
