// The watermark and the marks of attempts that may be at a client.

#include "tests/unit/storage/scheduler_bench.hpp"

#include <catch2/catch.hpp>

namespace ledger_out_test {

using namespace baton;
using namespace baton::test;
using storage::engine;

namespace {

utc_time const noon = from_rfc3339("2026-03-01T12:00:00Z");

// Three planned firings, with the ids and tasks 1 to 3.
struct fixture : scheduler_bench {
    explicit fixture(engine kind) : scheduler_bench(kind)
    {
        wait_for(ledger.raise(mine));
        for (int id = 1; id <= 3; ++id)
            plan_one(id, id, noon);
    }
    using keys = std::vector<protocol::attempt_key>;
    static keys of(std::vector<int> const& ids, int attempt = 1)
    {
        keys found;
        for (auto const id : ids)
            found.push_back({execution_id{id}, attempt});
        return found;
    }
    std::vector<execution_id> mark(std::vector<int> const& ids, int attempt = 1)
    {
        return wait_for(ledger.mark_before_sending(mine, of(ids, attempt)));
    }
    bool is_out(int id)
    {
        for (auto const& row : wait_for(ledger.open_among({execution_id{id}})))
            return row.out;
        return false;
    }
    utc_time watermark() { return wait_for(ledger.watermark("master")); }
    void change(int id, std::string const& what)
    {
        home.exec("UPDATE execution SET " + what + " WHERE id = " + std::to_string(id));
    }
};

} // namespace

TEST_CASE("an attempt is marked before it is sent only while it may be sent")
{
    fixture f(GENERATE(engine::mysql, engine::sqlite));
    CHECK(f.mark({3, 1}) == std::vector<execution_id>{execution_id{1}, execution_id{3}});
    CHECK(f.mark({1}) == std::vector<execution_id>{execution_id{1}}); // its answer was lost
    CHECK(f.is_out(1));
    CHECK_FALSE(f.is_out(2));
    CHECK(f.mark({2}, 2).empty()); // another attempt

    f.change(2, "cancel_requested_at = 1");
    CHECK(f.mark({2}).empty());
    f.change(2, "cancel_requested_at = NULL, due_at = NULL");
    CHECK(f.mark({2}).empty());
    CHECK_FALSE(f.is_out(2));
}

TEST_CASE("an execution of a stopped task is not marked, unless it may have begun or its task stops later")
{
    fixture f(GENERATE(engine::mysql, engine::sqlite));
    f.home.exec("INSERT INTO stopped_task (task_id, namespace, version, line, reason) VALUES (1, 1, 2, 1, 'disabled')");
    f.home.exec("INSERT INTO stopped_task (task_id, namespace, version, line, reason) VALUES (2, 1, 1, 1, 'disabled')");
    f.home.exec("INSERT INTO stopped_task (task_id, namespace, version, line, reason) VALUES (3, 1, 2, " +
                std::to_string(to_micros(from_rfc3339("2126-03-01T12:00:00Z"))) + ", 'disabled')");
    CHECK(f.mark({1, 2, 3}) == std::vector<execution_id>{execution_id{2}, execution_id{3}});
    f.change(1, "begun = 1");
    CHECK(f.mark({1}) == std::vector<execution_id>{execution_id{1}});
}

TEST_CASE("the next attempt voids the mark, and says whether the last one may have begun")
{
    fixture f(GENERATE(engine::mysql, engine::sqlite));
    f.mark({1, 2});
    storage::next_attempt absent{execution_id{1}, 1, noon, protocol::attempt_cause::take_over};
    storage::next_attempt failed{execution_id{2}, 1, noon, protocol::attempt_cause::retry};
    failed.begun = true;
    wait_for(f.ledger.begin_attempts(f.mine, {absent, failed}));
    CHECK_FALSE(f.is_out(1));
    auto const rows = wait_for(f.ledger.open_among({execution_id{1}, execution_id{2}}));
    REQUIRE(rows.size() == 2);
    CHECK_FALSE(rows[0].begun);
    CHECK(rows[1].begun);
    absent.attempt = failed.attempt = 2;
    failed.begun = false;
    wait_for(f.ledger.begin_attempts(f.mine, {absent, failed}));
    CHECK(f.column(2, "begun") == 1); // what has begun once, has begun
}

TEST_CASE("a mark is taken back from the attempt that has it")
{
    fixture f(GENERATE(engine::mysql, engine::sqlite));
    f.mark({1, 2});
    wait_for(f.ledger.unmark(f.mine, f.of({1})));
    wait_for(f.ledger.unmark(f.mine, f.of({2}, 2)));
    CHECK_FALSE(f.is_out(1));
    CHECK(f.is_out(2));
}

TEST_CASE("the watermark rises with the marks of what has been sent, and never falls in a term")
{
    fixture f(GENERATE(engine::mysql, engine::sqlite));
    CHECK(f.watermark() == utc_time{});
    f.change(2, "due_at = NULL"); // has ended
    CHECK(wait_for(f.ledger.mark_sent(f.mine, f.of({1, 2}), std::nullopt)).empty());
    CHECK(f.is_out(1));
    CHECK(f.watermark() == utc_time{});
    CHECK(wait_for(f.ledger.mark_sent(f.mine, {}, noon)).empty());
    CHECK(wait_for(f.ledger.mark_sent(f.mine, {}, noon - 1s)).empty());
    CHECK(f.watermark() == noon);
    storage::fence const old{"master", 4};
    CHECK_THROWS_AS(wait_for(f.ledger.mark_sent(old, {}, noon + 1s)), not_master);
}

TEST_CASE("the watermark waits for no row that another transaction has locked, and stays where it is")
{
    fixture f(engine::mysql);
    auto const other = f.home.open({.sessions = 1});
    std::vector<protocol::attempt_key> locked;
    auto const inside = [&](soci::session& sql) {
        storage::statement(sql, "UPDATE execution SET progress = 1 WHERE id = 2").execute();
        locked = wait_for(f.ledger.mark_sent(f.mine, f.of({1, 2}), noon));
    };
    wait_for(other->transact(inside));
    REQUIRE(locked.size() == 1);
    CHECK(locked.front().execution == execution_id{2});
    CHECK(f.is_out(1));
    CHECK_FALSE(f.is_out(2));
    CHECK(f.watermark() == utc_time{});
    CHECK(wait_for(f.ledger.mark_sent(f.mine, locked, noon)).empty());
    CHECK(f.watermark() == noon);
}

TEST_CASE("the watermark outlives terms, but falls behind a master that does not keep to it")
{
    fixture f(GENERATE(engine::mysql, engine::sqlite));
    wait_for(f.ledger.mark_sent(f.mine, {}, noon));
    storage::fence const next{"master", 6};
    CHECK(wait_for(f.ledger.raise(next)));
    CHECK(wait_for(f.ledger.raise(next))); // its answer was lost
    CHECK(f.watermark() == noon);
    f.home.exec("UPDATE lock_fence SET epoch = 7"); // as a master of an earlier version does
    storage::fence const after{"master", 8};
    CHECK(wait_for(f.ledger.raise(after)));
    CHECK(f.watermark() == utc_time{});
}

} // namespace ledger_out_test
