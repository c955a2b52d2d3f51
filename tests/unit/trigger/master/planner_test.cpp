#include "libs/base/random.hpp"
#include "trigger/master/open_set.hpp"
#include "trigger/master/planner.hpp"

#include <catch2/catch.hpp>

namespace planner_test {

using namespace baton;
using namespace baton::trigger;

namespace {

class still_time final : public time_source {
public:
    instant now() const override { return instant{1'000s}; }
    utc_time utc() const override { return from_rfc3339("2026-03-01T00:00:00Z"); }
    awaitable<void> sleep_until(instant) override { co_return; }
};

struct fixture {
    still_time time;
    seeded_random random{3};
    id_generator ids{time, random};
    task_book book;
    utc_time start = from_rfc3339("2026-03-01T00:00:00Z");

    storage::due_task due(nlohmann::json schedule, utc_time next)
    {
        nlohmann::json const document{
            {"name", "t"}, {"service", "s"}, {"handler", "h"}, {"max_attempts", 4}, {"schedule", std::move(schedule)}};
        storage::due_task row;
        row.id = task_id{12};
        row.version = 3;
        row.next_fire_at = next;
        row.created_at = start;
        row.definition = document.dump();
        return row;
    }

    page_plan plan(storage::due_task const& row, utc_time horizon, std::size_t limit = 100)
    {
        return plan_at(row.next_fire_at, row, horizon, limit); // not late
    }
    page_plan plan_at(utc_time now, storage::due_task const& row, utc_time horizon, std::size_t limit = 100)
    {
        auto const task = book.get(row.id, row.version, row.definition, row.created_at);
        page_plan page;
        add_to_page(
            row, task,
            schedule::plan_task(*task->timetable, task->definition.misfire, {row.next_fire_at, now, horizon, limit}),
            ids, page);
        return page;
    }
};

} // namespace

TEST_CASE("every firing before the horizon gets an execution, and the task goes on with the first firing behind it")
{
    fixture f;
    auto const plan = f.plan(f.due({{"kind", "fixed_rate"}, {"every_ms", 1000}}, f.start + 10s), f.start + 16s);
    REQUIRE(plan.executions.size() == 6); // 10 to 15
    CHECK(plan.executions.front().scheduled_at == f.start + 10s);
    CHECK(plan.executions.back().scheduled_at == f.start + 15s);
    CHECK(plan.executions.front().version == 3);
    CHECK(plan.executions.front().max_attempts == 4);
    REQUIRE(plan.tasks.size() == 1);
    CHECK(plan.tasks[0].seen == f.start + 10s);
    CHECK(plan.tasks[0].next == f.start + 16s);
    CHECK_FALSE(plan.tasks[0].waiting_for);
    CHECK(plan.open_executions.size() == plan.executions.size());
}

TEST_CASE("planning catches up with a task that is far behind in pieces, and leaves out no late firing")
{
    fixture f;
    auto next = f.start + 1s;
    std::vector<utc_time> fired;
    for (int piece = 0; piece < 10; ++piece) {
        auto const plan = f.plan(f.due({{"kind", "fixed_rate"}, {"every_ms", 1000}}, next), f.start + 1'001s, 100);
        REQUIRE(plan.executions.size() == 100);
        for (auto const& one : plan.executions)
            fired.push_back(one.scheduled_at);
        next = plan.tasks[0].next.value();
    }
    for (std::size_t i = 0; i < fired.size(); ++i)
        CHECK(fired[i] == f.start + std::chrono::seconds(i + 1));
    CHECK(next == f.start + 1'001s);
}

TEST_CASE("late firings that are skipped are in the page that passes them, the last one runs")
{
    fixture f;
    auto const night = f.start + 8h;
    auto const plan = f.plan_at(night, f.due({{"kind", "fixed_rate"}, {"every_ms", 60'000}}, f.start), night + 1s);
    REQUIRE(plan.executions.size() == 2); // a minute ago is not late
    CHECK(plan.executions.back().scheduled_at == night);
    CHECK(plan.firings_skipped == 479);
    REQUIRE(plan.skipped.size() == 1);
    CHECK(plan.skipped[0].ids.empty()); // a range
    CHECK(plan.skipped[0].version == 3);
    CHECK(plan.tasks[0].next == night + 1min);
}

TEST_CASE("a fixed-delay task fires once and then waits for that execution")
{
    fixture f;
    auto const plan = f.plan(f.due({{"kind", "fixed_delay"}, {"every_ms", 10}}, f.start + 1s), f.start + 5s);
    REQUIRE(plan.executions.size() == 1);
    CHECK(plan.tasks[0].next == std::nullopt);
    CHECK(plan.tasks[0].waiting_for == plan.executions[0].id);
}

TEST_CASE("a task that fires once has no next firing")
{
    fixture f;
    auto const plan = f.plan(f.due({{"kind", "once"}, {"at", "2026-03-01T00:00:03Z"}}, f.start + 3s), f.start + 5s);
    REQUIRE(plan.executions.size() == 1);
    CHECK(plan.tasks[0].next == std::nullopt);
}

TEST_CASE("an execution that ended while the ledger was read does not open again")
{
    fixture f;
    open_set open(f.time);
    auto plan = f.plan(f.due({{"kind", "fixed_rate"}, {"every_ms", 1000}}, f.start + 1s), f.start + 2s);
    REQUIRE(plan.open_executions.size() == 1);
    auto const one = plan.open_executions[0];
    open_set::reading const before(open);
    CHECK(open.add(one, before));
    open.erase(one.id);
    CHECK_FALSE(open.add(one, before));
    CHECK(open.find(one.id) == nullptr);
    open_set::reading const after(open);
    CHECK(open.add(one, after));
}

TEST_CASE("an execution that is queued twice fires once, at the later instant")
{
    fixture f;
    open_set open(f.time);
    open_set::reading const now(open);
    auto plan = f.plan(f.due({{"kind", "fixed_rate"}, {"every_ms", 1000}}, f.start + 1s), f.start + 3s);
    REQUIRE(plan.open_executions.size() == 2);
    for (auto& one : plan.open_executions)
        CHECK(open.add(one, now));
    auto const first = plan.open_executions[0].id;
    auto const second = plan.open_executions[1].id;
    open.wait(*open.find(first), f.start + 1s);
    open.wait(*open.find(second), f.start + 5s);
    CHECK(open.take_due(f.start + 4s, 100) == std::vector{first});
    CHECK(open.take_due(f.start + 5s, 100) == std::vector{second});
}

TEST_CASE("an execution that was sent or has ended does not fire from the queue")
{
    fixture f;
    open_set open(f.time);
    open_set::reading const now(open);
    auto plan = f.plan(f.due({{"kind", "fixed_rate"}, {"every_ms", 1000}}, f.start + 1s), f.start + 5s);
    REQUIRE(plan.open_executions.size() == 4);
    std::vector<execution_id> ids;
    for (auto& one : plan.open_executions) {
        ids.push_back(one.id);
        CHECK(open.add(one, now));
        CHECK_FALSE(open.add(one, now)); // known already
    }
    open.move(*open.find(ids[0]), phase::held, "client");
    open.erase(ids[1]);
    auto const due = open.take_due(f.start + 10s, 100);
    CHECK(due == std::vector{ids[2], ids[3]});
}

} // namespace planner_test
