#include "tests/unit/storage/executions_bench.hpp"

namespace executions_test {

using namespace baton;
using namespace baton::test;
using protocol::state;
using storage::cancel_outcome;
using storage::engine;
using storage::run_outcome;
using storage::run_request;

namespace {

auto const noon = executions_bench::noon;

} // namespace

TEST_CASE("run now inserts an execution that is due at once and a signal for the master")
{
    executions_bench bench(GENERATE(engine::mysql, engine::sqlite));
    auto const before = wait_for(bench.ledger.now());
    auto const ran = bench.run({task_id{1}, R"({"it's": 1})", std::nullopt, "f"});
    REQUIRE(ran.outcome == run_outcome::created);
    auto const record = wait_for(bench.executions.find(ran.execution));
    REQUIRE(record);
    CHECK(record->cause == protocol::cause::manual);
    CHECK(record->state == state::planned);
    CHECK(record->task == task_id{1});
    CHECK(record->task_name == "task1");
    CHECK(record->task_version == 1);
    CHECK(record->project == "default");
    CHECK(record->max_attempts == 3);
    CHECK(record->scheduled_at >= before);
    CHECK(record->due_at == record->scheduled_at);
    CHECK(bench.home.number("SELECT retry_delay_us FROM execution") == 7'000'000);
    CHECK(bench.home.number("SELECT run_key FROM execution") == ran.execution.value());
    CHECK(wait_for(bench.ledger.open_among({ran.execution})).at(0).payload->view() == R"({"it's": 1})");

    storage::signals signals(*bench.shared);
    auto const pending = wait_for(signals.pending(20s, utc_time{}, 10));
    REQUIRE(pending.size() == 1);
    CHECK(pending[0].id == ran.signal);
    CHECK(pending[0].kind == protocol::signal_kind::run);
    CHECK(pending[0].subject == ran.execution.value());
    CHECK(bench.run({task_id{1}, std::nullopt, std::nullopt, "f"}).execution != ran.execution);
    CHECK(bench.run({task_id{2}, std::nullopt, std::nullopt, "f"}).outcome == run_outcome::not_found);
}

TEST_CASE("an idempotency key names the same execution for a day, and is refused for a different request")
{
    executions_bench bench(GENERATE(engine::mysql, engine::sqlite));
    auto const first = bench.run({task_id{1}, std::nullopt, "k'ey", "f"});
    auto const again = bench.run({task_id{1}, std::nullopt, "k'ey", "f"});
    CHECK(again.outcome == run_outcome::repeated);
    CHECK(again.execution == first.execution);
    CHECK(bench.run({task_id{1}, std::nullopt, "k'ey", "g"}).outcome == run_outcome::key_reused);
    CHECK(bench.run({task_id{1}, std::nullopt, "K'EY", "f"}).outcome == run_outcome::created);
    CHECK(bench.home.number("SELECT COUNT(*) FROM execution") == 2);
    CHECK(bench.home.number("SELECT COUNT(*) FROM `signal`") == 2);

    bench.home.exec("UPDATE idempotency SET created_at = created_at - 86401000000");
    auto const next_day = bench.run({task_id{1}, std::nullopt, "k'ey", "g"});
    CHECK(next_day.outcome == run_outcome::created);
    CHECK(bench.home.number("SELECT COUNT(*) FROM idempotency WHERE `key` = 'k''ey'") == 1);
    CHECK(bench.home.number("SELECT COUNT(*) FROM idempotency") == 2); // retention deletes the other old keys
}

TEST_CASE("of concurrent calls with one idempotency key, one creates the execution and all return it")
{
    executions_bench bench(GENERATE(engine::mysql, engine::sqlite));
    if (GENERATE(false, true)) // of days ago
        bench.home.exec("INSERT INTO idempotency (project, `key`, fingerprint, execution_id, created_at) "
                        "VALUES ('default', 'k', 'f', 1, 1)");
    auto const database = bench.home.open({.sessions = 4});
    storage::executions executions(*database);
    asio::io_context loop;
    std::vector<storage::run_result> results;
    int failed = 0;
    for (int i = 0; i < 8; ++i)
        asio::co_spawn(loop, executions.run_now({task_id{1}, std::nullopt, "k", "f"}, bench.ids),
                       [&](std::exception_ptr failure, storage::run_result result) {
                           failed += failure ? 1 : 0;
                           results.push_back(result);
                       });
    loop.run();
    CHECK(failed == 0);
    REQUIRE(results.size() == 8);
    int created = 0;
    for (auto const& each : results) {
        created += each.outcome == run_outcome::created ? 1 : 0;
        CHECK(each.execution == results[0].execution);
    }
    CHECK(created == 1);
    CHECK(bench.home.number("SELECT COUNT(*) FROM execution") == 1);
}

TEST_CASE("cancelling marks an open execution and its shards once, and inserts a signal for the master")
{
    executions_bench bench(GENERATE(engine::mysql, engine::sqlite));
    bench.plan_one(10, 10, noon);
    std::vector<storage::new_execution> shards{bench.firing(11, 10, noon), bench.firing(12, 10, noon)};
    for (auto& shard : shards) {
        shard.cause = protocol::cause::shard;
        shard.parent = execution_id{10};
    }
    REQUIRE(wait_for(bench.ledger.expand(bench.mine, execution_id{10}, shards)));
    bench.record(bench.result(12, state::succeeded));

    auto const answer = bench.cancel(execution_id{10});
    CHECK(answer.outcome == cancel_outcome::requested);
    CHECK(answer.state == state::running);
    CHECK(bench.column(10, "cancel_requested_at") > 0);
    CHECK(bench.column(11, "cancel_requested_at") > 0);
    CHECK(bench.column(12, "cancel_requested_at") == -1);
    auto const marked = bench.column(10, "cancel_requested_at");
    CHECK(bench.cancel(execution_id{10}).outcome == cancel_outcome::requested);
    CHECK(bench.column(10, "cancel_requested_at") == marked);
    CHECK(bench.home.number("SELECT COUNT(*) FROM `signal` WHERE kind = 'cancel' AND subject = 10") == 2);

    auto const ended = bench.cancel(execution_id{12});
    CHECK(ended.outcome == cancel_outcome::already_ended);
    CHECK(ended.state == state::succeeded);
    CHECK(bench.cancel(execution_id{99}).outcome == cancel_outcome::not_found);
    CHECK(bench.home.number("SELECT COUNT(*) FROM `signal`") == 2);
}

TEST_CASE("an execution is read with all its attempts")
{
    executions_bench bench(GENERATE(engine::mysql, engine::sqlite));
    bench.plan_one(10, 10, noon, 3);
    auto failed = bench.result(10, state::failed);
    failed.error = "boom: 'x'";
    bench.record(failed);
    storage::next_attempt const next{execution_id{10}, 1, noon, protocol::attempt_cause::retry};
    REQUIRE(wait_for(bench.ledger.begin_attempts(bench.mine, {next})).size() == 1);
    auto done = bench.result(10, state::succeeded, 2);
    done.client = "client-2";
    done.value = "[1]";
    done.progress = 100;
    done.started_at = from_micros(1'500);
    bench.record(done);

    auto const record = wait_for(bench.executions.find(execution_id{10}));
    REQUIRE(record);
    CHECK(record->state == state::succeeded);
    CHECK(record->attempt == 2);
    CHECK_FALSE(record->due_at);
    CHECK(record->ended_at);
    CHECK(record->first.outcome == state::failed);
    CHECK(record->started_at == from_micros(1'000));

    auto const attempts = wait_for(bench.executions.attempts(execution_id{10}));
    REQUIRE(attempts.size() == 2);
    CHECK(attempts[0].cause == protocol::attempt_cause::first);
    CHECK(attempts[0].error == "boom: 'x'");
    CHECK(attempts[0].client == "client-1");
    CHECK(attempts[0].outcome == state::failed);
    CHECK(attempts[0].started_at == from_micros(1'000));
    CHECK(attempts[1].attempt == 2);
    CHECK(attempts[1].cause == protocol::attempt_cause::retry);
    CHECK(attempts[1].client == "client-2");
    CHECK(attempts[1].node == "node-1");
    CHECK(attempts[1].outcome == state::succeeded);
    CHECK(attempts[1].result == "[1]");
    CHECK(attempts[1].progress == 100);
    CHECK_FALSE(attempts[1].error);
    CHECK_FALSE(wait_for(bench.executions.find(execution_id{99})));
    CHECK(wait_for(bench.executions.attempts(execution_id{99})).empty());
}

TEST_CASE("an execution has started when a handler first began, also if its first attempt was lost before that")
{
    executions_bench bench(GENERATE(engine::mysql, engine::sqlite));
    bench.plan_one(10, 10, noon, 3);
    auto const started = [&] { return wait_for(bench.executions.find(execution_id{10}))->started_at; };
    auto const lose = [&](int attempt) {
        storage::next_attempt const next{execution_id{10}, attempt, noon, protocol::attempt_cause::node_gone};
        REQUIRE(wait_for(bench.ledger.begin_attempts(bench.mine, {next})).size() == 1);
    };
    auto const runs = [&](int attempt, int since) {
        auto running = bench.result(10, state::running, attempt);
        running.started_at = from_micros(since);
        bench.record(running);
    };
    lose(1);
    CHECK_FALSE(started());
    runs(2, 5'000);
    CHECK(started() == from_micros(5'000));
    lose(2);
    runs(3, 9'000);
    CHECK(started() == from_micros(5'000));

    auto const attempts = wait_for(bench.executions.attempts(execution_id{10}));
    REQUIRE(attempts.size() == 3);
    CHECK_FALSE(attempts[0].started_at);
    CHECK(attempts[1].started_at == from_micros(5'000));
    CHECK(attempts[2].started_at == from_micros(9'000));
    CHECK_FALSE(wait_for(bench.executions.find(execution_id{10}))->first.started_at);
}

TEST_CASE("an execution is read with the error of its latest attempt that ended")
{
    executions_bench bench(GENERATE(engine::mysql, engine::sqlite));
    bench.plan_one(10, 10, noon, 3);
    auto const last_error = [&] { return wait_for(bench.executions.find(execution_id{10}))->last_error; };
    auto const fail = [&](int attempt, std::string why) {
        auto failed = bench.result(10, state::failed, attempt);
        failed.error = std::move(why);
        bench.record(failed);
    };
    auto const begin = [&](int after) {
        storage::next_attempt const next{execution_id{10}, after, noon, protocol::attempt_cause::retry};
        REQUIRE(wait_for(bench.ledger.begin_attempts(bench.mine, {next})).size() == 1);
    };
    CHECK_FALSE(last_error());
    fail(1, "one");
    CHECK(last_error() == "one");
    begin(1);
    CHECK(last_error() == "one"); // until it begins
    bench.record(bench.result(10, state::running, 2));
    CHECK_FALSE(last_error());
    fail(2, "two");
    CHECK(last_error() == "two");
    begin(2);
    CHECK(last_error() == "two");
    fail(3, "three");
    CHECK(last_error() == "three");
    CHECK(wait_for(bench.executions.list({})).items.at(0).last_error == "three");
}

TEST_CASE("an execution knows the name of a deleted task, and the service and handler of the version that it runs")
{
    executions_bench bench(GENERATE(engine::mysql, engine::sqlite));
    for (int id = 10; id < 13; ++id)
        bench.plan_one(id, id, noon);
    bench.home.exec(R"(UPDATE task_version SET definition = '{"name": "old", "service": "s1", "handler": "h1"}')");
    bench.home.exec("DELETE FROM task WHERE id = 10");
    bench.home.exec("UPDATE task SET version = 2, service = 's2' WHERE id = 11");
    bool const ended = GENERATE(false, true);
    if (ended)
        bench.home.exec("UPDATE execution SET state = 'succeeded', due_at = NULL WHERE id = 11");
    auto const shown = [&](int id) {
        auto const found = wait_for(bench.executions.find(execution_id{id}));
        return found->task_name + " " + found->service + " " + found->handler;
    };
    CHECK(shown(10) == "old s1 h1");
    CHECK(shown(11) == "task11 s1 h1");
    CHECK(shown(12) == "task12 s h");
    auto const page = wait_for(bench.executions.list({}));
    REQUIRE(page.items.size() == 3);
    CHECK(page.items[0].task_name == "task12");
    CHECK(page.items[1].service == "s1");
    CHECK(page.items[2].task_name == "old");
    bench.home.exec("UPDATE task_version SET definition = 'damaged'");
    CHECK(shown(10) == "  ");
}

} // namespace executions_test
