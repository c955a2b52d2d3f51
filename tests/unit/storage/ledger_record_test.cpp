#include "libs/storage/statement.hpp"
#include "tests/unit/storage/scheduler_bench.hpp"

#include <catch2/catch.hpp>

namespace ledger_record_test {

using namespace baton;
using namespace baton::test;
using protocol::state;
using storage::engine;
using storage::next_attempt;

namespace {
utc_time const noon = from_micros(1'800'000'000'000'000);
}

TEST_CASE("a result ends its execution and stores everything that the client reported")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    bench.plan_one(1, 1, noon);
    auto result = bench.result(1, state::succeeded);
    result.value = "{\"it's\": \":v ?\"}";
    result.progress = 100;
    bench.record(result);
    CHECK(bench.state(1) == "succeeded");
    CHECK(bench.column(1, "due_at") == -1);
    CHECK(bench.column(1, "ended_at") > 1'700'000'000'000'000);
    CHECK(bench.column(1, "started_at") == 1'000);
    CHECK(bench.column(1, "finished_at") == 2'000);
    CHECK(bench.column(1, "progress") == 100);
    CHECK(bench.home.text("SELECT result FROM execution") == "{\"it's\": \":v ?\"}");
    CHECK(bench.home.text("SELECT outcome FROM execution") == "succeeded");
    CHECK(bench.home.text("SELECT client FROM execution") == "client-1");
    CHECK(bench.home.text("SELECT node FROM execution") == "node-1");
    CHECK(bench.home.text("SELECT error FROM execution") == "NULL");
}

TEST_CASE("results are recorded even if the server has ended the session")
{
    store home(engine::mysql);
    auto const deciding = home.migrated().open({.sessions = 1});
    auto const shared = home.open({.sessions = 1});
    storage::ledger ledger(*deciding, *shared);
    auto const who = [](soci::session& sql) {
        std::int64_t id = 0;
        storage::statement(sql).select("CONNECTION_ID()").each([&](storage::row& cells) { id = cells.number(); });
        return id;
    };
    auto const before = wait_for(shared->run(who));
    auto const end_it = [&](soci::session& sql) { storage::statement(sql, "KILL ", before).execute(); };
    wait_for(deciding->run(end_it)); // that leads to the same server, in a cluster, too
    storage::result_row row;
    row.id = execution_id{1};
    row.outcome = state::succeeded;
    wait_for(ledger.record({row}, "node-1"));
    CHECK(wait_for(shared->run(who)) != before);
}

TEST_CASE("SQL and protocol::after_attempt agree on the state after every outcome of an attempt")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    int id = 0;
    for (auto const ended : {state::succeeded, state::failed, state::timed_out, state::cancelled})
        for (int const attempt : {1, 2, 3})
            for (int const max_attempts : {1, 2, 3})
                for (bool const cancel : {false, true})
                    for (bool const final : {false, true}) {
                        ++id;
                        bench.plan_one(id, id, noon, max_attempts);
                        for (int past = 1; past < attempt; ++past) {
                            next_attempt const next{execution_id{id}, past, noon, protocol::attempt_cause::retry};
                            REQUIRE(wait_for(bench.ledger.begin_attempts(bench.mine, {next})).size() == 1);
                        }
                        if (cancel)
                            bench.home.exec("UPDATE execution SET cancel_requested_at = 1 WHERE id = " +
                                            std::to_string(id));
                        auto const before = to_micros(wait_for(bench.ledger.now()));
                        auto row = bench.result(id, ended, attempt);
                        row.final = final;
                        bench.record(row);

                        INFO(to_string(ended) << " attempt " << attempt << " of " << max_attempts << " cancel "
                                              << cancel << " final " << final);
                        auto const expected = protocol::after_attempt(
                            ended, attempt, protocol::attempts_allowed(final, attempt, max_attempts), cancel);
                        CHECK(bench.state(id) == to_string(expected));
                        if (expected == state::retrying) {
                            // From the commit, by the database's clock: the client's said 1970.
                            CHECK(bench.column(id, "due_at") > before);
                            CHECK(bench.column(id, "due_at") < before + 60'000'000);
                            CHECK(bench.column(id, "ended_at") == -1);
                        } else {
                            CHECK(bench.column(id, "due_at") == -1);
                            CHECK(bench.column(id, "ended_at") > 0);
                        }
                        auto const reported =
                            attempt == 1 ? "SELECT outcome FROM execution WHERE id = " + std::to_string(id)
                                         : "SELECT outcome FROM attempt WHERE attempt = " + std::to_string(attempt) +
                                               " AND execution_id = " + std::to_string(id);
                        CHECK(bench.home.text(reported) == to_string(ended));
                    }
}

TEST_CASE("an interrupted execution goes out again, without an attempt of its task, and fails after twenty of them")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    bench.plan_one(1, 1, noon, 1);
    auto const interrupt = [&](int attempt) {
        auto row = bench.result(1, state::failed, attempt);
        row.interrupted = true;
        bench.record(row);
        bench.record(row); // a second time it changes nothing
    };
    for (int attempt = 1; attempt < protocol::most_interruptions; ++attempt) {
        interrupt(attempt);
        REQUIRE(bench.state(1) == "retrying");
        REQUIRE(bench.column(1, "max_attempts") == attempt + 1);
        next_attempt const next{execution_id{1}, attempt, noon, protocol::attempt_cause::interrupted};
        REQUIRE(wait_for(bench.ledger.begin_attempts(bench.mine, {next})).size() == 1);
        REQUIRE(bench.column(1, "max_attempts") == attempt + 1);
    }
    CHECK(bench.home.text("SELECT outcome FROM execution WHERE id = 1") == "interrupted");
    CHECK(bench.home.text("SELECT outcome FROM attempt WHERE execution_id = 1 AND attempt = 2") == "interrupted");
    interrupt(protocol::most_interruptions);
    CHECK(bench.state(1) == "failed");
    CHECK(bench.home.number("SELECT COUNT(*) FROM dead_letter WHERE execution_id = 1") == 1);
    CHECK(bench.home.text("SELECT error FROM attempt WHERE execution_id = 1 AND attempt = 20") ==
          protocol::reason_of_interruptions());
}

TEST_CASE("an interrupted execution is cancelled after a request to cancel, and its failures use up attempts as usual")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    bench.plan_one(1, 1, noon, 1);
    bench.plan_one(2, 2, noon, 1);
    bench.home.exec("UPDATE execution SET cancel_requested_at = 1 WHERE id = 1");
    for (int const id : {1, 2}) {
        auto row = bench.result(id, state::failed);
        row.interrupted = true;
        bench.record(row);
    }
    CHECK(bench.state(1) == "cancelled");
    next_attempt const next{execution_id{2}, 1, noon, protocol::attempt_cause::interrupted};
    REQUIRE(wait_for(bench.ledger.begin_attempts(bench.mine, {next})).size() == 1);
    bench.record(bench.result(2, state::failed, 2));
    CHECK(bench.state(2) == "failed");
}

TEST_CASE("a repeated result, or a result of an earlier attempt, changes nothing")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    bench.plan_one(1, 1, noon, 3);
    bench.record(bench.result(1, state::failed));
    auto const due = bench.column(1, "due_at");
    auto late = bench.result(1, state::failed);
    late.finished_at = noon;
    bench.record(late);
    bench.record(bench.result(1, state::succeeded));
    CHECK(bench.state(1) == "retrying");
    CHECK(bench.column(1, "due_at") == due);

    next_attempt const next{execution_id{1}, 1, noon, protocol::attempt_cause::retry};
    CHECK(wait_for(bench.ledger.begin_attempts(bench.mine, {next})) == std::vector{execution_id{1}});
    bench.record(bench.result(1, state::succeeded, 1));
    bench.record(bench.result(1, state::succeeded, 3));
    CHECK(bench.state(1) == "planned");
    bench.record(bench.result(1, state::succeeded, 2));
    CHECK(bench.state(1) == "succeeded");
    bench.record(bench.result(1, state::failed, 2));
    bench.record(bench.result(99, state::failed));
    CHECK(bench.state(1) == "succeeded");
    CHECK(bench.home.text("SELECT outcome FROM execution") == "failed");
    CHECK(bench.home.text("SELECT outcome FROM attempt") == "succeeded");
}

TEST_CASE("a late success of an abandoned attempt ends the execution; a late failure does not")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    for (int id = 1; id <= 4; ++id)
        bench.plan_one(id, id, noon, 3);
    for (int attempt = 1; attempt <= 2; ++attempt)
        for (int id = 1; id <= 4; ++id) {
            next_attempt const next{execution_id{id}, attempt, noon, protocol::attempt_cause::client_gone};
            REQUIRE(wait_for(bench.ledger.begin_attempts(bench.mine, {next})).size() == 1);
        }
    bench.record(bench.result(1, state::failed, 1));
    bench.record(bench.result(1, state::cancelled, 2));
    CHECK(bench.state(1) == "planned");
    bench.record(bench.result(2, state::succeeded, 1));
    CHECK(bench.state(2) == "succeeded");
    CHECK(bench.column(2, "due_at") == -1);
    bench.record(bench.result(3, state::succeeded, 2));
    CHECK(bench.state(3) == "succeeded");
    CHECK(bench.home.text("SELECT outcome FROM attempt WHERE execution_id = 3 AND attempt = 2") == "succeeded");

    // In one message with the failure of the present attempt, and while the next one waits for its instant.
    std::vector const both{bench.result(4, state::succeeded, 2), bench.result(4, state::failed, 3)};
    wait_for(bench.ledger.record(both, "node-1"));
    CHECK(bench.state(4) == "succeeded");
}

TEST_CASE("a report of progress changes neither due time nor end")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    bench.plan_one(1, 1, noon, 2);
    auto running = bench.result(1, state::running);
    running.progress = 10;
    bench.record(running);
    running.progress = 20;
    running.started_at.reset();
    bench.record(running);
    CHECK(bench.state(1) == "running");
    CHECK(bench.column(1, "progress") == 20);
    CHECK(bench.column(1, "started_at") == 1'000);
    CHECK(bench.column(1, "due_at") == to_micros(noon));
    CHECK(bench.column(1, "ended_at") == -1);
    CHECK(bench.home.text("SELECT outcome FROM execution") == "NULL");

    bench.record(bench.result(1, state::failed));
    bench.record(running); // overtaken on the way
    CHECK(bench.state(1) == "retrying");
    CHECK(bench.home.text("SELECT outcome FROM execution") == "failed");
}

TEST_CASE("in one group of results the final result of an attempt wins over its reports of progress, in any order")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    for (int id = 1; id <= 3; ++id)
        bench.plan_one(id, id, noon);
    wait_for(bench.ledger.record({bench.result(1, state::running), bench.result(1, state::succeeded),
                                  bench.result(2, state::succeeded), bench.result(2, state::running),
                                  bench.result(3, state::failed), bench.result(3, state::succeeded)},
                                 "node-1"));
    CHECK(bench.state(1) == "succeeded");
    CHECK(bench.state(2) == "succeeded");
    CHECK(bench.state(3) == "failed");
}

TEST_CASE("a large group of results with long and invalid texts is recorded completely")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    bench.add_task(1, noon);
    std::vector<storage::new_execution> rows;
    std::vector<storage::result_row> results;
    for (int id = 1; id <= 700; ++id) {
        rows.push_back(bench.firing(id, 1, noon + id * 1ms));
        results.push_back(bench.result(id, state::failed));
        results.back().value = "\"" + std::string(20'000, id % 2 == 0 ? '\'' : '\\') + "\"";
        results.back().error = "'; DROP TABLE execution; -- \xff :v ? " + std::string(20'000, '\0');
        results.back().client = "client-\xc3\xa9-" + std::string(200, 'x');
    }
    results[0].value = std::string(5'000'000, 'x');
    storage::advance const step{task_id{1}, 1, noon, noon + 60s, std::nullopt};
    REQUIRE(wait_for(bench.ledger.plan(bench.mine, {step}, rows)));
    wait_for(bench.ledger.record(results, "node\xff"));
    CHECK(bench.home.number("SELECT COUNT(*) FROM execution WHERE state = 'failed'") == 700);
    CHECK(bench.home.number("SELECT LENGTH(result) FROM execution WHERE id = 2") == 20'002);
    CHECK(bench.column(1, "result IS NULL") == 1);
    CHECK_THAT(bench.home.text("SELECT error FROM execution WHERE id = 1"), Catch::Contains("too long to keep"));
    CHECK_THAT(bench.home.text("SELECT error FROM execution WHERE id = 2"),
               Catch::StartsWith("'; DROP TABLE execution; -- ? :v ? "));
}

TEST_CASE("cancelling and failing end open executions with the reason and leave ended ones unchanged")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    for (int id = 1; id <= 4; ++id)
        bench.plan_one(id, id, noon);
    bench.record(bench.result(3, state::succeeded));
    auto const long_reason = "it's " + std::string(300, 'x');
    wait_for(bench.ledger.cancel(bench.mine, {execution_id{1}, execution_id{3}}, long_reason));
    wait_for(bench.ledger.fail(bench.mine, {{execution_id{2}, "nobody serves it"},
                                            {execution_id{3}, "too late"},
                                            {execution_id{4}, "it's " + std::string(300, 'y')}}));
    CHECK(bench.state(1) == "cancelled");
    CHECK(bench.state(2) == "failed");
    CHECK(bench.state(3) == "succeeded");
    CHECK(bench.column(1, "due_at") == -1);
    CHECK(bench.column(2, "ended_at") > 0);
    CHECK(bench.home.text("SELECT reason FROM execution WHERE id = 1") == long_reason.substr(0, 255));
    CHECK(bench.home.text("SELECT error FROM execution WHERE id = 2") == "nobody serves it");
    CHECK(bench.home.text("SELECT reason FROM execution WHERE id = 2") == "nobody serves it");
    CHECK(bench.state(4) == "failed");
    CHECK(bench.home.text("SELECT reason FROM execution WHERE id = 4").size() == 255);
    CHECK(bench.home.text("SELECT error FROM execution WHERE id = 4").size() == 305);
    wait_for(bench.ledger.cancel(bench.mine, {}, "nothing"));
}

} // namespace ledger_record_test
