#include "tests/unit/trigger/master/term_stage.hpp"
#include "trigger/master/planner.hpp"

#include <catch2/catch.hpp>

namespace planner_herd_test {

using namespace baton;
using namespace baton::trigger;
using namespace asio::experimental::awaitable_operators;

namespace {

// Counts the readings of the clock: an id takes one.
class counted_time final : public time_source {
public:
    explicit counted_time(time_source& base) : base_(base) {}
    instant now() const override { return base_.now(); }
    utc_time utc() const override
    {
        ++readings;
        return base_.utc();
    }
    awaitable<void> sleep_until(instant at) override { return base_.sleep_until(at); }

    mutable int readings = 0;

private:
    time_source& base_;
};

struct fixture : test::term_stage {
    explicit fixture(planner_settings given = {}) : settings(given) {}

    planner_settings const settings;
    planning_watch watch{instant{}};
    trigger::planner planner{settings, of, {*ledger, book, open, ids, watch}, stage.loop.get_executor(), [] {}};

    ~fixture() { stage.end(); }

    // Tasks of a service of that name with ids from `first` on, all due at `at`.
    void add_tasks(int first, int count, std::string const& service, nlohmann::json const& schedule, utc_time at)
    {
        nlohmann::json const definition{{"name", "t"}, {"service", service}, {"handler", "h"}, {"schedule", schedule}};
        std::string const numbers = " FROM (WITH RECURSIVE n(x) AS (SELECT " + std::to_string(first) +
                                    " UNION ALL SELECT x + 1 FROM n WHERE x < " + std::to_string(first + count - 1) +
                                    ") SELECT x FROM n)";
        exec("INSERT INTO task (id, project, name, version, enabled, service, handler, schedule_kind, definition, "
             "next_fire_at, created_at, updated_at) SELECT x, 'default', 't' || x, 1, 1, '" +
             service + "', 'h', 'any', '" + definition.dump() + "', " + std::to_string(to_micros(at)) + ", " +
             std::to_string(to_micros(start)) + ", 1" + numbers);
    }
    void add_herd(int first, int count, utc_time at)
    {
        add_tasks(first, count, "herd", {{"kind", "once"}, {"at", to_rfc3339(at)}}, at);
    }
    void plan_for(duration span) { stage.play(run(span)); }
    awaitable<void> run(duration span) { co_await (planner.run() || host.time().sleep_for(span)); }
    std::int64_t planned(std::string const& service)
    {
        return number("SELECT COUNT(*) FROM execution e JOIN task t ON t.id = e.task_id WHERE t.service = '" + service +
                      "'");
    }
};

} // namespace

TEST_CASE("a herd is planned as soon as the look-ahead reaches it, and fewer tasks when half of it is left")
{
    fixture f;
    auto const due = f.start + 4s; // half of the look-ahead of 5 s reaches it after 1.5 s
    int const tasks = planner::herd_size - GENERATE(0, 1);
    f.add_herd(1, tasks, due);
    f.plan_for(1400ms);
    CHECK(f.planned("herd") == (tasks == planner::herd_size ? tasks : 0));
    f.plan_for(2s);
    CHECK(f.planned("herd") == tasks);
    CHECK(f.number("SELECT COUNT(*) FROM execution WHERE scheduled_at <> " + std::to_string(to_micros(due))) == 0);
}

TEST_CASE("other work runs between two hundreds of the tasks of a page")
{
    fixture f;
    counted_time time(f.host.time());
    id_generator made(time, f.random);
    planner own(f.settings, f.of, {*f.ledger, f.book, f.open, made, f.watch}, f.stage.loop.get_executor(), [] {});
    f.add_herd(1, 500, f.start + 1s);
    int before = 0;
    int longest = 0;
    f.stage.time.observe([&] {
        longest = std::max(longest, time.readings - before);
        before = time.readings;
    });
    f.host.spawn(own.run());
    f.pass(1s);
    f.stage.time.observe({});
    CHECK(f.planned("herd") == 500);
    CHECK(longest == 100);
    f.stage.end();
}

TEST_CASE("tasks in a herd that fire often are planned for several firings at once, as without it")
{
    fixture f;
    f.add_tasks(1, 100, "often", {{"kind", "fixed_rate"}, {"every_ms", 1000}}, f.start + 4s);
    f.add_herd(101, planner::herd_size, f.start + 4s);
    f.plan_for(1400ms);
    CHECK(f.planned("herd") == planner::herd_size);
    CHECK(f.planned("often") == 0);
    f.plan_for(1500ms);
    CHECK(f.planned("often") >= 300);
}

TEST_CASE("a herd of tasks that all fire often is left to the usual rounds after two pages")
{
    fixture f;
    f.add_tasks(1, planner::herd_size, "often", {{"kind", "fixed_rate"}, {"every_ms", 1000}}, f.start + 4s);
    auto const before = f.stage.database.calls();
    f.plan_for(1400ms);
    CHECK(f.planned("often") == 0);
    CHECK(f.stage.database.calls() - before <= 30); // a few for each of seven rounds
}

TEST_CASE("a task that is due before a herd is planned in time while the herd is planned")
{
    fixture f;
    f.stage.database.faults.min_latency = f.stage.database.faults.max_latency = 20ms; // a page takes 80 ms
    f.add_herd(1, 2 * planner::herd_size, f.start + 4s);
    f.plan_for(200ms);
    REQUIRE(f.planned("herd") < 2'000);
    f.add_tasks(100'001, 1, "well", {{"kind", "once"}, {"at", to_rfc3339(f.start + 2s)}}, f.start + 2s);
    f.plan_for(500ms);
    CHECK(f.planned("well") == 1);
    CHECK(f.planned("herd") < planner::herd_size);
}

TEST_CASE("tasks that fire after a herd are planned in time while the rest of the herd is late", "[large]")
{
    fixture f;
    f.stage.database.faults.min_latency = f.stage.database.faults.max_latency = 50ms; // a page takes 200 ms
    int const herd = 4 * planner::herd_size;                                          // 8 s of pages
    f.add_herd(1, herd, f.start + 5s);
    f.add_tasks(100'001, 1, "well", {{"kind", "fixed_rate"}, {"every_ms", 1000}}, f.start + 5s + 100ms);
    auto const planned_until = [&] {
        return f.number("SELECT COALESCE(MAX(e.scheduled_at), 0) FROM execution e WHERE e.task_id = 100001");
    };
    std::vector<utc_time> late;
    std::int64_t herd_at_its_instant = 0;
    auto const look = [&]() -> awaitable<void> {
        for (;;) {
            co_await f.host.time().sleep_for(100ms);
            auto const now = f.clock.now();
            if (now < f.start + 5s)
                herd_at_its_instant = f.planned("herd");
            else if (now >= f.start + 5s + 200ms && planned_until() + 1'000'000 <= to_micros(now))
                late.push_back(now);
        }
    };
    auto const both = [&]() -> awaitable<void> { co_await (f.run(15s) || look()); };
    f.stage.play(both());
    CHECK(herd_at_its_instant < herd);
    CHECK(late.empty());
    CHECK(f.planned("herd") == herd);
}

TEST_CASE(
    "other services' tasks that fire at the very instant of a herd are planned in time while the rest of it is late",
    "[large]")
{
    fixture f;
    f.stage.database.faults.min_latency = f.stage.database.faults.max_latency = 50ms; // a page takes 200 ms
    int const herd = 4 * planner::herd_size;                                          // 8 s of pages
    f.add_herd(1, herd, f.start + 5s);
    f.add_tasks(100'001, 1, "well", {{"kind", "once"}, {"at", to_rfc3339(f.start + 5s)}}, f.start + 5s);
    f.plan_for(5s);
    CHECK(f.planned("well") == 1);
    CHECK(f.planned("herd") < herd);
    f.plan_for(10s);
    CHECK(f.planned("herd") == herd);
}

TEST_CASE(
    "many services' tasks that fire at the very instant of a herd are planned in time while the rest of it is late",
    "[large]")
{
    fixture f;
    f.stage.database.faults.min_latency = f.stage.database.faults.max_latency = 20ms; // a page takes 80 ms
    int const herd = 12 * planner::herd_size;                                         // 9.6 s of pages
    f.add_herd(1, herd, f.start + 5s);
    for (int service = 0; service < 20; ++service)
        f.add_tasks(100'001 + 1'000 * service, 60, "well" + std::to_string(service),
                    {{"kind", "once"}, {"at", to_rfc3339(f.start + 5s)}}, f.start + 5s);
    f.plan_for(5s);
    CHECK(f.number("SELECT COUNT(*) FROM execution e JOIN task t ON t.id = e.task_id WHERE t.service <> 'herd'") ==
          20 * 60);
    CHECK(f.planned("herd") < herd);
}

TEST_CASE("overdue tasks that are planned around are all planned soon after the database has failed meanwhile",
          "[large]")
{
    fixture f;
    auto& faults = f.stage.database.faults;
    faults.min_latency = faults.max_latency = 20ms; // a page takes 80 ms
    int const herd = 8 * planner::herd_size;
    f.add_herd(1, herd, f.start - 1h);
    auto const fail = [&]() -> awaitable<void> {
        for (int times = 0; times < 8; ++times) { // at other steps of a round each
            co_await f.host.time().sleep_for(2300ms + times * 50ms);
            faults.lose_request = 1;
            co_await f.host.time().sleep_for(90ms);
            faults.lose_request = 0;
        }
        CHECK(f.planned("herd") < herd);
        co_await f.host.time().sleep_for(25s); // less than the planner waits before it looks behind again
    };
    auto const both = [&]() -> awaitable<void> { co_await (f.planner.run() || fail()); };
    f.stage.play(both());
    CHECK(f.planned("herd") == herd);
}

TEST_CASE("a herd that is larger than its service may have open leaves half of the room to earlier firings")
{
    planner_settings small;
    small.overdue_limit = planner::herd_size;
    fixture f(small);
    f.add_herd(1, planner::herd_size + 100, f.start + 4s);
    f.plan_for(1400ms);
    CHECK(f.planned("herd") == planner::herd_size / 2);
}

TEST_CASE("a firing that has its row already does not keep the others of its page from being sent on time")
{
    fixture f;
    auto const due = f.start + 3s;
    f.add_tasks(1, 10, "s", {{"kind", "once"}, {"at", to_rfc3339(due)}}, due);
    f.add_execution(1, 3);
    f.exec("UPDATE execution SET state = 'cancelled', due_at = NULL, scheduled_at = " + std::to_string(to_micros(due)));
    f.plan_for(2s);
    CHECK(f.planned("s") == 10);
    CHECK(f.open.size() == 9);
}

} // namespace planner_herd_test
