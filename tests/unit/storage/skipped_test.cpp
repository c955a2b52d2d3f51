#include "libs/storage/retention.hpp"
#include "tests/unit/storage/tasks_fixture.hpp"

#include <catch2/catch.hpp>

namespace skipped_test {
namespace {

using namespace baton;
using namespace baton::test;
using storage::advance;
using storage::engine;
using storage::skipped_firings;

utc_time const noon = from_micros(1'800'000'000'000'000);

skipped_firings minutes_of(int task, int count)
{
    skipped_firings all{task_id{task}, 1, "default", "late", {}, {}};
    for (int i = 0; i < count; ++i)
        all.firings.push_back(noon + i * 1min);
    return all;
}

std::vector<skipped_firings> divided(skipped_firings all)
{
    std::int64_t next = 1'000;
    return storage::divide_skipped(std::move(all), [&] { return execution_id{next++}; });
}

} // namespace

TEST_CASE("a few skipped firings become executions, and many become ranges")
{
    auto const few = divided(minutes_of(1, 20));
    REQUIRE(few.size() == 1);
    CHECK(few[0].ids.size() == 20);
    auto const many = divided(minutes_of(1, 21));
    REQUIRE(many.size() == 1);
    CHECK(many[0].ids.empty());
    auto const more = divided(minutes_of(1, 10'001));
    REQUIRE(more.size() == 2);
    CHECK(more[0].firings.size() == 10'000);
    CHECK(more[1].firings == std::vector{noon + 10'000min});
    CHECK(divided(minutes_of(1, 0)).empty());
}

TEST_CASE("skipped firings are written with the page that passes them, and ended from the beginning")
{
    tasks_fixture bench(GENERATE(engine::mysql, engine::sqlite));
    bench.add_task(1, noon);
    bench.add_task(2, noon);
    auto parts = divided(minutes_of(1, 2));
    parts.push_back(divided(minutes_of(2, 30)).front());
    std::vector<advance> const steps{{task_id{1}, 1, noon, noon + 2min, std::nullopt},
                                     {task_id{2}, 1, noon, noon + 30min, std::nullopt}};
    REQUIRE(wait_for(bench.ledger.plan(bench.mine, steps, {}, parts)));
    CHECK(bench.state(1'000) == "skipped");
    CHECK(bench.home.text("SELECT reason FROM execution WHERE id = 1001") == "late");
    CHECK(bench.home.number("SELECT COUNT(*) FROM execution WHERE due_at IS NULL AND ended_at IS NOT NULL AND run_key "
                            "= 0 AND cause = 'schedule'") == 2);
    auto const ranges = wait_for(bench.tasks.skipped_ranges(task_id{2}, std::nullopt, 10));
    REQUIRE(ranges.size() == 1);
    CHECK(ranges[0].first == noon);
    CHECK(ranges[0].last == noon + 29min);
    CHECK(ranges[0].firings == 30);
    CHECK(ranges[0].reason == "late");
    CHECK(wait_for(bench.tasks.skipped_ranges(task_id{2}, noon, 10)).empty());
}

TEST_CASE("a skipped firing that has its row already is passed over")
{
    tasks_fixture bench(GENERATE(engine::mysql, engine::sqlite));
    bench.plan_one(7, 1, noon);
    bench.home.exec("UPDATE task SET next_fire_at = " + std::to_string(to_micros(noon)) + " WHERE id = 1");
    advance const step{task_id{1}, 1, noon, noon + 2min, std::nullopt};
    CHECK(wait_for(bench.ledger.plan(bench.mine, {step}, {}, divided(minutes_of(1, 2)))));
    CHECK(bench.state(7) == "planned");
    CHECK(bench.home.number("SELECT COUNT(*) FROM execution WHERE state = 'skipped'") == 1);
    CHECK(bench.home.number("SELECT next_fire_at FROM task WHERE id = 1") == to_micros(noon + 2min));
}

TEST_CASE("only an execution that was never sent can be skipped")
{
    tasks_fixture bench(GENERATE(engine::mysql, engine::sqlite));
    bench.plan_one(1, 1, noon);
    bench.plan_one(2, 2, noon);
    bench.record(bench.result(2, protocol::state::running));
    bench.plan_one(3, 3, noon, 3);
    bench.record(bench.result(3, protocol::state::failed)); // waits for its second attempt
    wait_for(bench.ledger.skip(bench.mine, {execution_id{1}, execution_id{2}, execution_id{3}}, "late"));
    CHECK(bench.state(1) == "skipped");
    CHECK(bench.state(2) == "running");
    CHECK(bench.state(3) == "retrying");
    CHECK_THROWS_AS(wait_for(bench.ledger.skip({"master", 4}, {execution_id{2}}, "late")), not_master);
}

TEST_CASE("retention deletes the ranges that lie before its limit, the oldest first")
{
    tasks_fixture bench(GENERATE(engine::mysql, engine::sqlite));
    for (int task = 1; task <= 5; ++task) {
        auto const t = std::to_string(task);
        auto const last = std::to_string(to_micros(noon + task * 1min));
        bench.home.exec(
            "INSERT INTO skipped_range (task_id, namespace, first_at, last_at, firings, task_version, reason, "
            "created_at) VALUES (" +
            t + ", 1, 1, " + last + ", 21, 1, 'late', 1)");
    }
    storage::retention retention(*bench.shared);
    CHECK(wait_for(retention.skipped(noon + 5min, 2)));
    CHECK(bench.home.number("SELECT COUNT(*) FROM skipped_range") == 3);
    CHECK(wait_for(retention.skipped(noon + 5min, 2)));
    CHECK_FALSE(wait_for(retention.skipped(noon + 5min, 2)));
    CHECK(bench.home.number("SELECT task_id FROM skipped_range") == 5); // it ends at the limit
}

TEST_CASE("an edit of a task that is a day behind skips its late firings by the old definition's policy")
{
    tasks_fixture bench(GENERATE(engine::mysql, engine::sqlite), 60s);
    auto const task = bench.create(definition("a")).task;
    auto const now = wait_for(bench.ledger.now());
    auto const behind = up_to_grid(now - 24h, 1s);
    bench.move_next(task.id, behind);
    auto const done = bench.edit(task.id, 1, storage::edit_action::edited, [](protocol::task_definition& changed) {
        changed.misfire.action = protocol::misfire_action::skip;
    });
    auto const done_by = wait_for(bench.ledger.now());
    REQUIRE(done.outcome == storage::edit_outcome::done);
    auto const ranges = wait_for(bench.tasks.skipped_ranges(task.id, std::nullopt, 100));
    REQUIRE(ranges.size() == 9); // 86,340 firings and some
    CHECK(ranges.back().first == behind);
    CHECK(ranges.front().last <= done_by - 60s);
    CHECK(ranges.front().reason.find("fire_once") != std::string::npos);
    auto const inserted = bench.home.number("SELECT COUNT(*) FROM execution WHERE state = 'planned'");
    CHECK(inserted >= 119); // the last minute, and until the line
    CHECK(inserted <= 200);
}

} // namespace skipped_test
