#include "libs/storage/executions.hpp"
#include "libs/storage/retention.hpp"
#include "tests/unit/storage/scheduler_bench.hpp"

#include <catch2/catch.hpp>

namespace stops_test {

using namespace baton;
using namespace baton::test;
using protocol::state;
using protocol::stop_cause;
using storage::engine;

namespace {

utc_time const noon = from_micros(1'800'000'000'000'000);

// An execution with two attempts, of which a client has the first.
struct fixture : scheduler_bench {
    explicit fixture(engine kind) : scheduler_bench(kind), executions(*shared)
    {
        wait_for(ledger.raise(mine));
        plan_one(1, 1, noon, 2);
        record(result(1, state::running));
    }
    void stop(int attempt, stop_cause why, duration ago = 0s)
    {
        wait_for(ledger.note_stops(mine, {{execution_id{1}, attempt, why, ago}}));
    }
    std::vector<storage::stop_record> stops() { return wait_for(executions.stops(execution_id{1})); }
    storage::open_execution_row open() { return wait_for(ledger.open_among({execution_id{1}})).at(0); }

    storage::executions executions;
};

} // namespace

TEST_CASE("the ledger shows the request to stop a handler, with its cause and time")
{
    fixture f(GENERATE(engine::mysql, engine::sqlite));
    auto const before = wait_for(f.ledger.now());
    f.stop(1, stop_cause::timeout, 10s);
    f.stop(1, stop_cause::cancel); // the first request stays
    CHECK(wait_for(f.executions.find(execution_id{1}))->state == state::stopping);
    CHECK_FALSE(wait_for(f.executions.find(execution_id{1}))->cancel_requested_at);
    auto const stops = f.stops();
    REQUIRE(stops.size() == 1);
    CHECK(stops[0].attempt == 1);
    CHECK(stops[0].why == stop_cause::timeout);
    CHECK(stops[0].requested_at >= before - 10s);
    CHECK(stops[0].requested_at < before + 50s);

    auto const row = f.open(); // for a new master
    CHECK(row.state == state::stopping);
    REQUIRE(row.stop);
    CHECK(row.stop->attempt == 1);
    CHECK(row.stop->why == stop_cause::timeout);
    CHECK(row.stop->at == stops[0].requested_at);
    storage::execution_filter wanted;
    wanted.states = {state::stopping};
    CHECK(wait_for(f.executions.list(wanted)).items.size() == 1);
}

TEST_CASE("an execution that is asked to stop takes the result of its handler, and its further attempts")
{
    fixture f(GENERATE(engine::mysql, engine::sqlite));
    f.stop(1, stop_cause::timeout);
    auto running = f.result(1, state::running);
    running.progress = 40;
    f.record(running);
    CHECK(f.state(1) == "stopping");
    CHECK(f.column(1, "progress") == 40);
    f.record(f.result(1, state::timed_out));
    CHECK(f.state(1) == "retrying");
    f.stop(1, stop_cause::timeout); // too late
    CHECK(f.state(1) == "retrying");

    storage::next_attempt const next{execution_id{1}, 1, noon, protocol::attempt_cause::retry};
    REQUIRE(wait_for(f.ledger.begin_attempts(f.mine, {next})).size() == 1);
    f.stop(1, stop_cause::timeout); // of the attempt before
    CHECK(f.state(1) == "planned");
    CHECK_FALSE(f.open().stop);
    f.stop(2, stop_cause::timeout);
    f.record(f.result(1, state::running, 2));
    CHECK(f.state(1) == "stopping");
    CHECK(f.open().stop->attempt == 2);
    f.record(f.result(1, state::timed_out, 2));
    CHECK(f.state(1) == "timed_out");
    CHECK(f.stops().size() == 2);
}

TEST_CASE("a master that is not the master any more notes no request to stop")
{
    fixture f(GENERATE(engine::mysql, engine::sqlite));
    storage::fence const old{"master", 4};
    std::vector<storage::stop_request> const wanted{{execution_id{1}, 1, stop_cause::timeout, 0s}};
    CHECK_THROWS_AS(wait_for(f.ledger.note_stops(old, wanted)), not_master);
    CHECK(f.state(1) == "running");
    CHECK(f.stops().empty());
}

TEST_CASE("requests to stop go with their executions")
{
    fixture f(GENERATE(engine::mysql, engine::sqlite));
    f.stop(1, stop_cause::cancel);
    f.record(f.result(1, state::succeeded));
    f.home.exec("UPDATE execution SET ended_at = 1");
    f.home.exec("UPDATE task SET next_fire_at = NULL");
    storage::retention old(*f.shared);
    CHECK(wait_for(old.executions(noon + 1h, {}, 100)).deleted == 1);
    CHECK(f.stops().empty());
}

} // namespace stops_test
