#include "web/next_firing.hpp"

#include <catch2/catch.hpp>

namespace next_firing_test {

using namespace baton;
using protocol::schedule_kind;
using web::next_firing;

namespace {

utc_time const noon = from_micros(1'800'000'000'000'000);

storage::task_record every_five_seconds()
{
    storage::task_record task;
    task.definition.schedule.kind = schedule_kind::cron;
    task.definition.schedule.cron = "*/5 * * * * *";
    task.created_at = task.updated_at = noon - 1h;
    task.next_fire_at = noon + 10s; // those before are planned
    return task;
}

} // namespace

TEST_CASE("the next firing is shown although it is planned and the planner's mark lies behind it")
{
    CHECK(next_firing(every_five_seconds(), noon + 2s) == noon + 5s);
}

TEST_CASE("a firing that was due and is not planned is the next one, as of a parked task")
{
    auto task = every_five_seconds();
    task.next_fire_at = noon - 60s;
    CHECK(next_firing(task, noon + 2s) == noon - 60s);
}

TEST_CASE("a disabled task and one that runs only when asked have no next firing")
{
    auto task = every_five_seconds();
    task.definition.enabled = false;
    task.next_fire_at.reset();
    CHECK_FALSE(next_firing(task, noon));
    task.definition.enabled = true;
    task.definition.schedule = {};
    task.definition.schedule.kind = schedule_kind::api;
    CHECK_FALSE(next_firing(task, noon));
}

TEST_CASE("a task that fires once has its firing until that has passed, also when it is planned")
{
    auto task = every_five_seconds();
    task.definition.schedule = {};
    task.definition.schedule.kind = schedule_kind::once;
    task.definition.schedule.at = noon + 3s;
    task.next_fire_at.reset();
    CHECK(next_firing(task, noon) == noon + 3s);
    CHECK_FALSE(next_firing(task, noon + 4s));
}

TEST_CASE("the next firing of a fixed delay is known only from its task's row")
{
    auto task = every_five_seconds();
    task.definition.schedule = {};
    task.definition.schedule.kind = schedule_kind::fixed_delay;
    task.definition.schedule.every = 30s;
    CHECK(next_firing(task, noon) == noon + 10s);
    task.next_fire_at.reset(); // a run is planned or has not ended
    CHECK_FALSE(next_firing(task, noon));
}

TEST_CASE("a schedule in a zone that this machine does not know shows the planner's mark")
{
    auto task = every_five_seconds();
    task.definition.schedule.zone = "Mars/Phobos";
    CHECK(next_firing(task, noon) == noon + 10s);
}

TEST_CASE("an edit governs no firing before its line")
{
    auto task = every_five_seconds();
    task.updated_at = noon;
    CHECK(web::governed_from(task, noon + 200ms, 1s) == noon + 1s);
    CHECK(web::governed_from(task, noon + 5s, 1s) == noon + 5s);
}

} // namespace next_firing_test
