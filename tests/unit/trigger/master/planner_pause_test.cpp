#include "tests/unit/trigger/master/term_stage.hpp"
#include "trigger/master/planner.hpp"

#include <catch2/catch.hpp>

namespace planner_pause_test {

using namespace baton;
using namespace baton::trigger;

namespace {

// Tasks that fire once a second, planned while their service may be paused.
struct fixture : test::term_stage {
    planning_watch watch{instant{}};
    pause_book pauses;
    trigger::planner planner{{}, of, {*ledger, book, open, ids, watch, pauses}, stage.loop.get_executor(), [] {}};

    fixture() { host.spawn(clock_and_planner()); }
    ~fixture() { stage.end(); }

    awaitable<void> clock_and_planner()
    {
        planner.loaded();
        co_await planner.run();
    }
    void add(int id, char const* kind, utc_time next, nlohmann::json const& more = nlohmann::json::object())
    {
        nlohmann::json schedule{{"kind", kind}, {"every_ms", 1000}};
        schedule.update(more);
        add_task(id, {{"schedule", std::move(schedule)}});
        auto const since = std::to_string(to_micros(start - 1h));
        exec("UPDATE task SET next_fire_at = " + std::to_string(to_micros(next)) + ", created_at = " + since +
             " WHERE id = " + std::to_string(id));
    }
    void pause(protocol::paused_firings firings, utc_time since, std::optional<utc_time> end = {})
    {
        protocol::pause one;
        one.of = {"default", "s"};
        one.firings = firings;
        one.reason = "incident";
        one.since = since;
        one.ended_at = end;
        pauses = pause_book({one});
        planner.wake();
    }
    auto rows() { return number("SELECT COUNT(*) FROM execution"); }
};

} // namespace

TEST_CASE("the tasks of a service whose firings are held are parked with the reason, and planned when it is resumed")
{
    fixture f;
    f.pause(protocol::paused_firings::hold, f.start);
    f.add(1, "fixed_rate", f.start + 1s);
    f.add(2, "fixed_delay", f.start + 1s);
    f.pass(10s);
    CHECK(f.rows() == 0);
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE parked_for = 'default/s'") == 2);
    CHECK(f.text("SELECT parked_reason FROM task WHERE id = 1") == "service 's' is paused: incident");
    f.pauses = {};
    f.planner.wake();
    f.pass(3s);
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE parked_for = ''") == 2);
    CHECK(f.rows() > 10);
}

TEST_CASE("many overdue firings that a pause skips become ranges, and those outside it are planned")
{
    fixture f;
    f.pause(protocol::paused_firings::skip, f.start - 1000s, f.start - 30s);
    f.add(1, "fixed_rate", f.start - 1000s);
    f.pass(3s);
    CHECK(f.number("SELECT SUM(firings) FROM skipped_range") == 970);
    CHECK(f.text("SELECT MIN(reason) FROM skipped_range") == "service 's' is paused: incident");
    CHECK(f.number("SELECT MIN(scheduled_at) FROM execution") >= to_micros(f.start - 30s));
}

TEST_CASE("firings that a pause skips do not use up the maximum of a task")
{
    fixture f;
    f.pause(protocol::paused_firings::skip, f.start - 1000s, f.start - 20s);
    f.add(1, "fixed_rate", f.start - 1000s, {{"max_firings", 30}});
    f.exec("UPDATE task SET counted_since = 1");
    f.pass(30s);
    CHECK(f.number("SELECT SUM(firings) FROM skipped_range") == 980);
    CHECK(f.number("SELECT COUNT(*) FROM execution WHERE state = 'planned'") == 30);
    CHECK(f.number("SELECT firings FROM task") == 30);
}

TEST_CASE("late firings that a misfire policy leaves out do not use up the maximum of a task")
{
    fixture f;
    f.add(1, "fixed_rate", f.start - 1000s, {{"max_firings", 5}});
    f.exec("UPDATE task SET counted_since = 1");
    f.pass(30s);
    CHECK(f.number("SELECT COUNT(*) FROM execution WHERE state = 'planned'") == 5);
    CHECK(f.number("SELECT firings FROM task") == 5);
}

TEST_CASE("each firing of a task with a jitter is planned once, in any order in which they are due")
{
    fixture f;
    f.add(1, "fixed_rate", f.start + 1s, {{"jitter_ms", 5000}, {"jitter_seed", 7}});
    f.pass(30s);
    auto const until = std::to_string(to_micros(f.start + 20s));
    auto const planned = f.number("SELECT COUNT(*) FROM execution WHERE scheduled_at <= " + until);
    CHECK((planned == 19 || planned == 20)); // the first second may be behind the task's first instant
    CHECK(f.number("SELECT COUNT(DISTINCT scheduled_at) FROM execution WHERE scheduled_at <= " + until) == planned);
}

TEST_CASE("a fixed delay has no firing to skip: it waits for the end of a pause that skips")
{
    fixture f;
    f.pause(protocol::paused_firings::skip, f.start - 1000s);
    f.add(1, "fixed_delay", f.start - 100s);
    f.pass(3s);
    CHECK(f.rows() == 0);
    CHECK(f.number("SELECT COUNT(*) FROM skipped_range") == 0);
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE parked_for = 'default/s'") == 1);
}

TEST_CASE("firings ahead are planned as usual in a pause that skips, because it may end before they are due")
{
    fixture f;
    f.pause(protocol::paused_firings::skip, f.start);
    f.add(1, "fixed_rate", f.start + 1s);
    f.pass(500ms);
    CHECK(f.number("SELECT COUNT(*) FROM execution WHERE state = 'planned'") > 0);
}

} // namespace planner_pause_test
