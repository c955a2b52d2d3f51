#include "tests/unit/trigger/master/assigner_stage.hpp"

#include <catch2/catch.hpp>

namespace execution_limits_test {

using namespace baton;
using namespace baton::trigger;

namespace {

nlohmann::json limited(int start_ms, int total_ms, char const* late_start = "skip")
{
    return {{"limits", {{"start_within_ms", start_ms}, {"total_ms", total_ms}, {"late_start", late_start}}}};
}

struct fixture : test::assigner_stage {
    explicit fixture(nlohmann::json const& task) { add_task(2, task); }
    std::string reason(int id) { return text("SELECT reason FROM execution WHERE id = " + std::to_string(id)); }
    auto dead() { return number("SELECT COUNT(*) FROM dead_letter"); }
};

open_execution in(phase where, int attempt = 1)
{
    auto task = std::make_shared<known_task>();
    task->definition.limits.start_within = 10s;
    task->definition.limits.total = 60s;
    open_execution one;
    one.task = task;
    one.since_due = utc_time{100s};
    one.phase = where;
    one.attempt = attempt;
    return one;
}

} // namespace

TEST_CASE("limits count from the due instant")
{
    auto const one = in(phase::waiting, 3);
    CHECK(limit_of(one, limit_kind::start) == utc_time{110s});
    CHECK(limit_of(one, limit_kind::total) == utc_time{160s});
    auto unlimited = one;
    unlimited.task = std::make_shared<known_task>();
    CHECK_FALSE(limit_of(unlimited, limit_kind::start));
    CHECK_FALSE(limit_of(unlimited, limit_kind::total));
}

TEST_CASE("a new master counts limits from the instant at which the first attempt was due")
{
    auto const task = std::make_shared<known_task>();
    storage::open_execution_row row;
    row.scheduled_at = utc_time{100s};
    row.created_at = utc_time{200s};
    row.due_at = utc_time{900s}; // of its second attempt
    row.attempt = 2;
    CHECK(make_open_execution(row, task).since_due == utc_time{100s});
    row.cause = protocol::cause::manual;
    CHECK(make_open_execution(row, task).since_due == utc_time{100s});
    row.cause = protocol::cause::rerun;
    CHECK(make_open_execution(row, task).since_due == utc_time{200s});

    row.cause = protocol::cause::schedule;
    auto const moved = std::make_shared<known_task>();
    moved->definition.schedule.firing = {.jitter = 10min, .jitter_seed = 7};
    CHECK(make_open_execution(row, moved).since_due ==
          protocol::due_instant(moved->definition.schedule.firing, row.scheduled_at));
    auto const follower = std::make_shared<known_task>();
    follower->definition.schedule.kind = protocol::schedule_kind::after;
    CHECK(make_open_execution(row, follower).since_due == utc_time{200s});
}

TEST_CASE("the limit of the start concerns what no client has had, and the limit of the whole everything")
{
    CHECK(step_at_limit(in(phase::waiting), limit_kind::start) == limit_step::skip);
    CHECK(step_at_limit(in(phase::waiting, 2), limit_kind::start) == limit_step::skip); // no client had the first one
    auto begun = in(phase::waiting, 2);
    begun.begun = true;
    CHECK(step_at_limit(begun, limit_kind::start) == limit_step::none);
    CHECK(step_at_limit(in(phase::held), limit_kind::start) == limit_step::none);
    CHECK(step_at_limit(in(phase::assigned), limit_kind::start) == limit_step::look_again);
    CHECK(step_at_limit(in(phase::in_doubt), limit_kind::start) == limit_step::look_again);
    CHECK(step_at_limit(in(phase::runs_earlier), limit_kind::start) == limit_step::none);
    auto shard = in(phase::waiting);
    shard.parent = execution_id{1};
    CHECK(step_at_limit(shard, limit_kind::start) == limit_step::none);
    CHECK(step_at_limit(in(phase::waiting, 2), limit_kind::total) == limit_step::time_out);
    CHECK(step_at_limit(in(phase::held), limit_kind::total) == limit_step::abandon);
    CHECK(step_at_limit(in(phase::runs_earlier), limit_kind::total) == limit_step::abandon);
    CHECK(step_at_limit(in(phase::in_doubt), limit_kind::total) == limit_step::look_again);
    CHECK(step_at_limit(in(phase::parent), limit_kind::total) == limit_step::none);
}

TEST_CASE(
    "after a take-over the limits of a firing count from its jittered instant, of a task after another one from its "
    "start")
{
    fixture f(limited(50'000, 0));
    f.add_task(3, {{"schedule", {{"kind", "fixed_rate"}, {"every_ms", 60'000}, {"jitter_ms", 86'400'000}}}});
    f.add_task(4, {{"schedule", {{"kind", "after"}, {"task", "t3"}}}});
    f.add_execution(2, 2);
    f.add_execution(3, 3);
    f.add_execution(4, 4);
    f.exec("UPDATE execution SET created_at = " + std::to_string(to_micros(f.start + 1h)));
    f.load();
    CHECK(f.one(2).since_due == f.one(2).scheduled_at);
    auto const& jittered = f.one(3);
    CHECK(jittered.since_due > jittered.scheduled_at);
    CHECK(jittered.since_due ==
          protocol::due_instant(jittered.task->definition.schedule.firing, jittered.scheduled_at));
    CHECK(f.one(4).since_due == f.start + 1h);
}

TEST_CASE("the limits of a firing that this master inserts count from when it is due")
{
    storage::new_execution row;
    row.scheduled_at = utc_time{100s};
    row.due_at = utc_time{150s};
    CHECK(make_open_firing(row, std::make_shared<known_task>()).since_due == utc_time{150s});
    row.due_at.reset();
    CHECK(make_open_firing(row, std::make_shared<known_task>()).since_due == utc_time{100s});
}

TEST_CASE("an execution that no client took in time is skipped")
{
    fixture f(limited(50'000, 0));
    f.fire({1}, 2);
    f.pass(30s);
    CHECK(f.state(1) == "planned");
    f.pass(30s);
    CHECK(f.state(1) == "skipped");
    CHECK(f.reason(1) == "no client took it within 50000 ms (start_within)");
    CHECK(f.dead() == 0);
}

TEST_CASE("an execution that an announced edit may take back does not end at its limit before the edit is known")
{
    fixture f(limited(50'000, 0));
    f.fire({1}, 2);
    f.open.edits().announced(signal_id{9}, task_id{2}, f.start, f.host.time().now());
    f.pass(60s);
    CHECK(f.state(1) == "planned"); // its row is locked
    f.open.edits().keep_only({});
    f.pass(1s);
    CHECK(f.state(1) == "skipped");
}

TEST_CASE("an execution that no client took in time fails, if the task says so")
{
    fixture f(limited(50'000, 0, "fail"));
    f.fire({1}, 2);
    f.pass(60s);
    CHECK(f.state(1) == "failed");
    CHECK(f.dead() == 1);
}

TEST_CASE("one that a client has in time is not concerned by the limit of the start")
{
    fixture f(limited(50'000, 0));
    f.firing->hear("n1", f.room(100, 100));
    f.fire({1}, 2);
    f.pass(1s);
    f.open.move(f.one(1), phase::held, "client-1");
    f.pass(60s);
    CHECK(f.state(1) == "planned");
}

TEST_CASE("an execution that comes too late into memory is not sent")
{
    fixture f(limited(50'000, 0));
    f.firing->hear("n1", f.room(100, 100));
    f.pass(60s);
    f.fire({1}, 2);
    f.pass(1s);
    CHECK(f.all_at("n1").empty());
    CHECK(f.state(1) == "skipped");
}

TEST_CASE("an execution is not sent at the instant of its limit, before the limit is carried out")
{
    fixture f(limited(50'000, 0));
    f.firing->hear("n1", f.room(100, 100));
    f.open.on_add([](open_execution&) {});
    f.pass(60s);
    f.fire({1}, 2);
    f.pass(1s);
    CHECK(f.all_at("n1").empty());
    CHECK(f.state(1) == "skipped");
}

TEST_CASE("an execution that waits between its attempts times out at its total, for good")
{
    fixture f(limited(0, 100'000));
    f.fire({1}, 2);
    f.one(1).attempt = 2;
    f.pass(80s);
    CHECK(f.state(1) == "planned");
    f.pass(30s);
    CHECK(f.state(1) == "timed_out");
    CHECK(f.reason(1) == "it did not end within 100000 ms (total)");
    CHECK(f.dead() == 1);
    CHECK_FALSE(f.is_open(1));
}

TEST_CASE("an execution that a client has ends at its total without its handler, which is remembered")
{
    fixture f(limited(0, 100'000));
    f.fire({1}, 2);
    f.open.move(f.one(1), phase::held, "client-1");
    f.pass(110s);
    CHECK(f.state(1) == "timed_out");
    CHECK(f.number("SELECT COUNT(*) FROM unresponsive WHERE client = 'client-1'") == 1);
}

TEST_CASE("one in doubt ends at its total as soon as it is known where it is")
{
    fixture f(limited(0, 100'000));
    f.fire({1}, 2);
    f.open.move(f.one(1), phase::in_doubt);
    f.pass(110s);
    CHECK(f.state(1) == "planned");
    f.open.move(f.one(1), phase::held, "client-1");
    f.pass(1s);
    CHECK(f.state(1) == "timed_out");
}

} // namespace execution_limits_test
