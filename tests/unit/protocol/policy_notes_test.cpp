#include "libs/protocol/policy_notes.hpp"

#include <catch2/catch.hpp>

namespace policy_notes_test {

using namespace baton;
using namespace baton::protocol;

namespace {

task_definition every_second()
{
    task_definition task;
    task.schedule.kind = schedule_kind::fixed_rate;
    task.schedule.every = 1s;
    return task;
}

std::vector<std::string> fields(task_definition const& task)
{
    std::vector<std::string> all;
    for (auto const& note : policy_notes(task))
        all.push_back(note.field);
    return all;
}

using names = std::vector<std::string>;

} // namespace

TEST_CASE("policies that leave something to run have no note")
{
    auto task = every_second();
    CHECK(fields(task).empty());
    task.misfire = {misfire_action::skip, 1s, 100, {}};
    task.timeout = 1s;
    task.limits = {1s, late_start::fail, 10s};
    task.max_attempts = 3;
    CHECK(fields(task).empty());
}

TEST_CASE("a misfire policy that skips a firing before it can be sent is noted")
{
    auto task = every_second();
    task.misfire = {misfire_action::skip, 0s, 100, {}};
    REQUIRE(policy_notes(task).size() == 1);
    CHECK(
        policy_notes(task).front().text ==
        "a firing that is not sent within 0 ms is skipped, and sending one may take 100 ms: few or none will run; set "
        "misfire.after_ms to 1000 or more");
    task.misfire = {misfire_action::skip, 99ms, 100, {}};
    CHECK(fields(task) == names{"misfire.after_ms"});
    task.misfire.after = 100ms;
    CHECK(fields(task).empty());
    task.misfire = {misfire_action::fire_all, 0s, 100, 1ms};
    CHECK(fields(task) == names{"misfire.within_ms"});
    task.misfire.within = 0s; // no bound
    CHECK(fields(task).empty());
    task.misfire = {misfire_action::fire_once, 0s, 100, {}}; // the latest one runs
    CHECK(fields(task).empty());
}

TEST_CASE("the misfire policy of a task without planned firings is not noted, since it skips none")
{
    using enum schedule_kind;
    auto const kind = GENERATE(api, after, fixed_delay);
    auto task = every_second();
    task.schedule.kind = kind;
    task.misfire = {misfire_action::skip, 0s, 100, {}};
    CHECK(fields(task).empty());
}

TEST_CASE("time limits that end an execution before it can be sent are noted")
{
    auto task = every_second();
    task.schedule.kind = schedule_kind::api;
    task.limits = {1ms, late_start::skip, 2ms};
    CHECK(fields(task) == names{"limits.start_within_ms", "limits.total_ms"});
    CHECK(policy_notes(task).front().text.starts_with("an execution that no client has 1 ms after it was due is skip"));
    task.limits.late_start = late_start::fail;
    CHECK(policy_notes(task).front().text.starts_with("an execution that no client has 1 ms after it was due fails,"));
    task.limits = {};
    task.timeout = 9ms;
    CHECK(fields(task) == names{"timeout_ms"});
}

TEST_CASE("a pause before the second attempt that is longer than all attempts may take is noted")
{
    auto task = every_second();
    task.limits.total = 1s;
    task.retry_delay = 1s;
    CHECK(fields(task).empty()); // there is one attempt
    task.max_attempts = 2;
    CHECK(fields(task) == names{"retry_delay_ms"});
    task.retry_delay = 999ms;
    CHECK(fields(task).empty());
}

} // namespace policy_notes_test
