#include "tests/unit/storage/scheduler_bench.hpp"

#include <catch2/catch.hpp>

namespace ledger_plan_test {

using namespace baton;
using namespace baton::test;
using storage::advance;
using storage::engine;
using storage::fence;

namespace {
utc_time const noon = from_micros(1'800'000'000'000'000);
}

TEST_CASE("the fence is created, rises to a higher epoch, and never falls")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    CHECK(wait_for(bench.ledger.raise({"master", 5})));
    CHECK(wait_for(bench.ledger.raise({"master", 5})));
    CHECK(wait_for(bench.ledger.raise({"master", 8})));
    CHECK_FALSE(wait_for(bench.ledger.raise({"master", 7})));
    CHECK(wait_for(bench.ledger.raise({"other", 1})));
    CHECK(bench.home.number("SELECT epoch FROM lock_fence WHERE namespace = 'master'") == 8);
}

TEST_CASE("every decision of a master rolls back if its epoch is not the fence's")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    auto& ledger = bench.ledger;
    wait_for(ledger.raise(bench.mine));
    bench.plan_one(1, 1, noon);
    bench.add_task(2, noon);
    wait_for(ledger.raise({"master", 6}));

    std::vector<execution_id> const ids{execution_id{1}};
    advance const step{task_id{2}, 1, noon, noon + 1s, std::nullopt};
    storage::next_attempt const next{execution_id{1}, 1, noon, protocol::attempt_cause::retry};
    auto shard = bench.firing(9, 1, noon);
    shard.parent = execution_id{1};
    for (std::int64_t const epoch : {4, 5, 7}) {
        fence const stale{"master", epoch};
        CHECK_THROWS_AS(wait_for(ledger.plan(stale, {step}, {bench.firing(2, 2, noon)})), not_master);
        CHECK_THROWS_AS(wait_for(ledger.begin_attempts(stale, {next})), not_master);
        CHECK_THROWS_AS(wait_for(ledger.cancel(stale, ids, "x")), not_master);
        CHECK_THROWS_AS(wait_for(ledger.fail(stale, {{execution_id{1}, "x"}})), not_master);
        CHECK_THROWS_AS(wait_for(ledger.expand(stale, execution_id{1}, {shard})), not_master);
        CHECK_THROWS_AS(wait_for(ledger.close_parents(stale, ids)), not_master);
        CHECK_THROWS_AS(wait_for(ledger.resume_delayed(stale, {step})), not_master);
    }
    CHECK(bench.home.number("SELECT COUNT(*) FROM execution") == 1);
    CHECK(bench.state(1) == "planned");
    CHECK(bench.column(1, "attempt") == 1);
    CHECK(bench.home.number("SELECT next_fire_at FROM task WHERE id = 2") == to_micros(noon));
    CHECK(bench.home.number("SELECT touched FROM lock_fence WHERE namespace = 'master'") == 2);
}

TEST_CASE("due tasks are read in time order up to the horizon, and the pages neither repeat nor skip a task")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    for (int id = 1; id <= 7; ++id)
        bench.add_task(id, noon + (id % 3) * 1s);
    bench.add_task(8, noon + 10s);
    bench.home.exec("UPDATE task SET next_fire_at = NULL WHERE id = 7");

    std::vector<std::int64_t> ids;
    storage::due_cursor after;
    for (;;) {
        auto const page = wait_for(bench.ledger.due(noon + 5s, after, 2));
        if (page.empty())
            break;
        CHECK(page.size() <= 2);
        for (auto const& task : page)
            ids.push_back(task.id.value());
        after = storage::cursor_of(page.back());
    }
    CHECK(ids == std::vector<std::int64_t>{3, 6, 1, 4, 2, 5});

    auto const first = wait_for(bench.ledger.due(noon + 5s, {}, 1)).at(0);
    CHECK(first.version == 1);
    CHECK(first.next_fire_at == noon);
    CHECK(first.created_at == from_micros(1));
    CHECK(first.definition == "{\"d\": 3}");
}

TEST_CASE(
    "tasks that are due at the same instant are read in the order of their services, and a page can begin behind one")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    for (int id = 1; id <= 6; ++id)
        bench.add_task(id, noon + (id == 6 ? 1s : 0s));
    bench.home.exec("UPDATE task SET project = 'b' WHERE id = 1");
    bench.home.exec("UPDATE task SET project = 'a', service = 'y' WHERE id IN (2, 4)");
    bench.home.exec("UPDATE task SET project = 'a', service = 'z' WHERE id IN (3, 5)");
    auto const behind = [&](storage::due_cursor const& place) {
        std::vector<std::int64_t> ids;
        for (auto const& task : wait_for(bench.ledger.due(noon + 5s, place, 10)))
            ids.push_back(task.id.value());
        return ids;
    };
    using ids = std::vector<std::int64_t>;
    CHECK(behind({}) == ids{2, 4, 3, 5, 1, 6});
    CHECK(behind({noon, {"a", "y"}, task_id{2}}) == ids{4, 3, 5, 1, 6});
    CHECK(behind({noon, {"a", "y"}, task_id{100}}) == ids{3, 5, 1, 6});
    CHECK(behind({noon, {"b", "a"}, task_id{100}}) == ids{1, 6});
    CHECK(behind({noon, {"c", "a"}, {}}) == ids{6});
    CHECK(wait_for(bench.ledger.due(noon + 5s, {}, 1)).at(0).service == protocol::service_key{"a", "y"});
}

TEST_CASE("the tasks that are due in a range are counted up to a bound, without parked ones")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    for (int id = 1; id <= 7; ++id)
        bench.add_task(id, noon + id * 1s);
    bench.home.exec("UPDATE task SET parked_for = 'default/s' WHERE id = 4");
    CHECK(wait_for(bench.ledger.count_due(noon + 3s, noon + 6s, 100)) == 2); // 3 and 5
    CHECK(wait_for(bench.ledger.count_due(noon, noon + 1h, 3)) == 3);
    CHECK(wait_for(bench.ledger.count_due(noon + 8s, noon + 1h, 3)) == 0);
}

TEST_CASE("planning advances every task and inserts every execution with its instant and the epoch")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    std::vector<advance> steps;
    std::vector<storage::new_execution> rows;
    for (int id = 1; id <= 1'203; ++id)
        rows.push_back(bench.firing(id, 1, noon + id * 1ms, 3));
    bench.add_task(1, noon);
    bench.add_task(2, noon);
    bench.add_task(3, noon);
    steps.push_back({task_id{1}, 1, noon, noon + 7s, std::nullopt});
    steps.push_back({task_id{2}, 1, noon, std::nullopt, std::nullopt});
    steps.push_back({task_id{3}, 1, noon, std::nullopt, execution_id{77}});

    auto const before = wait_for(bench.ledger.now());
    CHECK(wait_for(bench.ledger.plan(bench.mine, steps, rows)));
    CHECK(bench.home.number("SELECT COUNT(*) FROM execution") == 1'203);
    CHECK(bench.home.number("SELECT next_fire_at FROM task WHERE id = 1") == to_micros(noon + 7s));
    CHECK(bench.home.number("SELECT COUNT(*) FROM task WHERE next_fire_at IS NULL") == 2);
    CHECK(bench.home.number("SELECT waiting_for FROM task WHERE id = 3") == 77);
    CHECK(bench.state(1'203) == "planned");
    CHECK(bench.column(1'203, "due_at") == to_micros(noon + 1'203ms));
    CHECK(bench.column(1'203, "run_key") == 0);
    CHECK(bench.column(1'203, "epoch") == 5);
    CHECK(bench.column(1'203, "max_attempts") == 3);
    CHECK(bench.column(1'203, "retry_delay_us") == 10'000'000);
    CHECK(bench.column(1'203, "created_at") >= to_micros(before));
    CHECK(bench.column(1'203, "parent_id") == -1);
}

TEST_CASE("a page is refused as a whole if one of its tasks has changed since it was read")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    bench.add_task(1, noon);
    bench.add_task(2, noon, 3);
    advance const good{task_id{1}, 1, noon, noon + 1s, std::nullopt};
    advance other{task_id{2}, 3, noon, noon + 1s, std::nullopt};
    SECTION("another version")
    {
        other.version = 2;
    }
    SECTION("another instant")
    {
        other.seen = noon - 1s;
    }
    SECTION("deleted")
    {
        other.id = task_id{9};
    }
    CHECK_FALSE(wait_for(bench.ledger.plan(bench.mine, {good, other}, {bench.firing(1, 1, noon)})));
    CHECK(bench.home.number("SELECT COUNT(*) FROM execution") == 0);
    CHECK(bench.home.number("SELECT next_fire_at FROM task WHERE id = 1") == to_micros(noon));
}

TEST_CASE("a task whose next instant stays the same still counts as advanced")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    bench.add_task(1, noon);
    advance const still{task_id{1}, 1, noon, noon, std::nullopt};
    CHECK(wait_for(bench.ledger.plan(bench.mine, {still}, {})));
}

TEST_CASE("a firing never has two rows, and its task advances past a firing that already has one")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    bench.plan_one(1, 1, noon);
    bench.home.exec("UPDATE task SET next_fire_at = " + std::to_string(to_micros(noon)));
    bench.add_task(2, noon);
    advance const again{task_id{1}, 1, noon, noon + 1s, std::nullopt};
    advance const fresh{task_id{2}, 1, noon, noon + 1s, std::nullopt};
    auto const rows = std::vector{bench.firing(2, 1, noon), bench.firing(3, 2, noon)};
    auto const outcome = wait_for(bench.ledger.plan(bench.mine, {again, fresh}, rows));
    CHECK(outcome.done);
    CHECK(outcome.taken == std::set{execution_id{2}});
    CHECK(bench.home.number("SELECT COUNT(*) FROM execution WHERE task_id = 1") == 1);
    CHECK(bench.home.number("SELECT COUNT(*) FROM task WHERE next_fire_at = " + std::to_string(to_micros(noon + 1s))) ==
          2);
    CHECK(wait_for(bench.ledger.open_keys(noon + 1s, {}, 10)).size() == 2);
}

TEST_CASE("a page with a taken id is refused and changes nothing")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    bench.plan_one(1, 1, noon);
    bench.add_task(2, noon);
    advance const step{task_id{2}, 1, noon, noon + 1s, std::nullopt};
    CHECK_FALSE(wait_for(bench.ledger.plan(bench.mine, {step}, {bench.firing(1, 2, noon)})));
    CHECK(bench.home.number("SELECT next_fire_at FROM task WHERE id = 2") == to_micros(noon));
    CHECK(wait_for(bench.ledger.plan(bench.mine, {step}, {bench.firing(2, 2, noon)})));
}

TEST_CASE("open executions are read in pages by due time, with everything that delivery needs")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    bench.plan_one(1, 1, noon + 2s, 4);
    bench.plan_one(2, 2, noon);
    bench.plan_one(3, 3, noon);
    bench.plan_one(4, 4, noon + 60s);
    bench.plan_one(5, 5, noon);
    bench.record(bench.result(5, protocol::state::succeeded));
    bench.home.exec("UPDATE execution SET payload = '[1]', cancel_requested_at = 5 WHERE id = 1");

    std::vector<std::int64_t> ids;
    storage::open_cursor after;
    for (;;) {
        auto const page = wait_for(bench.ledger.open(noon + 10s, after, 1));
        if (page.empty())
            break;
        ids.push_back(page.at(0).id.value());
        after = {page.at(0).due_at, page.at(0).id};
    }
    CHECK(ids == std::vector<std::int64_t>{2, 3, 1});

    auto const one = wait_for(bench.ledger.open_among({execution_id{1}})).at(0);
    CHECK(one.id == execution_id{1});
    CHECK(one.task == task_id{1});
    CHECK(one.version == 1);
    CHECK(one.scheduled_at == noon + 2s);
    CHECK(one.due_at == noon + 2s);
    CHECK(one.cause == protocol::cause::schedule);
    CHECK(one.state == protocol::state::planned);
    CHECK(one.attempt == 1);
    CHECK(one.max_attempts == 4);
    CHECK(one.cancel_requested);
    CHECK_FALSE(one.parent);
    CHECK(one.payload->view() == "[1]");
    CHECK(one.definition == "{\"d\": 1}");

    auto const among = wait_for(bench.ledger.open_among({execution_id{1}, execution_id{5}, execution_id{99}}));
    REQUIRE(among.size() == 1);
    CHECK(among[0].id == execution_id{1});
    CHECK(wait_for(bench.ledger.open_among({})).empty());
    auto const still = wait_for(bench.ledger.still_open({execution_id{1}, execution_id{5}, execution_id{99}}));
    CHECK(still == std::vector{execution_id{1}});
    CHECK(wait_for(bench.ledger.still_open({})).empty());

    auto const keys = wait_for(bench.ledger.open_keys(noon + 10s, {}, 10));
    REQUIRE(keys.size() == 3);
    CHECK(keys[2].id == execution_id{1});
    CHECK(keys[2].cancel_requested);
    CHECK_FALSE(keys[0].cancel_requested);
}

TEST_CASE("an open row with an unknown cause or state is read with the reason, and the rows behind it are read too")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    for (int id = 1; id <= 3; ++id)
        bench.plan_one(id, id, noon);
    bench.home.exec("UPDATE execution SET cause = 'novel' WHERE id = 1");
    bench.home.exec("UPDATE execution SET state = 'lost' WHERE id = 2");
    auto const rows = wait_for(bench.ledger.open(noon + 10s, {}, 10));
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].unreadable == "cause must be one of schedule, manual, shard, rerun, forced, not 'novel'");
    CHECK_THAT(rows[1].unreadable, Catch::StartsWith("state must be one of") && Catch::EndsWith("not 'lost'"));
    CHECK(rows[2].unreadable.empty());
    CHECK(wait_for(bench.ledger.open_keys(noon + 10s, {}, 10)).size() == 3);
}

TEST_CASE("a fixed-delay task is ready once its execution has ended, and advances only once")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    bench.plan_one(1, 1, noon);
    bench.plan_one(2, 2, noon);
    bench.home.exec("UPDATE task SET next_fire_at = NULL, waiting_for = id");
    std::vector const both{execution_id{1}, execution_id{2}};
    CHECK(wait_for(bench.ledger.delayed_ready(both)).empty());

    bench.record(bench.result(1, protocol::state::failed));
    auto const ready = wait_for(bench.ledger.delayed_ready(both));
    REQUIRE(ready.size() == 1);
    CHECK(ready[0].id == task_id{1});
    CHECK(ready[0].version == 1);
    CHECK(ready[0].execution == execution_id{1});
    CHECK(to_micros(ready[0].ended_at) == bench.column(1, "ended_at"));
    CHECK(ready[0].definition == "{\"d\": 1}");

    advance const step{task_id{1}, 1, {}, noon + 9s, execution_id{1}};
    advance const edited{task_id{2}, 7, {}, noon + 9s, execution_id{2}};
    wait_for(bench.ledger.resume_delayed(bench.mine, {step, edited}));
    CHECK(bench.home.number("SELECT next_fire_at FROM task WHERE id = 1") == to_micros(noon + 9s));
    CHECK(bench.home.number("SELECT waiting_for FROM task WHERE id = 1") == -1);
    CHECK(bench.home.number("SELECT waiting_for FROM task WHERE id = 2") == 2);
    CHECK(wait_for(bench.ledger.delayed_ready(both)).empty());
    CHECK(wait_for(bench.ledger.delayed_ready({})).empty());
}

TEST_CASE("fixed-delay tasks whose execution has ended are found piece by piece")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    for (int id = 1; id <= 5; ++id)
        bench.plan_one(id, id, noon);
    bench.home.exec("UPDATE task SET next_fire_at = NULL, waiting_for = id");
    bench.record(bench.result(2, protocol::state::failed));
    bench.record(bench.result(5, protocol::state::succeeded));
    bench.home.exec("DELETE FROM execution WHERE id = 4"); // as good as ended
    std::vector<std::int64_t> found;
    execution_id after;
    for (int piece = 0; piece < 3; ++piece) {
        for (auto const& task : wait_for(bench.ledger.delayed_ready(after, 2)))
            found.push_back(task.id.value());
        CHECK(after == (piece == 2 ? execution_id{} : execution_id{2 * piece + 2}));
    }
    CHECK(found == std::vector<std::int64_t>{2, 4, 5});
}

TEST_CASE("the mark of what may have been fired never falls, outlives a term, and is written only by the present one")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    CHECK(wait_for(bench.ledger.fired_until("master")) == utc_time{});
    wait_for(bench.ledger.raise(bench.mine));
    CHECK(wait_for(bench.ledger.fired_until("master")) == utc_time{});
    wait_for(bench.ledger.mark_fired(bench.mine, noon + 10s));
    wait_for(bench.ledger.mark_fired(bench.mine, noon)); // by a clock that is behind
    CHECK(wait_for(bench.ledger.fired_until("master")) == noon + 10s);
    storage::fence const next{"master", 6};
    wait_for(bench.ledger.raise(next));
    CHECK(wait_for(bench.ledger.fired_until("master")) == noon + 10s);
    CHECK_THROWS_AS(wait_for(bench.ledger.mark_fired(bench.mine, noon + 60s)), not_master);
    CHECK(wait_for(bench.ledger.fired_until("master")) == noon + 10s);
}

} // namespace ledger_plan_test
