#include "tests/unit/trigger/master/term_stage.hpp"
#include "trigger/master/execution_counter.hpp"

#include <catch2/catch.hpp>

namespace execution_counter_test {

using namespace baton;
using namespace baton::trigger;
using baton::test::term_stage;

namespace {

struct fixture : term_stage {
    fixture() { counter.emplace(retention_settings{}, of, *shared); }
    ~fixture() { stage.end(); }

    void begin()
    {
        host.spawn(counter->run(), [] {});
    }
    int add(std::string const& state, utc_time at)
    {
        auto const id = std::to_string(++made);
        bool const is_open = state == "running";
        auto const micros = std::to_string(to_micros(at));
        exec("INSERT INTO execution (id, project, task_id, task_version, scheduled_at, run_key, cause, state, attempt, "
             "max_attempts, retry_delay_us, epoch, created_at, due_at, ended_at) VALUES (" +
             id + ", 'p', 1, 1, " + micros + ", " + id + ", 'schedule', '" + state + "', 1, 1, 0, 1, 1, " +
             (is_open ? micros : "NULL") + ", " + (is_open ? "NULL" : micros + " + 1") + ")");
        return made;
    }
    std::int64_t sum(std::string const& column, int span = 1)
    {
        return number("SELECT COALESCE(SUM(" + column +
                      "), 0) FROM execution_count WHERE project = '' AND span = " + std::to_string(span));
    }

    std::optional<execution_counter> counter;
    int made = 0;
};

} // namespace

TEST_CASE("a minute is counted again after a minute, then while it has open executions, and after a take-over")
{
    utc_time const end = from_micros(1'774'746'000'000'000);
    auto const next = [&](duration age, std::int64_t open, duration term_age = 24h * 9) {
        return next_count({end, end + age, open}, end + age - term_age, 24h);
    };
    CHECK(next(3s, 0) == end + 1min);
    CHECK(next(59s, 7) == end + 1min);
    CHECK_FALSE(next(1min, 0));
    CHECK(next(1min, 1) == end + 2min);
    CHECK(next(30min, 1) == end + 60min);
    CHECK(next(5h, 1) == end + 6h);
    CHECK_FALSE(next(23h + 1min, 1));
    CHECK(next(2h, 0, 5s) == end + 2h + 10min - 5s);
    CHECK_FALSE(next(2h, 0, 10min));
    CHECK_FALSE(next_count({end, end + 1h, 1}, end - 24h, 90min));
}

TEST_CASE("a cluster without counts begins at its oldest execution, or at the present minute")
{
    utc_time const minute = from_micros(1'774'746'000'000'000);
    auto const now = minute + 30s;
    CHECK(first_minute(now, {}) == minute);
    CHECK(first_minute(now, minute - 41min + 7s) == minute - 41min);
    CHECK(first_minute(now, now + 5min) == minute);
    CHECK(first_minute(minute + 1s, {}) == minute - 1min);
}

TEST_CASE("a new cluster counts nothing that is older than its first execution")
{
    fixture here;
    here.begin();
    here.pass(1min);
    auto const minutes = here.number("SELECT COUNT(*) FROM execution_count WHERE project = '' AND span = 1");
    CHECK(minutes >= 1);
    CHECK(minutes <= 3);
}

TEST_CASE("executions are counted a few seconds after their time, and again once they have ended")
{
    fixture here;
    here.begin();
    here.pass(30s);
    auto const at = here.stage.database.utc();
    here.add("succeeded", at);
    auto const runs = std::to_string(here.add("running", at));
    here.pass(10s);
    CHECK(here.sum("fired") == 2);
    CHECK(here.sum("still_open") == 1);
    here.pass(10min);
    CHECK(here.sum("still_open") == 1);
    CHECK(here.sum("fired", 60) == 2);
    here.exec("UPDATE execution SET state = 'failed', due_at = NULL, ended_at = scheduled_at + 1 WHERE id = " + runs);
    here.pass(15min);
    CHECK(here.sum("still_open") == 0);
    CHECK(here.sum("failed") == 1);
    CHECK(here.sum("failed", 60) == 1);
}

TEST_CASE("a task that runs slower than before is listed soon after it ran, and no more when it is fast again")
{
    fixture here;
    here.exec("INSERT INTO task (id, project, name, version, enabled, service, handler, schedule_kind, definition, "
              "created_at, updated_at) VALUES (1, 'p', 'sums', 1, 1, 's', 'h', 'api', '{}', 1, 1)");
    auto const run = [&](utc_time at, duration took) {
        auto const id = std::to_string(here.add("succeeded", at));
        here.exec("UPDATE execution SET started_at = scheduled_at, finished_at = scheduled_at + " +
                  std::to_string(took.count()) + " WHERE id = " + id);
    };
    auto const listed = [&] { return here.number("SELECT COUNT(*) FROM slow_task"); };
    here.begin();
    here.pass(30s);
    auto at = here.stage.database.utc();
    for (int i = 0; i < 20; ++i)
        run(at + 1ms * i, 2s);
    here.pass(5min);
    CHECK(listed() == 0);
    at = here.stage.database.utc();
    for (int i = 0; i < 10; ++i)
        run(at + 1ms * i, 5s);
    here.pass(5min);
    REQUIRE(listed() == 1);
    CHECK(here.number("SELECT usual_us FROM slow_task") == 2'000'000);
    CHECK(here.number("SELECT recent_us FROM slow_task") == 5'000'000);
    at = here.stage.database.utc();
    for (int i = 0; i < 10; ++i)
        run(at + 1ms * i, 10ms);
    here.pass(5min);
    CHECK(listed() == 0);
}

TEST_CASE("a cluster without counts begins with the last hour")
{
    fixture here;
    auto const now = here.stage.database.utc();
    here.add("succeeded", now - 2h);
    here.add("succeeded", now - 59min);
    here.add("succeeded", now - 5min);
    here.begin();
    here.pass(10min);
    CHECK(here.sum("fired") == 2);
    CHECK(here.sum("fired", 60) == 2);
}

} // namespace execution_counter_test
