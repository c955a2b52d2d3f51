#include "tests/unit/trigger/master/assigner_stage.hpp"
#include "trigger/master/sent_attempts.hpp"

#include <catch2/catch.hpp>

namespace watermark_test {

using namespace baton;
using namespace baton::trigger;

namespace {

// All open executions are in memory.
struct fixture : test::assigner_stage {
    fixture() { sent_so_far.all_loaded(); }

    utc_time watermark() { return from_micros(number("SELECT watermark FROM lock_fence")); }
    bool is_marked(int id)
    {
        return number("SELECT COALESCE(out_attempt, 0) FROM execution WHERE id = " + std::to_string(id)) != 0;
    }
    std::int64_t fenced() { return number("SELECT touched FROM lock_fence"); }
    void give_room(int slots) { firing->hear("n1", room(slots, slots, ++told)); }
    std::int64_t told = 0;
};

} // namespace

TEST_CASE("attempts are taken in slices of the time at which they were due")
{
    sent_attempts all;
    auto const noon = from_rfc3339("2026-03-01T12:00:00Z");
    all.add(noon + 250ms, {execution_id{3}, 1});
    all.add(noon, {execution_id{1}, 1});
    all.add(noon + 99ms, {execution_id{2}, 1});
    CHECK_FALSE(all.take(noon - 1us));
    auto const first = all.take(noon);
    REQUIRE(first);
    CHECK(first->attempts.size() == 2);
    CHECK(first->end == noon + 100ms - 1us);
    CHECK_FALSE(all.take(noon + 150ms));
    CHECK(all.take(noon + 1s)->attempts.front().execution == execution_id{3});
    CHECK(all.empty());
}

TEST_CASE(
    "the watermark follows two seconds behind, marks what is out, and writes nothing for executions that only wait")
{
    fixture f;
    f.give_room(1);
    f.fire({1, 2});
    f.pass(1s);
    CHECK(f.one(1).phase == phase::assigned);
    CHECK(f.one(2).phase == phase::waiting);
    f.pass(4s);
    CHECK(f.is_marked(1));
    CHECK_FALSE(f.is_marked(2));
    CHECK(f.watermark() > f.start);
    CHECK(f.watermark() <= f.clock.now() - 2s);
}

TEST_CASE("while nothing falls due the watermark costs no transaction")
{
    fixture f;
    f.pass(10s);
    auto const before = f.fenced();
    f.pass(60s);
    CHECK(f.fenced() == before);
}

TEST_CASE("an execution that is sent on time and ends soon is never marked")
{
    fixture f;
    f.give_room(1);
    f.fire_on_time({1});
    f.pass(500ms);
    REQUIRE(f.one(1).phase == phase::assigned);
    f.exec("UPDATE execution SET due_at = NULL, state = 'succeeded' WHERE id = 1");
    f.ended.ended(execution_id{1});
    f.pass(5s);
    CHECK_FALSE(f.is_marked(1));
}

TEST_CASE("an execution that is sent late is marked before it is sent")
{
    fixture f;
    f.fire({1});
    f.pass(5s);
    REQUIRE_FALSE(f.is_marked(1));
    bool marked_when_sent = false;
    f.calls.assignments["n1"] = [&](protocol::assign_request const&) {
        marked_when_sent = f.is_marked(1);
        return node_calls::assign_outcome{200, 1, false};
    };
    f.give_room(1);
    f.pass(200ms);
    CHECK(f.one(1).phase == phase::assigned);
    CHECK(marked_when_sent);
}

TEST_CASE("an execution that is two seconds late is marked while the stops of tasks are unknown")
{
    fixture f;
    bool const unknown = GENERATE(true, false);
    f.late.while_stops_are_unknown([unknown] { return unknown; });
    f.pass(3s);
    f.fire_on_time({1});
    f.pass(1900ms);
    CHECK_FALSE(f.late.concerns(f.one(1)));
    f.pass(200ms);
    CHECK(f.late.concerns(f.one(1)) == unknown);
}

TEST_CASE("an attempt that replaces a lost one is as late as its execution")
{
    fixture f;
    f.late.while_stops_are_unknown([] { return true; });
    f.fire_on_time({1});
    f.one(1).due_at = f.clock.now();
    f.one(1).since_due = f.clock.now() - 1900ms;
    CHECK_FALSE(f.late.concerns(f.one(1)));
    f.one(1).since_due = f.clock.now() - 2s;
    CHECK(f.late.concerns(f.one(1)));
}

TEST_CASE("no more late executions of a service are marked than find room")
{
    fixture f;
    f.fire({1, 2, 3, 4, 5});
    f.pass(5s);
    f.give_room(2);
    f.pass(200ms);
    CHECK(f.number("SELECT COUNT(*) FROM execution WHERE out_attempt = 1") == 2);
}

TEST_CASE("a late execution that was cancelled, or whose task was stopped, while it was being marked is not sent")
{
    fixture f;
    f.fire({1});
    f.pass(5s);
    SECTION("cancelled")
    {
        f.exec("UPDATE execution SET cancel_requested_at = 1 WHERE id = 1");
    }
    SECTION("disabled")
    {
        f.exec("INSERT INTO stopped_task (task_id, namespace, version, line, reason) VALUES (1, 1, 2, 1, 'disabled')");
    }
    f.give_room(1);
    f.pass(5s);
    CHECK(f.one(1).phase == phase::waiting);
    CHECK(f.all_at("n1").empty());
    CHECK_FALSE(f.open.stale().empty());
}

TEST_CASE("what a node returns again and again is sent only if its task was not stopped meanwhile")
{
    bool const stopped = GENERATE(false, true);
    fixture f;
    f.give_room(1);
    f.fire({1});
    f.pass(50ms);
    REQUIRE(f.all_at("n1").size() == 1);
    if (stopped)
        f.exec("INSERT INTO stopped_task (task_id, namespace, version, line, reason) VALUES (1, 1, 2, 1, 'disabled')");
    for (int i = 0; i < 10; ++i) {
        if (f.one(1).phase == phase::assigned)
            f.firing->returned(f.one(1), "n1", f.one(1).number);
        f.pass(150ms);
    }
    auto const sent = f.all_at("n1").size();
    f.pass(5s);
    CHECK(f.one(1).phase == (stopped ? phase::waiting : phase::assigned));
    CHECK(f.all_at("n1").size() == sent);
}

TEST_CASE("what is late because the database was down is sent only if its task was not stopped meanwhile")
{
    fixture f;
    f.pass(2s);
    f.add_task(3);
    f.start = f.stage.database.utc();
    f.fire({1});
    f.fire({2}, 3);
    f.exec("INSERT INTO stopped_task (task_id, namespace, version, line, reason) VALUES (1, 1, 2, 1, 'disabled')");
    f.stage.database.crash_for(6s);
    f.pass(5s);
    f.give_room(2);
    f.pass(500ms);
    CHECK(f.all_at("n1").empty());
    f.pass(5s);
    CHECK(f.all_at("n1") == std::vector{execution_id{2}});
    CHECK(f.is_marked(2));
    CHECK_FALSE(f.is_marked(1));
}

TEST_CASE("a mark is taken back from an execution that a node returned and that waits on")
{
    fixture f;
    f.give_room(1);
    f.fire({1});
    f.pass(5s);
    REQUIRE(f.is_marked(1));
    f.give_room(0);
    f.firing->returned(f.one(1), "n1", f.one(1).number);
    f.pass(3s);
    CHECK(f.one(1).phase == phase::waiting);
    CHECK_FALSE(f.is_marked(1));
    f.give_room(1);
    f.pass(1s);
    CHECK(f.one(1).phase == phase::assigned);
    CHECK(f.is_marked(1));
}

TEST_CASE("a mark stays for a second from the last time that a node returned its execution")
{
    fixture f;
    f.fire({1});
    f.pass(5s);
    for (int i = 0; i < 2; ++i) {
        f.give_room(1);
        f.pass(700ms);
        REQUIRE(f.one(1).phase == phase::assigned);
        f.give_room(0);
        f.firing->returned(f.one(1), "n1", f.one(1).number);
    }
    f.pass(900ms);
    CHECK(f.is_marked(1));
    f.pass(700ms);
    CHECK_FALSE(f.is_marked(1));
}

TEST_CASE("an execution in doubt is marked as out")
{
    fixture f;
    f.add_execution(1, 1, 3);
    f.load();
    f.sent_so_far.sent(f.one(1));
    f.open.move(f.one(1), phase::in_doubt);
    f.sent_so_far.all_loaded();
    f.pass(5s);
    CHECK(f.is_marked(1));
}

TEST_CASE("a node that stops in good order raises the watermark to the present")
{
    fixture f;
    f.give_room(1);
    f.fire({1, 2});
    f.pass(100ms);
    auto const now = f.clock.now();
    f.sent_so_far.hurry();
    f.pass(100ms);
    CHECK(f.sent_so_far.has_hurried());
    CHECK(f.watermark() >= now);
    CHECK(f.is_marked(1));
    CHECK_FALSE(f.is_marked(2));
}

TEST_CASE("a node that stops in good order waits with pauses for rows that have to be read again")
{
    test::assigner_stage f;
    f.open.mark_stale({execution_id{7}});
    f.sent_so_far.all_loaded();
    f.sent_so_far.hurry();
    f.pass(500ms);
    CHECK_FALSE(f.sent_so_far.has_hurried());
    f.open.forget_stale(1);
    f.pass(100ms);
    CHECK(f.sent_so_far.has_hurried());
}

TEST_CASE("the watermark passes no execution whose row has to be read again after the take-over")
{
    test::assigner_stage f;
    f.add_execution(1, 1, 3);
    f.open.mark_stale({execution_id{1}});
    f.sent_so_far.all_loaded();
    f.sent_so_far.fell_due();
    f.pass(3s);
    CHECK(f.number("SELECT watermark FROM lock_fence") == 0);
    f.load();
    f.sent_so_far.sent(f.one(1));
    f.open.move(f.one(1), phase::in_doubt);
    f.open.forget_stale(1);
    f.sent_so_far.fell_due();
    f.pass(3s);
    CHECK(f.number("SELECT watermark FROM lock_fence") != 0);
    CHECK(f.number("SELECT COALESCE(out_attempt, 0) FROM execution WHERE id = 1") == 1);
}

TEST_CASE("the watermark stands until the executions of earlier terms are in memory")
{
    test::assigner_stage f;
    f.fire({1});
    f.pass(10s);
    CHECK(f.number("SELECT watermark FROM lock_fence") == 0);
}

} // namespace watermark_test
