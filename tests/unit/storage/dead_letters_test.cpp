#include "libs/storage/dead_letters.hpp"
#include "libs/storage/retention.hpp"
#include "tests/unit/storage/scheduler_bench.hpp"

#include <catch2/catch.hpp>

namespace dead_letters_test {

using namespace baton;
using namespace baton::storage;
using baton::test::scheduler_bench;
using baton::test::wait_for;
using protocol::state;

namespace {

auto const noon = from_rfc3339("2026-11-25T12:00:00Z");

class letters_fixture {
public:
    explicit letters_fixture(engine which) : bench(which), letters(*bench.shared)
    {
        wait_for(bench.ledger.raise(bench.mine));
    }

    // A firing of the task of the same number.
    void fail(int id, state how = state::failed, bool final = false, int max_attempts = 1)
    {
        bench.plan_one(id, id, noon + std::chrono::seconds{id}, max_attempts);
        for (auto const table : {"task SET definition = '", "task_version SET definition = '"})
            bench.home.exec(std::string("UPDATE ") + table +
                            R"({"name":"t","service":"s","handler":"h","schedule":{"kind":"api"}}')");
        auto row = bench.result(id, how);
        row.final = final;
        row.error = "no such account";
        bench.record(row);
    }
    std::vector<std::int64_t> open(dead_letter_filter filter = {})
    {
        std::vector<std::int64_t> found;
        for (auto const& letter : wait_for(letters.list(filter)).items)
            found.push_back(letter.execution.id.value());
        return found;
    }
    resolved_letter retry(int id, std::optional<std::string> payload = std::nullopt)
    {
        return wait_for(letters.retry({execution_id{id}}, payload, ids)).letters.at(0);
    }

    scheduler_bench bench;
    dead_letters letters;
    system_time time;
    seeded_random random{20261125};
    id_generator ids{time, random};
};

auto engines()
{
    return GENERATE(engine::sqlite, engine::mysql);
}

} // namespace

TEST_CASE("an execution that failed in its last attempt is a dead letter, and no other is")
{
    letters_fixture f(engines());
    f.fail(1);
    f.fail(2, state::timed_out);
    f.fail(3, state::failed, false, 2); // will be retried
    f.fail(4, state::failed, true, 2);  // was said to be final
    f.fail(5, state::succeeded);
    f.fail(6, state::cancelled);
    CHECK(f.bench.state(3) == "retrying");
    CHECK(f.bench.state(4) == "failed");
    CHECK(f.open() == std::vector<std::int64_t>{4, 2, 1});

    next_attempt const next{execution_id{3}, 1, noon, protocol::attempt_cause::retry};
    wait_for(f.bench.ledger.begin_attempts(f.bench.mine, {next}));
    f.bench.record(f.bench.result(3, state::failed, 2));
    f.bench.record(f.bench.result(3, state::failed, 2)); // repeated
    CHECK(f.open() == std::vector<std::int64_t>{3, 4, 2, 1});
}

TEST_CASE("an execution that can never be delivered is a dead letter with its reason")
{
    letters_fixture f(engines());
    f.bench.plan_one(1, 1, noon);
    wait_for(f.bench.ledger.fail(f.bench.mine, {{execution_id{1}, "its client died 3 times", true}}));
    auto const found = wait_for(f.letters.list({})).items;
    REQUIRE(found.size() == 1);
    CHECK(found[0].execution.reason == "its client died 3 times");
    CHECK(found[0].resolution == protocol::resolution::open);
}

TEST_CASE("the dead shards of a broadcast are listed and retried alone")
{
    letters_fixture f(engines());
    for (int id = 1; id <= 4; ++id)
        f.fail(id);
    f.bench.home.exec("UPDATE execution SET parent_id = 9, shard_index = id, shard_total = 4 WHERE id IN (2, 3)");
    dead_letter_filter filter;
    filter.broadcast = execution_id{9};
    CHECK(f.open(filter) == std::vector<std::int64_t>{3, 2});
    auto const again = f.retry(3);
    CHECK(f.open(filter) == std::vector<std::int64_t>{2});
    REQUIRE(again.rerun);
    CHECK(f.bench.home.number("SELECT shard_index FROM execution WHERE cause = 'rerun'") == 3);
    CHECK(f.bench.home.number("SELECT shard_total FROM execution WHERE cause = 'rerun'") == 4);
}

TEST_CASE("dead letters are listed by task, project and resolution, in pages")
{
    letters_fixture f(engines());
    for (int id = 1; id <= 3; ++id)
        f.fail(id);
    f.bench.home.exec("UPDATE dead_letter SET project = 'billing' WHERE execution_id = 2");
    dead_letter_filter filter;
    filter.task = task_id{3};
    CHECK(f.open(filter) == std::vector<std::int64_t>{3});
    filter = {};
    filter.project = "billing";
    CHECK(f.open(filter) == std::vector<std::int64_t>{2});
    filter = {};
    filter.limit = 2;
    auto const page = wait_for(f.letters.list(filter)).items;
    REQUIRE(page.size() == 2);
    filter.after_at = page[1].died_at;
    filter.after_id = page[1].execution.id;
    CHECK(f.open(filter) == std::vector<std::int64_t>{1});
    wait_for(f.letters.dismiss({execution_id{1}}));
    filter = {};
    filter.resolution = protocol::resolution::dismissed;
    CHECK(f.open(filter) == std::vector<std::int64_t>{1});
    CHECK(f.open() == std::vector<std::int64_t>{3, 2});
}

TEST_CASE("dead letters are found by service and by the text of an error, in pages that look at a bounded number")
{
    letters_fixture f(engines());
    for (int id = 1; id < 9; ++id)
        f.fail(id);
    f.bench.home.exec("UPDATE dead_letter SET died_at = 1000");
    f.bench.home.exec("UPDATE task SET service = 'rare' WHERE id = 2");
    f.bench.home.exec("UPDATE failure SET error = 'Out of memory: 100%' WHERE execution_id = 2");
    dead_letter_filter filter;
    filter.service = "rare";
    CHECK(f.open(filter) == std::vector<std::int64_t>{2});
    filter.error = "OF MEMORY";
    CHECK(f.open(filter) == std::vector<std::int64_t>{2});
    filter.task = task_id{3};
    CHECK(f.open(filter).empty());
    filter = {};
    filter.error = "no such account";
    CHECK(f.open(filter) == std::vector<std::int64_t>{8, 7, 6, 5, 4, 3, 1});
    filter.project = "default";
    filter.error = "' OR 1=1 --";
    CHECK(f.open(filter).empty());

    filter = {};
    filter.service = "rare";
    filter.look = 4;
    auto const first = wait_for(f.letters.list(filter));
    CHECK(first.items.empty());
    REQUIRE(first.looked_to == execution_place{from_micros(1'000), execution_id{5}});
    filter.after_at = first.looked_to->at;
    filter.after_id = first.looked_to->id;
    auto const second = wait_for(f.letters.list(filter));
    CHECK(second.items.size() == 1);
    REQUIRE(second.looked_to == execution_place{from_micros(1'000), execution_id{1}});
    filter.after_id = second.looked_to->id;
    auto const last = wait_for(f.letters.list(filter));
    CHECK(last.items.empty());
    CHECK_FALSE(last.looked_to);
}

TEST_CASE("a dead letter runs again once, under the task's present version and at the time of the failed execution")
{
    letters_fixture f(engines());
    f.fail(1);
    auto const done = f.retry(1);
    REQUIRE(done.outcome == resolve_outcome::done);
    auto const rerun = done.rerun->value();
    auto const row = wait_for(f.bench.ledger.open_among({*done.rerun}));
    REQUIRE(row.size() == 1);
    CHECK(row[0].cause == protocol::cause::rerun);
    CHECK(row[0].scheduled_at == noon + 1s);
    CHECK(row[0].due_at > noon - 24h);
    CHECK(row[0].at_once());
    CHECK(f.bench.home.number("SELECT rerun_of FROM execution WHERE id = " + std::to_string(rerun)) == 1);
    CHECK(f.bench.home.text("SELECT kind FROM `signal` WHERE subject = " + std::to_string(rerun)) == "run");
    CHECK(f.open().empty());

    auto const again = f.retry(1);
    CHECK(again.outcome == resolve_outcome::resolved);
    CHECK(again.rerun == done.rerun);
    CHECK(f.bench.home.number("SELECT COUNT(*) FROM execution") == 2);
    CHECK(wait_for(f.letters.dismiss({execution_id{1}})).letters[0].outcome == resolve_outcome::resolved);
}

TEST_CASE("a dead letter runs again with the payload that it had, or with another")
{
    letters_fixture f(engines());
    auto const payload_of = [&](resolved_letter const& letter) {
        return f.bench.home.text("SELECT COALESCE(payload, 'that of the task') FROM execution WHERE id = " +
                                 to_string(letter.rerun.value()));
    };
    f.fail(1);
    CHECK(payload_of(f.retry(1, R"({"day":"today"})")) == R"({"day":"today"})");

    f.fail(2);
    CHECK(payload_of(f.retry(2)) == "that of the task");

    f.fail(3);
    f.bench.home.exec("UPDATE execution SET payload = '{\"a\":1}' WHERE id = 3");
    CHECK(payload_of(f.retry(3)) == R"({"a":1})");

    f.fail(4); // under version 1, whose payload the task has no more
    f.bench.home.exec("UPDATE task_version SET definition = '{\"payload\":{\"old\":true}}' WHERE task_id = 4");
    f.bench.home.exec("UPDATE task SET version = 2 WHERE id = 4");
    CHECK(payload_of(f.retry(4)) == R"({"old":true})");
}

TEST_CASE("a dead letter of a deleted task, and an execution that is no dead letter, are refused")
{
    letters_fixture f(engines());
    f.fail(1);
    f.fail(2, state::succeeded);
    f.bench.home.exec("DELETE FROM task WHERE id = 1");
    CHECK(f.retry(1).outcome == resolve_outcome::task_deleted);
    CHECK(f.retry(2).outcome == resolve_outcome::not_dead);
    CHECK(f.retry(99).outcome == resolve_outcome::not_dead);
    CHECK(f.open() == std::vector<std::int64_t>{1});
    CHECK(wait_for(f.letters.dismiss({execution_id{1}})).letters[0].outcome == resolve_outcome::done);
}

TEST_CASE("retention removes a dead letter with its execution")
{
    letters_fixture f(engines());
    f.fail(1);
    f.bench.home.exec("UPDATE task SET next_fire_at = NULL");
    storage::retention old(*f.bench.shared);
    wait_for(old.executions(utc_time::max(), {}, 100));
    CHECK(f.bench.home.number("SELECT COUNT(*) FROM execution") == 0);
    CHECK(f.bench.home.number("SELECT COUNT(*) FROM dead_letter") == 0);
}

} // namespace dead_letters_test
