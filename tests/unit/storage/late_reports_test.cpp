#include "libs/storage/executions.hpp"
#include "libs/storage/retention.hpp"
#include "tests/unit/storage/scheduler_bench.hpp"

#include <catch2/catch.hpp>

namespace late_reports_test {

using namespace baton;
using namespace baton::test;
using protocol::state;
using storage::engine;

namespace {

utc_time const noon = from_micros(1'800'000'000'000'000);

// Execution 1 has ended at its first attempt without its handler.
struct fixture : scheduler_bench {
    explicit fixture(engine kind) : scheduler_bench(kind), executions(*shared)
    {
        wait_for(ledger.raise(mine));
        plan_one(1, 3, noon);
        storage::unresponsive_attempt one;
        one.id = execution_id{1};
        one.client = "client-1";
        one.reason = "deaf";
        wait_for(ledger.end_unresponsive(mine, {one}));
    }
    std::optional<storage::late_report> late() { return wait_for(executions.late(execution_id{1})); }
    storage::executions executions;
};

} // namespace

TEST_CASE("what a client reports of a handler after its execution has ended is kept once, and changes nothing")
{
    fixture bench(GENERATE(engine::mysql, engine::sqlite));
    CHECK_FALSE(bench.late());
    bench.record(bench.result(1, state::running));
    CHECK_FALSE(bench.late());
    auto result = bench.result(1, state::succeeded);
    result.value = "{\"rows\": 7}";
    bench.record(result);
    auto const late = bench.late();
    REQUIRE(late);
    CHECK(late->outcome == state::succeeded);
    CHECK(late->client == "client-1");
    CHECK(late->attempt == 1);
    CHECK(late->result == "{\"rows\": 7}");
    CHECK(late->reported_at > from_micros(1'700'000'000'000'000));
    CHECK(bench.state(1) == "timed_out");
    CHECK(bench.home.text("SELECT outcome FROM execution") == "timed_out");

    bench.record(bench.result(1, state::failed)); // repeated, or of another process
    CHECK(bench.late()->outcome == state::succeeded);
    CHECK(bench.home.number("SELECT COUNT(*) FROM dead_letter") == 1);
}

TEST_CASE("the result that ended an execution is no late report when it is repeated")
{
    fixture bench(GENERATE(engine::mysql, engine::sqlite));
    bench.plan_one(2, 1, noon + 1s);
    bench.record(bench.result(2, state::succeeded));
    bench.record(bench.result(2, state::succeeded));
    CHECK_FALSE(wait_for(bench.executions.late(execution_id{2})));
    CHECK(bench.home.number("SELECT COUNT(*) FROM late_report") == 1); // that is awaited
}

TEST_CASE("a report of another attempt than the one that was left is no late report")
{
    fixture bench(GENERATE(engine::mysql, engine::sqlite));
    bench.record(bench.result(1, state::succeeded, 2));
    CHECK_FALSE(bench.late());
    bench.record(bench.result(1, state::failed, 1));
    REQUIRE(bench.late());
    CHECK(bench.late()->outcome == state::failed);
}

TEST_CASE("a late report goes with its execution")
{
    fixture bench(GENERATE(engine::mysql, engine::sqlite));
    bench.record(bench.result(1, state::succeeded));
    wait_for(bench.ledger.forget_unresponsive(bench.mine, {execution_id{1}}));
    storage::retention old(*bench.shared);
    auto const gone = wait_for(old.executions(noon + 24h * 365, {}, 100));
    CHECK(gone.deleted == 1);
    CHECK(bench.home.number("SELECT COUNT(*) FROM late_report") == 0);
}

} // namespace late_reports_test
