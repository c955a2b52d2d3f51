#include "tests/unit/storage/tasks_fixture.hpp"

#include <catch2/catch.hpp>

namespace edit_announcements_test {

using namespace baton;
using namespace baton::test;
using protocol::task_definition;
using storage::edit_action;
using storage::edit_outcome;
using storage::engine;

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
    // Without a lead no edit is too late, so nothing but the missing announcement can refuse this one.
    tasks_fixture fixture(GENERATE(engine::mysql, engine::sqlite), 0s);
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

} // namespace edit_announcements_test
