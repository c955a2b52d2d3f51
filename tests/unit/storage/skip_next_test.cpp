#include "tests/unit/storage/tasks_fixture.hpp"

#include <catch2/catch.hpp>

namespace skip_next_test {

using namespace baton;
using namespace baton::test;
using storage::edit_action;
using storage::edit_outcome;
using storage::engine;

namespace {

struct bench : tasks_fixture {
    explicit bench(engine kind) : tasks_fixture(kind, 5s) {}

    // Skips these firings of the task, whose version is `seen`.
    storage::edit_result skip(task_id task, std::vector<utc_time> const& firings)
    {
        return edit(task, std::nullopt, edit_action::skip_next, [&](protocol::task_definition& t) {
            for (auto const at : firings)
                t.schedule.skips.push_back({at, at, "ann", "by hand"});
        });
    }
    std::int64_t count(std::string const& where)
    {
        return home.number("SELECT COUNT(*) FROM execution WHERE " + where);
    }
};

} // namespace

TEST_CASE("a skip cancels the planned firing and is where the task goes on")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    auto const task = b.create(definition("a")).task;
    auto const now = up_to_grid(wait_for(b.ledger.now()), 1s);
    b.plan(task.id, 1, {now + 1s, now + 20s, now + 21s}, now + 22s);
    auto const done = b.skip(task.id, {now + 20s});
    CHECK(done.outcome == edit_outcome::done);
    CHECK(b.state(1) == "planned");
    CHECK(b.state(2) == "cancelled");
    CHECK(done.cancelled == 2);
    CHECK(b.home.text("SELECT action FROM task_version WHERE version = 2") == "skip_next");
    auto const found = wait_for(b.tasks.find(task.id)).value();
    REQUIRE(found.definition.schedule.skips.size() == 1);
    CHECK(found.definition.schedule.skips[0] == protocol::firing_skip{now + 20s, now + 20s, "ann", "by hand"});
    CHECK(found.next_fire_at == up_to_grid(done.valid_from, 1s));
}

TEST_CASE("an edit behind the record of a skip gives its place back, so that the firing is planned anew")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    auto const task = b.create(definition("a")).task;
    auto const now = up_to_grid(wait_for(b.ledger.now()), 1s);
    b.move_next(task.id, now + 20s);
    b.skip(task.id, {now + 20s});
    b.move_next(task.id, now + 20s);
    auto const skipped = storage::skips_on_request(task.id, 2, wait_for(b.tasks.find(task.id))->definition, {now + 20s},
                                                   [] { return execution_id{9}; });
    storage::advance const step{task.id, 2, now + 20s, now + 21s, std::nullopt};
    REQUIRE(wait_for(b.ledger.plan(b.mine, {step}, {}, skipped)));
    CHECK(b.state(9) == "skipped");
    CHECK(b.home.text("SELECT reason FROM execution WHERE id = 9") == "skipped on request of ann: by hand");
    auto const undone = b.edit(task.id, std::nullopt, edit_action::undo_skip,
                               [](protocol::task_definition& t) { t.schedule.skips.clear(); });
    CHECK(undone.outcome == edit_outcome::done);
    CHECK(undone.cancelled == 0);
    CHECK(b.state(9) == "cancelled");
    CHECK(b.column(9, "run_key") == 9);
    b.move_next(task.id, now + 20s);
    b.plan(task.id, 10, {now + 20s}, now + 21s);
    CHECK(b.state(10) == "planned");
}

TEST_CASE("an edit records the skipped firings before its line that were not planned yet")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    auto const task = b.create(definition("a")).task;
    auto const start = up_to_grid(wait_for(b.ledger.now()), 1s) - 10s;
    b.skip(task.id, {start + 1s, start + 2s});
    b.move_next(task.id, start);
    b.edit(task.id, std::nullopt, edit_action::edited, [](protocol::task_definition& t) { t.handler = "other"; });
    CHECK(b.count("state = 'skipped' AND run_key = 0 AND reason = 'skipped on request of ann: by hand'") == 2);
    CHECK(b.count("state = 'planned' AND scheduled_at IN (" + std::to_string(to_micros(start + 1s)) + ", " +
                  std::to_string(to_micros(start + 2s)) + ")") == 0);
    CHECK(b.count("state = 'planned' AND scheduled_at = " + std::to_string(to_micros(start + 3s))) == 1);
}

TEST_CASE("a skip does not count for the maximum of firings")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    auto limited = definition("a");
    limited.schedule.firing.max_firings = 5;
    auto const task = b.create(limited).task;
    auto const now = up_to_grid(wait_for(b.ledger.now()), 1s);
    b.plan(task.id, 1, {now + 20s, now + 21s}, now + 22s);
    b.home.exec("UPDATE task SET firings = 2 WHERE id = " + std::to_string(task.id.value()));
    b.skip(task.id, {now + 20s});
    CHECK(b.home.number("SELECT firings FROM task") == 0);
}

} // namespace skip_next_test
