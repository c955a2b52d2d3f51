#include "tests/unit/storage/scheduler_bench.hpp"

#include <catch2/catch.hpp>

namespace retention_test {

using namespace baton;
using namespace baton::test;
using protocol::state;
using storage::engine;
using storage::forgotten;
using storage::ledger_place;

namespace {

utc_time const noon = from_micros(1'700'000'000'000'000); // long past

// A ledger in which each execution is of a task of its own that has gone past it.
struct bench : scheduler_bench {
    explicit bench(engine kind) : scheduler_bench(kind) { wait_for(ledger.raise(mine)); }

    // Ended as long after its firing as said.
    void ended(int id, utc_time at, duration later = 1s)
    {
        plan_one(id, id, at);
        record(result(id, state::succeeded));
        home.exec("UPDATE execution SET ended_at = scheduled_at + " + std::to_string(later.count()) +
                  " WHERE id = " + std::to_string(id));
    }

    std::size_t forget(utc_time limit, std::size_t rows = 100)
    {
        return wait_for(retention.executions(limit, {}, rows)).deleted;
    }

    std::string left() { return ids("execution", "id"); }
    std::string ids(std::string const& table, std::string const& column)
    {
        auto const all =
            home.where().engine == engine::sqlite ? "group_concat(x, ' ')" : "GROUP_CONCAT(x ORDER BY x SEPARATOR ' ')";
        return home.text(std::string("SELECT ") + all + " FROM (SELECT " + column + " AS x FROM " + table +
                         " ORDER BY 1) o");
    }

    storage::retention retention{*shared};
};

} // namespace

TEST_CASE("retention deletes the executions that were scheduled and ended before the limit, and no others")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    b.ended(1, noon - 10s);
    b.ended(2, noon - 10s, 20s); // scheduled before the limit, ended after it
    b.ended(3, noon);
    b.plan_one(4, 4, noon - 20s);
    b.plan_one(5, 5, noon - 20s, 3);
    b.record(b.result(5, state::failed)); // its next attempt is to come
    CHECK(b.forget(noon) == 1);
    CHECK(b.left() == "2 3 4 5");
    CHECK(b.forget(noon + 1us) == 0); // the third ended a second later
    CHECK(b.forget(noon + 1h) == 2);
    CHECK(b.left() == "4 5");
}

TEST_CASE("a cancelled execution stays until its scheduled instant is older than the limit")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    b.ended(1, noon, -5s);
    CHECK(b.forget(noon) == 0);
    CHECK(b.forget(noon + 1us) == 1);
}

TEST_CASE("retention deletes an execution together with its further attempts, and no others")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    for (int const id : {1, 2}) {
        b.plan_one(id, id, noon, 3);
        b.record(b.result(id, state::failed));
        storage::next_attempt const next{execution_id{id}, 1, noon, protocol::attempt_cause::retry};
        REQUIRE(wait_for(b.ledger.begin_attempts(b.mine, {next})).size() == 1);
    }
    b.record(b.result(1, state::succeeded, 2));
    b.home.exec("UPDATE execution SET ended_at = scheduled_at WHERE id = 1");
    CHECK(b.forget(noon + 1s) == 1);
    CHECK(b.left() == "2");
    CHECK(b.ids("attempt", "execution_id") == "2");
}

TEST_CASE("retention deletes a failed execution from the searches and from the dead letters, and no others")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    for (int const id : {1, 2}) {
        b.plan_one(id, id, noon);
        b.record(b.result(id, state::failed));
    }
    CHECK(b.ids("failure", "execution_id") == "1 2");
    b.home.exec("UPDATE execution SET ended_at = scheduled_at WHERE id = 1");
    CHECK(b.forget(noon + 1s) == 1);
    CHECK(b.ids("failure", "execution_id") == "2");
    CHECK(b.ids("dead_letter", "execution_id") == "2");
}

TEST_CASE("the steps of retention are bounded and leave no gap, even among firings of one instant")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    for (int id = 1; id <= 9; ++id)
        b.ended(id, id < 3 ? noon - 1s : noon);
    b.home.exec("UPDATE execution SET task_id = 4, run_key = id WHERE id IN (6, 7)"); // beside the firing of task 4
    b.home.exec("UPDATE execution SET due_at = 1 WHERE id IN (5, 7)");
    ledger_place at;
    std::string sizes;
    for (bool more = true; more;) {
        auto const piece = wait_for(b.retention.executions(noon + 1h, at, 2));
        sizes += std::to_string(piece.deleted) + " ";
        at = piece.last;
        more = piece.more;
    }
    CHECK(sizes == "2 2 1 1 1 "); // 1 2, 3 4, 6 (7), (5) 8, 9
    CHECK(b.left() == "5 7");
    CHECK_FALSE(wait_for(b.retention.executions(noon + 1h, at, 2)).more);
    CHECK(b.forget(noon + 1h) == 0); // from the beginning
}

TEST_CASE("attempts count towards the size of a step, but an execution is always deleted whole")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    for (int id = 1; id <= 3; ++id)
        b.ended(id, noon + id * 1s);
    b.home.exec("UPDATE execution SET attempt = 50 WHERE id < 3");
    auto const first = wait_for(b.retention.executions(noon + 1h, {}, 10));
    CHECK(first.deleted == 1);
    CHECK(first.more);
    auto const second = wait_for(b.retention.executions(noon + 1h, first.last, 60));
    CHECK(second.deleted == 2);
    CHECK_FALSE(second.more);
}

TEST_CASE("retention keeps the shards of an open broadcast, and a broadcast with an open shard")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    b.plan_one(10, 10, noon);
    std::vector<storage::new_execution> shards{b.firing(11, 10, noon), b.firing(12, 10, noon)};
    for (auto& shard : shards) {
        shard.cause = protocol::cause::shard;
        shard.parent = execution_id{10};
    }
    REQUIRE(wait_for(b.ledger.expand(b.mine, execution_id{10}, shards)));
    b.record(b.result(11, state::failed));
    b.record(b.result(12, state::succeeded));
    b.home.exec("UPDATE execution SET ended_at = scheduled_at WHERE due_at IS NULL");
    CHECK(b.forget(noon + 1h) == 0);
    CHECK(wait_for(b.ledger.close_parents(b.mine, {execution_id{10}})).size() == 1);
    CHECK(b.state(10) == "failed");
    b.home.exec("UPDATE execution SET ended_at = scheduled_at WHERE id = 10");

    b.home.exec("UPDATE execution SET due_at = 1 WHERE id = 12"); // as it should never be
    CHECK(b.forget(noon + 1h) == 1);
    CHECK(b.left() == "10 12");
    b.home.exec("UPDATE execution SET due_at = NULL WHERE id = 12");
    CHECK(b.forget(noon + 1h) == 2);
}

TEST_CASE("retention keeps a broadcast, which has the payload, until its last shard goes")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    b.plan_one(10, 10, noon);
    std::vector<storage::new_execution> shards{b.firing(11, 10, noon), b.firing(12, 10, noon)};
    for (auto& shard : shards) {
        shard.cause = protocol::cause::shard;
        shard.parent = execution_id{10};
    }
    REQUIRE(wait_for(b.ledger.expand(b.mine, execution_id{10}, shards)));
    b.record(b.result(11, state::failed));
    b.record(b.result(12, state::succeeded));
    REQUIRE(wait_for(b.ledger.close_parents(b.mine, {execution_id{10}})).size() == 1);
    b.home.exec("UPDATE execution SET ended_at = scheduled_at WHERE id <> 11");
    b.home.exec("UPDATE execution SET ended_at = scheduled_at + 7200000000 WHERE id = 11");
    CHECK(b.forget(noon + 1h) == 1);
    CHECK(b.left() == "10 11");
    CHECK(b.forget(noon + 3h) == 2);
}

TEST_CASE("retention keeps the execution that a fixed-delay task waits for")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    b.ended(1, noon);
    b.home.exec("UPDATE task SET next_fire_at = NULL, waiting_for = 1");
    CHECK(b.forget(noon + 1h) == 0);
    auto const ready = wait_for(b.ledger.delayed_ready({execution_id{1}}));
    REQUIRE(ready.size() == 1);
    CHECK(ready[0].ended_at == noon + 1s);
    storage::advance const step{task_id{1}, 1, {}, noon + 1min, execution_id{1}};
    wait_for(b.ledger.resume_delayed(b.mine, {step}));
    CHECK(b.forget(noon + 1h) == 1);
}

TEST_CASE("retention keeps an execution whose handler has not returned, since it holds a slot")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    for (int const id : {1, 2})
        b.plan_one(id, id, noon);
    wait_for(b.ledger.end_unresponsive(b.mine, {{execution_id{1}, 1, "client-1", state::timed_out, "late"},
                                                {execution_id{2}, 1, "client-1", state::cancelled, "late"}}));
    wait_for(b.ledger.forget_unresponsive(b.mine, {execution_id{2}}));
    b.home.exec("UPDATE execution SET ended_at = scheduled_at");
    CHECK(b.forget(noon + 1h) == 1);
    REQUIRE(wait_for(b.ledger.unresponsive()).size() == 1); // a new master finds it
    wait_for(b.ledger.forget_unresponsive(b.mine, {execution_id{1}}));
    CHECK(b.forget(noon + 1h) == 1);
}

TEST_CASE("a handler that outlives the execution of its attempt gets a row once, and none while the execution is open")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    for (int const id : {1, 2})
        b.plan_one(id, id, noon);
    b.home.exec(
        "UPDATE execution SET state = 'succeeded', due_at = NULL, attempt = 2, ended_at = scheduled_at WHERE id = 1");
    std::vector<storage::unresponsive_attempt> const both{{execution_id{1}, 2, "client-1"},
                                                          {execution_id{2}, 2, "client-1"}};
    wait_for(b.ledger.note_unresponsive(b.mine, both));
    wait_for(b.ledger.note_unresponsive(b.mine, both)); // its answer was lost
    auto const rows = wait_for(b.ledger.unresponsive());
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].id == execution_id{1});
    CHECK(rows[0].attempt == 2);
    CHECK(rows[0].client == "client-1");
    CHECK(b.forget(noon + 1h) == 0);
}

TEST_CASE("retention keeps an execution whose end has not been followed by the tasks that run after it")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    b.ended(1, noon);
    b.home.exec("INSERT INTO settle (execution_id, namespace, task_id, scheduled_at) VALUES (1, 1, 1, 1)");
    CHECK(b.forget(noon + 1h) == 0);
    b.home.exec("DELETE FROM settle");
    CHECK(b.forget(noon + 1h) == 1);
}

TEST_CASE("retention keeps a firing that its task has not passed, so that it is not planned again")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    b.ended(1, noon);
    b.ended(2, noon);
    b.home.exec("UPDATE task SET next_fire_at = " + std::to_string(to_micros(noon)));
    b.home.exec("UPDATE execution SET run_key = id WHERE id = 2"); // run by hand: no firing
    CHECK(b.forget(noon + 1h) == 1);
    CHECK(b.left() == "1");
    storage::advance const step{task_id{1}, 1, noon, noon + 60s, std::nullopt};
    CHECK(wait_for(b.ledger.plan(b.mine, {step}, {b.firing(9, 1, noon)}))); // planned past it
    CHECK(b.left() == "1");
    CHECK(b.forget(noon + 1h) == 1);
}

TEST_CASE("retention deletes the executions of a deleted task as well")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    b.ended(1, noon);
    b.home.exec("DELETE FROM task");
    CHECK(b.forget(noon + 1h) == 1);
    CHECK(b.left() == "NULL");
}

TEST_CASE("expired idempotency keys are deleted in steps, the oldest first, and those of the last day stay")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    auto const now = to_micros(wait_for(b.ledger.now()));
    for (int i = 0; i < 7; ++i)
        b.home.exec("INSERT INTO idempotency (project, `key`, fingerprint, execution_id, created_at) VALUES ('p', 'k" +
                    std::to_string(i) + "', 'f', " + std::to_string(i) + ", " +
                    std::to_string(now - (30 - 2 * i) * 3'600'000'000) + ")"); // 30 h, 28 h, 26 h, 24 h, 22 h ...
    CHECK(wait_for(b.retention.keys(2)));
    CHECK(b.ids("idempotency", "execution_id") == "2 3 4 5 6");
    CHECK(wait_for(b.retention.keys(2)));
    CHECK(b.ids("idempotency", "execution_id") == "4 5 6");
    CHECK_FALSE(wait_for(b.retention.keys(2)));
    CHECK(b.ids("idempotency", "execution_id") == "4 5 6");
}

TEST_CASE("the newest thousand terms are kept, however far apart their epochs are, and older ones are deleted in steps")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    std::string rows;
    for (int i = 1; i <= 1'150; ++i)
        rows += (i == 1 ? "" : ", ") + std::string("('master', ") + std::to_string(i * 60'000) +
                ", 'o', 'n', 'free', 1, 1, 2, 'x', 0)";
    b.home.exec("INSERT INTO term (namespace, epoch, owner, node, how, began_at, acting_at, ended_at, why_ended, "
                "replayed) VALUES ('other', 1, 'o', 'n', 'free', 1, 1, 2, 'x', 0), " +
                rows);
    CHECK(wait_for(b.retention.terms("master", 100)));
    CHECK(b.home.number("SELECT COUNT(*) FROM term WHERE namespace = 'master'") == 1'050);
    CHECK(b.home.number("SELECT MIN(epoch) FROM term WHERE namespace = 'master'") == 101 * 60'000);
    CHECK_FALSE(wait_for(b.retention.terms("master", 100)));
    CHECK(b.home.number("SELECT COUNT(*) FROM term WHERE namespace = 'master'") == 1'000);
    CHECK_FALSE(wait_for(b.retention.terms("master", 100)));
    CHECK_FALSE(wait_for(b.retention.terms("nobody", 100)));
    CHECK(b.home.number("SELECT COUNT(*) FROM term") == 1'001);
}

TEST_CASE("a version of a calendar is deleted when another has replaced it before the limit, or the calendar is gone")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    b.home.exec(
        "INSERT INTO named_calendar (id, namespace, project, name, version, definition, created_at, updated_at) "
        "VALUES (1, 1, 'default', 'holidays', 3, '{}', 1, 1)");
    auto const version = [&](int calendar, int number, utc_time at) {
        b.home.exec("INSERT INTO calendar_version (calendar_id, version, definition, created_at) VALUES (" +
                    std::to_string(calendar) + ", " + std::to_string(number) + ", '{}', " +
                    std::to_string(to_micros(at)) + ")");
    };
    version(1, 1, noon - 3h);
    version(1, 2, noon - 2h); // held until after the limit
    version(1, 3, noon + 1h);
    version(2, 1, noon - 3h); // deleted calendars
    version(3, 1, noon + 1h);
    CHECK(wait_for(b.retention.calendar_versions(noon, 1)));
    CHECK_FALSE(wait_for(b.retention.calendar_versions(noon, 2)));
    CHECK(b.ids("calendar_version", "calendar_id * 10 + version") == "12 13 31");
}

TEST_CASE("a pause is deleted when it ended before the limit and masters have forgotten it")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    auto const now = wait_for(b.ledger.now());
    auto const pause = [&](int id, std::int64_t ended) {
        b.home.exec("INSERT INTO pause (id, namespace, project, service, firings, reason, begun_by, since, ended_at) "
                    "VALUES (" +
                    std::to_string(id) + ", 1, 'default', 's', 'hold', 'r', 'ann', 1, " + std::to_string(ended) + ")");
    };
    pause(1, 0);
    pause(2, to_micros(now - 24h * 9));
    pause(3, to_micros(now - 24h * 10));
    pause(4, to_micros(now - 24h * 7));
    CHECK_FALSE(wait_for(b.retention.pauses(now - 1h, 10)));
    CHECK(b.ids("pause", "id") == "1 4");
    pause(2, to_micros(now - 24h * 9));
    CHECK(wait_for(b.retention.pauses(now - 24h * 8 - 1h, 1)));
    CHECK_FALSE(wait_for(b.retention.pauses(now - 24h * 20, 1)));
    CHECK(b.ids("pause", "id") == "1 4");
}

} // namespace retention_test
