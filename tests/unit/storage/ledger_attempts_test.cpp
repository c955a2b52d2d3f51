#include "libs/storage/dead_letters.hpp"
#include "libs/storage/executions.hpp"
#include "libs/storage/statement.hpp"
#include "tests/unit/storage/scheduler_bench.hpp"

#include <catch2/catch.hpp>

namespace ledger_attempts_test {

using namespace baton;
using namespace baton::test;
using protocol::state;
using storage::engine;
using storage::next_attempt;

namespace {
utc_time const noon = from_micros(1'800'000'000'000'000);
}

TEST_CASE("the next attempt begins once, only after the present one, and never after the end or a cancel request")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    for (int id = 1; id <= 5; ++id)
        bench.plan_one(id, id, noon, 3);
    bench.record(bench.result(2, state::succeeded));
    bench.home.exec("UPDATE execution SET cancel_requested_at = 1 WHERE id = 3");
    std::vector<next_attempt> const wanted{{execution_id{5}, 1, noon + 3s, protocol::attempt_cause::retry},
                                           {execution_id{1}, 1, noon + 1s, protocol::attempt_cause::client_gone},
                                           {execution_id{1}, 1, noon + 2s, protocol::attempt_cause::node_gone},
                                           {execution_id{2}, 1, noon, protocol::attempt_cause::retry},
                                           {execution_id{3}, 1, noon, protocol::attempt_cause::retry},
                                           {execution_id{4}, 2, noon, protocol::attempt_cause::retry},
                                           {execution_id{6}, 1, noon, protocol::attempt_cause::retry}};
    auto const begun = wait_for(bench.ledger.begin_attempts(bench.mine, wanted));
    CHECK(begun == std::vector{execution_id{1}, execution_id{5}});
    CHECK(wait_for(bench.ledger.begin_attempts(bench.mine, wanted)).empty());
    CHECK(bench.column(1, "attempt") == 2);
    CHECK(bench.column(5, "due_at") == to_micros(noon + 3s));
    CHECK(bench.state(5) == "planned");
    CHECK(bench.column(4, "attempt") == 1);
    CHECK(bench.home.number("SELECT COUNT(*) FROM attempt") == 2);
    CHECK(bench.home.text("SELECT cause FROM attempt WHERE execution_id = 1") == "client_gone");
    CHECK(bench.home.number("SELECT epoch FROM attempt WHERE execution_id = 1") == 5);
    CHECK(bench.home.text("SELECT error FROM execution WHERE id = 1") == "given up: client_gone");
    CHECK(bench.home.text("SELECT error FROM execution WHERE id = 5") == "NULL");

    next_attempt const third{execution_id{1}, 2, noon, protocol::attempt_cause::node_gone};
    CHECK(wait_for(bench.ledger.begin_attempts(bench.mine, {third})).size() == 1);
    CHECK(bench.home.text("SELECT error FROM attempt WHERE execution_id = 1 AND attempt = 2") == "given up: node_gone");
}

TEST_CASE("an attempt that was lost with its client still says which client had it, and since when")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    for (int id = 1; id <= 3; ++id)
        bench.plan_one(id, id, noon, 3);
    auto running = bench.result(2, state::running);
    running.client = "client-2";
    bench.record(running);
    auto const lost = [](int id, int attempt, std::string client) {
        next_attempt next{execution_id{id}, attempt, noon, protocol::attempt_cause::client_gone};
        next.client = std::move(client);
        if (!next.client.empty())
            next.since = noon;
        return next;
    };
    auto const ledger_text = [&](char const* table, char const* key, int id, char const* column) {
        return bench.home.text(std::string("SELECT ") + column + " FROM " + table + " WHERE " + key + " = " +
                               std::to_string(id));
    };
    std::string const since = " had it since " + to_rfc3339(noon);
    std::vector<next_attempt> const first{lost(1, 1, "client-1"), lost(2, 1, ""), lost(3, 1, "client-3")};
    REQUIRE(wait_for(bench.ledger.begin_attempts(bench.mine, first)).size() == 3);
    CHECK(ledger_text("execution", "id", 1, "client") == "client-1");
    CHECK(ledger_text("execution", "id", 1, "error") == "given up: client_gone; client-1" + since);
    CHECK(ledger_text("execution", "id", 2, "client") == "client-2"); // as it reported itself
    CHECK(bench.column(2, "started_at") == 1'000);
    CHECK(ledger_text("execution", "id", 3, "error") == "given up: client_gone; client-3" + since);

    std::vector<next_attempt> const second{lost(1, 2, "client-4"), lost(3, 2, "")};
    REQUIRE(wait_for(bench.ledger.begin_attempts(bench.mine, second)).size() == 2);
    CHECK(ledger_text("attempt", "attempt = 2 AND execution_id", 1, "client") == "client-4");
    CHECK(ledger_text("attempt", "attempt = 2 AND execution_id", 1, "error") ==
          "given up: client_gone; client-4" + since);
    CHECK(ledger_text("attempt", "attempt = 2 AND execution_id", 3, "client") == "NULL");
    CHECK(ledger_text("attempt", "attempt = 3 AND execution_id", 1, "error") == "NULL");
    CHECK(ledger_text("execution", "id", 1, "client") == "client-1");
}

TEST_CASE("an attempt that replaces one on a dead client does not count against max_attempts")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    bench.plan_one(1, 1, noon, 2);
    for (int past = 1; past <= 2; ++past) {
        next_attempt const next{execution_id{1}, past, noon,
                                past == 1 ? protocol::attempt_cause::client_gone : protocol::attempt_cause::take_over};
        REQUIRE(wait_for(bench.ledger.begin_attempts(bench.mine, {next})).size() == 1);
    }
    CHECK(bench.column(1, "max_attempts") == 4);
    bench.record(bench.result(1, state::failed, 3));
    CHECK(bench.state(1) == "retrying");
    next_attempt const last{execution_id{1}, 3, noon, protocol::attempt_cause::retry};
    REQUIRE(wait_for(bench.ledger.begin_attempts(bench.mine, {last})).size() == 1);
    CHECK(bench.column(1, "max_attempts") == 4);
    bench.record(bench.result(1, state::failed, 4));
    CHECK(bench.state(1) == "failed");
}

TEST_CASE("deaths of clients are counted with the attempt that follows and with the failure that ends the execution")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    bench.plan_one(1, 1, noon);
    bench.plan_one(2, 2, noon);
    next_attempt const after_death{execution_id{1}, 1, noon, protocol::attempt_cause::client_gone, true};
    next_attempt const after_other{execution_id{2}, 1, noon, protocol::attempt_cause::node_gone, false};
    REQUIRE(wait_for(bench.ledger.begin_attempts(bench.mine, {after_death, after_other})).size() == 2);
    CHECK(bench.column(1, "deaths") == 1);
    CHECK(bench.column(2, "deaths") == 0);
    CHECK(wait_for(bench.ledger.begin_attempts(bench.mine, {after_death})).empty()); // repeated: counts once
    CHECK(wait_for(bench.ledger.open_among({execution_id{1}})).front().deaths == 1);

    for (int repeated = 0; repeated < 2; ++repeated)
        wait_for(bench.ledger.fail(bench.mine, {{execution_id{1}, "its client died", true}}));
    CHECK(bench.state(1) == "failed");
    CHECK(bench.column(1, "deaths") == 2);
    CHECK(bench.home.text("SELECT reason FROM execution WHERE id = 1") == "its client died");
}

TEST_CASE("a late success after the deaths of its clients ended an execution does not reopen it")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    bench.plan_one(1, 1, noon);
    next_attempt const next{execution_id{1}, 1, noon, protocol::attempt_cause::client_gone, true};
    REQUIRE(wait_for(bench.ledger.begin_attempts(bench.mine, {next})).size() == 1);
    wait_for(bench.ledger.fail(bench.mine, {{execution_id{1}, "its client died", true}}));
    auto const ended = bench.column(1, "ended_at");
    for (int attempt = 1; attempt <= 2; ++attempt)
        bench.record(bench.result(1, state::succeeded, attempt));
    CHECK(bench.state(1) == "failed");
    CHECK(bench.column(1, "ended_at") == ended);
    CHECK(bench.column(1, "due_at") == -1);
}

TEST_CASE("a broadcast is expanded once, waits for its shards, and ends with their combined outcome")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    auto const shards_of = [&](int parent) {
        std::vector<storage::new_execution> shards;
        for (int i = 0; i < 2; ++i) {
            shards.push_back(bench.firing(parent * 10 + i, parent, noon));
            shards.back().cause = protocol::cause::shard;
            shards.back().parent = execution_id{parent};
            shards.back().shard_index = i;
            shards.back().shard_total = 2;
            shards.back().shard_instance = "client-" + std::to_string(i);
        }
        return shards;
    };
    for (int id = 1; id <= 4; ++id) {
        bench.plan_one(id, id, noon);
        CHECK(wait_for(bench.ledger.expand(bench.mine, execution_id{id}, shards_of(id))));
        CHECK_FALSE(wait_for(bench.ledger.expand(bench.mine, execution_id{id}, shards_of(id))));
        CHECK(bench.state(id) == "running");
    }
    auto const open = wait_for(bench.ledger.open_among({execution_id{1}, execution_id{10}, execution_id{11}}));
    REQUIRE(open.size() == 3);
    CHECK(open[2].parent == execution_id{1});
    CHECK(open[2].shard_index == 1);
    CHECK(open[2].shard_total == 2);
    CHECK(open[2].shard_instance == "client-1");
    CHECK(open[2].cause == protocol::cause::shard);

    wait_for(bench.ledger.record({bench.result(10, state::succeeded), bench.result(11, state::succeeded),
                                  bench.result(20, state::succeeded), bench.result(21, state::failed),
                                  bench.result(30, state::cancelled), bench.result(31, state::succeeded),
                                  bench.result(40, state::succeeded)},
                                 "node-1"));
    bench.home.exec("UPDATE execution SET cancel_requested_at = 1 WHERE id = 3");
    std::vector<execution_id> const parents{execution_id{1}, execution_id{2}, execution_id{3}, execution_id{4}};
    CHECK(wait_for(bench.ledger.close_parents(bench.mine, parents)) ==
          std::vector{execution_id{1}, execution_id{2}, execution_id{3}});
    CHECK(wait_for(bench.ledger.close_parents(bench.mine, parents)).empty());
    CHECK(wait_for(bench.ledger.close_parents(bench.mine, {})).empty());
    CHECK(bench.state(1) == "succeeded");
    CHECK(bench.state(2) == "failed");
    CHECK(bench.state(3) == "cancelled");
    CHECK(bench.state(4) == "running");
    CHECK(bench.column(1, "due_at") == -1);
    CHECK(bench.home.number("SELECT COUNT(*) FROM failure WHERE execution_id = 2 AND task_id = 2") == 1);
    CHECK(bench.home.number("SELECT COUNT(*) FROM failure WHERE execution_id <> 21") == 1); // beside its shard
}

namespace {

std::vector<storage::new_execution> shards_of_one(scheduler_bench const& bench, int count)
{
    std::vector<storage::new_execution> shards;
    for (int i = 0; i < count; ++i) {
        shards.push_back(bench.firing(1'000 + i, 1, noon));
        shards.back().cause = protocol::cause::shard;
        shards.back().parent = execution_id{1};
        shards.back().shard_index = i;
        shards.back().shard_total = count;
    }
    return shards;
}

} // namespace

TEST_CASE("the payload of a broadcast is stored once, and its shards have it")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    bench.plan_one(1, 1, noon);
    bench.home.exec("UPDATE execution SET payload = '{\"day\":7}' WHERE id = 1");
    REQUIRE(wait_for(bench.ledger.expand(bench.mine, execution_id{1}, shards_of_one(bench, 3))));
    CHECK(bench.home.number("SELECT COUNT(*) FROM execution WHERE payload IS NOT NULL") == 1);

    auto const open = wait_for(bench.ledger.open(noon + 1h, {}, 10));
    REQUIRE(open.size() == 4);
    for (auto const& one : open)
        CHECK(one.payload->view() == "{\"day\":7}");
    CHECK(open[1].payload->view().data() == open[3].payload->view().data()); // and in memory once
    storage::executions executions(*bench.shared);
    CHECK(wait_for(executions.payload(execution_id{1'001})) == "{\"day\":7}");

    bench.record(bench.result(1'002, state::failed));
    storage::dead_letters letters(*bench.shared);
    system_time time;
    seeded_random random{1};
    id_generator ids{time, random};
    for (auto const* table : {"task", "task_version"})
        bench.home.exec(std::string("UPDATE ") + table +
                        R"( SET definition = '{"name":"t","service":"s","handler":"h","schedule":{"kind":"api"}}')");
    auto const again = wait_for(letters.retry({execution_id{1'002}}, std::nullopt, ids)).letters.at(0);
    REQUIRE(again.rerun);
    CHECK(bench.home.text("SELECT payload FROM execution WHERE cause = 'rerun'") == "{\"day\":7}");
}

TEST_CASE("rows with long payloads are inserted by statements that the server takes")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    bench.plan_one(1, 1, noon);
    auto shards = shards_of_one(bench, 500);
    for (auto& each : shards)
        each.payload = '"' + std::string(60'000, 'p') + '"'; // 30 MB in all, of which MariaDB takes 16 at once
    CHECK(wait_for(bench.ledger.expand(bench.mine, execution_id{1}, shards)));
    CHECK(bench.home.number("SELECT COUNT(*) FROM execution WHERE parent_id = 1") == 500);
}

TEST_CASE("a broadcast that any shard ends succeeds with the first that does, and the others are to be cancelled")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    bench.plan_one(1, 1, noon);
    std::vector<storage::new_execution> shards;
    for (int i = 0; i < 3; ++i) {
        shards.push_back(bench.firing(10 + i, 1, noon));
        shards.back().cause = protocol::cause::shard;
        shards.back().parent = execution_id{1};
        shards.back().shard_index = i;
        shards.back().shard_total = 3;
    }
    CHECK(wait_for(bench.ledger.expand(bench.mine, execution_id{1}, shards)));
    wait_for(bench.ledger.record({bench.result(10, state::failed)}, "node-1"));
    std::vector const parent{execution_id{1}};
    CHECK(wait_for(bench.ledger.close_parents(bench.mine, parent, {execution_id{1}})).empty());
    wait_for(bench.ledger.record({bench.result(11, state::succeeded)}, "node-1"));
    CHECK(wait_for(bench.ledger.close_parents(bench.mine, parent)).empty());
    CHECK(wait_for(bench.ledger.close_parents(bench.mine, parent, {execution_id{1}})) == parent);
    CHECK(bench.state(1) == "succeeded");
    CHECK(bench.column(12, "cancel_requested_at") > 0);
    CHECK(bench.column(10, "cancel_requested_at") == -1);
    CHECK(bench.column(11, "cancel_requested_at") == -1);
}

TEST_CASE("an open execution names the client of its last attempt that has ended")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    bench.plan_one(1, 1, noon, 5);
    auto const last_client = [&] { return wait_for(bench.ledger.open_among({execution_id{1}})).at(0).last_client; };
    CHECK(last_client().empty());
    for (int attempt = 1; attempt <= 3; ++attempt) {
        auto row = bench.result(1, state::failed, attempt);
        row.client = "client-" + std::to_string(attempt);
        bench.record(row);
        CHECK(last_client() == row.client); // retrying
        storage::next_attempt const next{execution_id{1}, attempt, noon, protocol::attempt_cause::retry};
        wait_for(bench.ledger.begin_attempts(bench.mine, {next}));
        CHECK(last_client() == row.client); // planned
    }
}

TEST_CASE("a cancelled or ended broadcast is not expanded and ends without shards")
{
    scheduler_bench bench(GENERATE(engine::mysql, engine::sqlite));
    wait_for(bench.ledger.raise(bench.mine));
    bench.plan_one(1, 1, noon);
    bench.plan_one(2, 2, noon);
    std::vector const both{execution_id{1}, execution_id{2}};
    CHECK(wait_for(bench.ledger.close_parents(bench.mine, both)).empty()); // they may yet be expanded
    bench.home.exec("UPDATE execution SET cancel_requested_at = 1 WHERE id = 1");
    wait_for(bench.ledger.cancel(bench.mine, {execution_id{2}}, "x"));
    auto shard = bench.firing(9, 1, noon);
    shard.cause = protocol::cause::shard;
    shard.parent = execution_id{1};
    CHECK_FALSE(wait_for(bench.ledger.expand(bench.mine, execution_id{1}, {shard})));
    shard.parent = execution_id{2};
    CHECK_FALSE(wait_for(bench.ledger.expand(bench.mine, execution_id{2}, {shard})));
    CHECK(bench.home.number("SELECT COUNT(*) FROM execution") == 2);
    CHECK(wait_for(bench.ledger.close_parents(bench.mine, both)) == std::vector{execution_id{1}});
    CHECK(bench.state(1) == "cancelled");
}

} // namespace ledger_attempts_test
