#include "libs/protocol/document.hpp"
#include "libs/schedule/jitter.hpp"
#include "libs/schedule/misfire.hpp"
#include "libs/schedule/plan.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

namespace firing_rules_test {
namespace {

using namespace baton;
using namespace baton::schedule;
using protocol::schedule_kind;
using protocol::task_definition;

constexpr auto is_planned = protocol::recorded_firing::state::planned;
auto const noon = from_rfc3339("2026-06-01T12:00:00Z");

task_definition every_second(protocol::firing_rules rules)
{
    task_definition task;
    task.schedule.kind = schedule_kind::fixed_rate;
    task.schedule.every = 1s;
    task.schedule.start_at = noon;
    task.schedule.firing = rules;
    return task;
}

task_definition limited(std::int64_t most)
{
    return every_second({.max_firings = most});
}

task_definition moved(duration jitter, std::uint32_t seed = 7)
{
    return every_second({.jitter = jitter, .jitter_seed = seed});
}

timetable times_of(task_definition const& task)
{
    return timetable(task.schedule, noon);
}

plan_bounds up_to(utc_time until, std::int64_t left = no_maximum)
{
    plan_bounds bounds{noon, noon, until, 100};
    bounds.left = left;
    return bounds;
}

} // namespace

TEST_CASE("the last firing that the maximum allows ends the task, which remembers where it would go on")
{
    auto const plan = plan_task(times_of(limited(3)), {}, up_to(noon + 10s, 3));
    CHECK(plan.firings == std::vector{noon, noon + 1s, noon + 2s});
    CHECK_FALSE(plan.next);
    CHECK_FALSE(plan.look);
    CHECK(plan.resume == noon + 3s);
}

TEST_CASE("a task with firings left goes on")
{
    auto const plan = plan_task(times_of(limited(20)), {}, up_to(noon + 3s, 20));
    CHECK(plan.firings.size() == 3);
    CHECK(plan.next == noon + 3s);
    CHECK_FALSE(plan.resume);
}

TEST_CASE("without a firing left nothing is planned, and the cursor stays")
{
    auto const plan = plan_task(times_of(limited(3)), {}, up_to(noon + 10s, 0));
    CHECK(plan.firings.empty());
    CHECK_FALSE(plan.next);
    CHECK(plan.resume == noon);
}

TEST_CASE("late firings that are skipped do not use up the maximum")
{
    plan_bounds bounds{noon, noon + 1h, noon + 1h + 2s, 100};
    bounds.left = 2;
    auto const plan = plan_task(times_of(limited(2)), {}, bounds);
    CHECK(plan.skipped.size() > 3'000);
    CHECK(plan.firings.size() == 2);
    CHECK_FALSE(plan.next);
    bounds.left = 1'000;
    CHECK(plan_task(times_of(limited(1'000)), {}, bounds).next);
}

TEST_CASE("the last fixed delay still waits for the end of its run")
{
    auto task = limited(1);
    task.schedule.kind = schedule_kind::fixed_delay;
    auto const plan = plan_task(times_of(task), {}, up_to(noon + 1s, 1));
    CHECK(plan.waits);
    CHECK_FALSE(plan.next);
}

TEST_CASE("an edit counts the firings that it inserts and gives back those that it cancels")
{
    auto const before = limited(10);
    auto after = limited(12);
    protocol::task_progress progress;
    progress.created_at = noon;
    progress.now = noon;
    progress.firings = 8;
    progress.next_fire_at = noon + 2s;
    progress.recorded = {{execution_id{1}, noon + 5s, is_planned}, {execution_id{2}, noon + 6s, is_planned}};
    auto const plan = plan_edit(&before, &after, progress, noon + 4s);
    CHECK(plan.insert == std::vector{noon + 2s, noon + 3s}); // the two that are left of ten
    CHECK(plan.cancel.size() == 2);
    CHECK(plan.firings == 8);
    CHECK(plan.next == noon + 4s);

    after.schedule.firing.max_firings = 8;
    auto const full = plan_edit(&before, &after, progress, noon + 4s);
    CHECK_FALSE(full.next);
    CHECK(full.resume == noon + 4s);

    after.schedule.firing.max_firings = 0;
    CHECK(plan_edit(&before, &after, progress, noon + 4s).firings == 0);
}

TEST_CASE("an edit inserts no more late firings of the old definition than its maximum allows")
{
    auto const before = limited(10);
    protocol::task_progress progress;
    progress.created_at = noon;
    progress.now = noon + 8s;
    progress.firings = 7;
    progress.next_fire_at = noon;
    auto const plan = plan_edit(&before, &before, progress, noon + 9s);
    CHECK(plan.insert == std::vector{noon, noon + 1s, noon + 2s});
    CHECK(plan.firings == 10);
    CHECK_FALSE(plan.next);
}

TEST_CASE("a firing is due up to the jitter later, the same each time it is computed, and evenly spread")
{
    protocol::firing_rules const rules{.jitter = 10s, .jitter_seed = 7};
    protocol::firing_rules const other{.jitter = 10s, .jitter_seed = 8};
    duration sum{};
    int same = 0;
    for (int i = 0; i < 1'000; ++i) {
        auto const firing = noon + i * 1min;
        auto const due = protocol::due_instant(rules, firing);
        CHECK(due == protocol::due_instant(rules, firing));
        CHECK(due >= firing);
        CHECK(due <= firing + 10s);
        sum += due - firing;
        same += due == protocol::due_instant(other, firing) ? 1 : 0;
    }
    CHECK(sum / 1'000 > 4'500ms);
    CHECK(sum / 1'000 < 5'500ms);
    CHECK(same < 5);
    // Of all masters: a change of this value moves the firings of every task with a jitter.
    CHECK(protocol::due_instant(rules, noon) - noon == 8'451'714us);
}

TEST_CASE("a task with a jitter is planned by the instants at which its firings are due, and none is left out")
{
    auto const jitter = GENERATE(500ms, 3s, 40s);
    auto const task = moved(jitter);
    auto const times = times_of(task);
    std::set<utc_time> planned;
    std::optional<utc_time> cursor = noon;
    std::optional<utc_time> look = earliest_due(times, noon);
    for (auto now = noon; now < noon + 5min; now += 1s) {
        while (look && *look < now + 1s) {
            plan_bounds const bounds{*cursor, now, now + 1s, 3};
            auto const plan = plan_task(times, {}, bounds);
            for (auto const at : plan.firings)
                CHECK(planned.insert(at).second);
            CHECK(plan.skipped.empty());
            CHECK((plan.look != look || plan.next != cursor)); // each look makes progress
            cursor = plan.next;
            look = plan.look;
        }
        // Whatever is due in the next second has been planned.
        for (auto at = noon; at <= now; at += 1s)
            if (times.due_at(at) < now + 1s)
                CHECK(planned.contains(at));
    }
}

TEST_CASE("whether a firing with a jitter is late counts from when it is due")
{
    auto const times = times_of(moved(10min));
    plan_bounds const bounds{noon, noon + 2min, noon + 2min, 1'000};
    auto const plan = plan_task(times, {.action = protocol::misfire_action::skip, .after = 60s}, bounds);
    CHECK_FALSE(plan.firings.empty());
    for (auto const at : plan.skipped)
        CHECK(times.due_at(at) < noon + 1min);
    for (auto const at : plan.firings)
        CHECK(times.due_at(at) >= noon + 1min);
}

TEST_CASE("of late firings with a jitter no more run than the policy allows, however few one plan takes")
{
    auto task = moved(2s);
    task.schedule.every = 100ms;
    auto const times = times_of(task);
    protocol::misfire_policy const latest{.action = protocol::misfire_action::fire_all, .limit = 1'000, .within = 0s};
    auto const now = noon + 40min;
    std::optional<utc_time> cursor = noon;
    std::size_t fired = 0;
    std::size_t skipped = 0;
    while (cursor && *cursor < now - 2s) {
        auto const plan = plan_task(times, latest, {*cursor, now, now, 100});
        CHECK(plan.next != cursor);
        fired +=
            static_cast<std::size_t>(std::ranges::count_if(plan.firings, [&](utc_time at) { return at < now - 2s; }));
        skipped += plan.skipped.size();
        cursor = plan.next;
    }
    CHECK(fired + skipped >= 23'980);
    CHECK(fired <= 1'000);
    CHECK(fired > 900);
}

TEST_CASE("an edit divides the firings with a jitter by their instants, not by when they are due")
{
    auto const before = moved(10min);
    protocol::task_progress progress;
    progress.created_at = noon;
    progress.now = noon;
    progress.next_fire_at = noon;
    auto const plan = plan_edit(&before, &before, progress, noon + 5s);
    CHECK(plan.insert == std::vector{noon, noon + 1s, noon + 2s, noon + 3s, noon + 4s});
    CHECK(plan.next == noon + 5s);
    CHECK(plan.look == earliest_due(times_of(before), noon + 5s));
}

TEST_CASE("a jitter gets its seed from project and name, and keeps it")
{
    auto task = moved(1s);
    task.name = "close-day";
    task.schedule.firing.jitter_seed.reset();
    complete_schedule(task);
    auto const seed = task.schedule.firing.jitter_seed;
    REQUIRE(seed);
    auto renamed = task;
    renamed.name = "other";
    renamed.schedule.firing.jitter_seed.reset();
    complete_schedule(renamed, &task.schedule);
    CHECK(renamed.schedule.firing.jitter_seed == seed);
}

} // namespace firing_rules_test
