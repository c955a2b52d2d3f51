#include "tests/unit/storage/scheduler_bench.hpp"

#include <catch2/catch.hpp>

namespace ledger_past_test {

using namespace baton;
using namespace baton::test;
using protocol::state;
using storage::engine;

namespace {

struct bench : scheduler_bench {
    explicit bench(engine kind) : scheduler_bench(kind)
    {
        wait_for(ledger.raise(mine));
        add_task(1, noon);
        add_task(2, noon);
    }

    // An execution of the task, `minute` minutes after noon, that has ended.
    void ended(int id, int task, int minute, std::string const& in, std::string const& more = "")
    {
        insert(id, task, minute);
        home.exec("UPDATE execution SET state = '" + in + "', due_at = NULL, started_at = 5, ended_at = 7" + more +
                  " WHERE id = " + std::to_string(id));
    }
    void insert(int id, int task, int minute)
    {
        auto const t = std::to_string(task);
        auto const next = from_micros(home.number("SELECT next_fire_at FROM task WHERE id = " + t));
        storage::advance const step{task_id{task}, 1, next, next + 1s, std::nullopt};
        if (!wait_for(ledger.plan(mine, {step}, {firing(id, task, noon + minute * 1min)})))
            throw std::logic_error("the bench could not plan");
    }
    storage::past_executions before(int task, int minute)
    {
        return wait_for(ledger.past({{task_id{task}, noon + minute * 1min}})).at(0);
    }

    utc_time noon = from_rfc3339("2026-06-01T12:00:00Z");
};

} // namespace

TEST_CASE("the execution before is the latest one with an earlier time, the last success the latest that succeeded")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    CHECK_FALSE(b.before(1, 5).previous);
    CHECK_FALSE(b.before(1, 5).last_success);
    b.ended(11, 1, 1, "succeeded");
    b.ended(12, 1, 2, "succeeded");
    b.ended(13, 1, 3, "failed");
    b.ended(14, 2, 4, "succeeded");
    b.insert(15, 1, 5);
    auto const found = b.before(1, 5);
    REQUIRE(found.previous);
    CHECK(found.previous->execution == execution_id{13});
    CHECK(found.previous->scheduled_at == b.noon + 3min);
    CHECK(found.previous->state == state::failed);
    CHECK(found.previous->ended_at == from_micros(7));
    REQUIRE(found.last_success);
    CHECK(found.last_success->execution == execution_id{12});
    CHECK(b.before(1, 2).previous->execution == execution_id{11});
    auto const open = b.before(1, 6);
    CHECK(open.previous->state == state::planned);
    CHECK_FALSE(open.previous->ended_at);
    CHECK(open.last_success->execution == execution_id{12});
}

TEST_CASE("skipped executions, those cancelled before their start, and shards do not come before")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    b.ended(11, 1, 1, "timed_out");
    b.ended(12, 1, 2, "skipped", ", started_at = NULL");
    b.ended(13, 1, 3, "cancelled", ", started_at = NULL");
    b.ended(14, 1, 4, "succeeded", ", parent_id = 99");
    CHECK(b.before(1, 9).previous->execution == execution_id{11});
    CHECK_FALSE(b.before(1, 9).last_success);
    b.ended(15, 1, 5, "cancelled");
    CHECK(b.before(1, 9).previous->execution == execution_id{15});
}

TEST_CASE("a last success behind many failures is found, and each question has its own answer")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    b.ended(11, 1, 0, "succeeded");
    for (int i = 1; i < 40; ++i)
        b.ended(11 + i, 1, i, "failed");
    b.ended(90, 2, 3, "succeeded");
    std::vector<storage::past_question> questions;
    for (int i = 0; i < 150; ++i)
        questions.push_back({task_id{i % 3 + 1}, b.noon + 2h});
    auto const found = wait_for(b.ledger.past(questions));
    REQUIRE(found.size() == 150);
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (i % 3 == 0) {
            CHECK(found[i].previous->execution == execution_id{50});
            CHECK(found[i].last_success->execution == execution_id{11});
        } else if (i % 3 == 1) {
            CHECK(found[i].previous->execution == execution_id{90});
        } else {
            CHECK_FALSE(found[i].previous);
        }
    }
}

} // namespace ledger_past_test
