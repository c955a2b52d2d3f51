#include "libs/protocol/document.hpp"
#include "libs/protocol/firing_skips.hpp"
#include "libs/schedule/paused.hpp"
#include "libs/schedule/plan.hpp"
#include "libs/schedule/skips.hpp"

#include <catch2/catch.hpp>

namespace skips_test {
namespace {

using namespace baton;
using namespace baton::schedule;
using protocol::schedule_kind;
using protocol::task_definition;

using moments = std::vector<utc_time>;

auto const noon = from_rfc3339("2026-06-01T12:00:00Z");

// Fires every minute from noon on.
task_definition every_minute(moments const& skipped = {})
{
    task_definition task;
    task.schedule.kind = schedule_kind::fixed_rate;
    task.schedule.every = 1min;
    task.schedule.start_at = noon;
    for (auto const at : skipped)
        task.schedule.skips.push_back({at, noon, "ann", ""});
    return task;
}

timetable times_of(task_definition const& task)
{
    return {task.schedule, noon};
}

moments firings_of(skip_ruling const& ruling)
{
    moments found;
    for (auto const& one : ruling.skips)
        found.push_back(one.firing);
    return found;
}

task_plan plan_from(task_definition const& task, utc_time cursor, utc_time until, std::int64_t left = no_maximum)
{
    plan_bounds bounds{cursor, cursor, until, 100};
    bounds.left = left;
    return plan_task(times_of(task), {}, bounds);
}

} // namespace

TEST_CASE("a schedule leaves out the firings that are skipped, and no other instant is a skip")
{
    auto const times = times_of(every_minute({noon + 1min, noon + 90s}));
    CHECK(times.between(noon, noon + 4min, 10) == moments{noon, noon + 2min, noon + 3min});
    CHECK(times.first(noon + 1min) == noon + 2min);
    CHECK(times.skips_between(noon, noon + 4min) == moments{noon + 1min});
    CHECK(times.skips_between(noon + 61s, noon + 4min).empty());
}

TEST_CASE("skips stand in the stored form of a schedule only, and a person cannot give them")
{
    auto const task = every_minute({noon + 1min});
    CHECK_FALSE(protocol::to_json(task)["schedule"].contains("skips"));
    auto named = task;
    named.name = named.service = named.handler = "t";
    auto const read = protocol::parse_task(nlohmann::json::parse(protocol::to_text(named)));
    CHECK(read.schedule.skips == task.schedule.skips);
    CHECK_THROWS_AS(protocol::check_no_skips(read.schedule.skips), invalid_input);
    CHECK(protocol::to_text(protocol::firing_skip{noon, noon, "ann", "by hand"}) ==
          "skipped on request of ann: by hand");
    CHECK(protocol::to_text(protocol::firing_skip{noon, noon, "", ""}) == "skipped on request");
}

TEST_CASE("the planner records a skipped firing in the page that passes it, and not before")
{
    auto const task = every_minute({noon + 1min, noon + 5min});
    auto const plan = plan_from(task, noon, noon + 3min);
    CHECK(plan.firings == moments{noon, noon + 2min});
    CHECK(plan.left_out == moments{noon + 1min});
    CHECK(plan.next == noon + 3min);
    auto const later = plan_from(task, noon + 3min, noon + 5min);
    CHECK(later.firings == moments{noon + 3min, noon + 4min});
    CHECK(later.left_out.empty());
    CHECK(later.next == noon + 5min); // its skip has to be recorded
    CHECK(later.look == noon + 5min);
    auto const last = plan_from(task, noon + 5min, noon + 5min + 1s);
    CHECK(last.firings.empty());
    CHECK(last.left_out == moments{noon + 5min});
    CHECK(last.next == noon + 6min);
}

TEST_CASE("a skipped firing does not count for the maximum of firings")
{
    auto task = every_minute({noon + 1min});
    task.schedule.firing.max_firings = 2;
    auto const plan = plan_from(task, noon, noon + 10min, 2);
    CHECK(plan.firings == moments{noon, noon + 2min});
    CHECK(plan.left_out == moments{noon + 1min});
    CHECK(plan.resume == noon + 3min);
    auto const one = plan_from(task, noon, noon + 10min, 1);
    CHECK(one.firings == moments{noon});
    CHECK(one.left_out.empty()); // the task does not fire any more
}

TEST_CASE("a skipped firing of a schedule with a jitter is left out in order")
{
    auto task = every_minute({noon + 1min});
    task.schedule.firing.jitter = 5min;
    task.schedule.firing.jitter_seed = 7;
    moments fired;
    moments left_out;
    std::optional<utc_time> next = noon;
    for (auto until = noon + 1min; until < noon + 20min; until += 1min) {
        auto const plan = plan_from(task, *next, until);
        fired.insert(fired.end(), plan.firings.begin(), plan.firings.end());
        left_out.insert(left_out.end(), plan.left_out.begin(), plan.left_out.end());
        next = plan.next;
    }
    CHECK(left_out == moments{noon + 1min});
    REQUIRE(fired.size() > 5);
    CHECK(fired == times_of(task).between(noon, utc_time::max(), fired.size()));
}

TEST_CASE("a skipped firing that falls into a pause is recorded once")
{
    auto const task = every_minute({noon + 1min});
    auto const plan = plan_paused(times_of(task), noon, noon + 3min, 100);
    CHECK(plan.skipped == moments{noon, noon + 2min});
    CHECK(plan.left_out == moments{noon + 1min});
    CHECK(plan.next == noon + 3min);
}

TEST_CASE("an edit records the skipped firings before its line and plans those behind it anew")
{
    auto const task = every_minute({noon + 1min, noon + 3min});
    protocol::task_progress progress;
    progress.created_at = noon;
    progress.now = noon + 1min;
    progress.next_fire_at = noon + 1min;
    using state = protocol::recorded_firing::state;
    progress.recorded = {{execution_id{3}, noon + 3min, state::skipped},
                         {execution_id{4}, noon + 4min, state::planned}};
    auto const plan = plan_edit(&task, &task, progress, noon + 150s);
    CHECK(plan.insert == moments{noon + 2min});
    CHECK(plan.left_out == moments{noon + 1min});
    CHECK(plan.replan == std::vector{execution_id{3}});
    CHECK(plan.cancel == std::vector{execution_id{4}});
    CHECK(plan.next == noon + 3min);
}

TEST_CASE("skip-next names the next firings from the line on that are not skipped")
{
    auto const ruling =
        skip_next(every_minute({noon + 2min}), noon, {.count = 2, .by = "bob", .reason = "r"}, noon + 61s, noon + 1min);
    REQUIRE(ruling.refusal.empty());
    CHECK(ruling.changed);
    CHECK(ruling.firings == moments{noon + 3min, noon + 4min});
    CHECK(firings_of(ruling) == moments{noon + 2min, noon + 3min, noon + 4min});
    CHECK(ruling.skips[1] == protocol::firing_skip{noon + 3min, noon + 1min, "bob", "r"});
}

TEST_CASE("skip-next with the expected firing changes nothing when it is repeated")
{
    auto const task = every_minute();
    auto const first = skip_next(task, noon, {.expected = noon + 2min}, noon + 61s, noon);
    CHECK(first.changed);
    auto skipped = task;
    skipped.schedule.skips = first.skips;
    for (auto const line : {noon + 61s, noon + 150s, noon + 1h}) { // also when the firing is past
        auto const again = skip_next(skipped, noon, {.expected = noon + 2min}, line, noon);
        CHECK(again.refusal.empty());
        CHECK_FALSE(again.changed);
        CHECK(again.firings == moments{noon + 2min});
    }
    auto const more = skip_next(skipped, noon, {.count = 2, .expected = noon + 2min}, noon + 61s, noon);
    CHECK(more.changed);
    CHECK(more.firings == moments{noon + 2min, noon + 3min});
}

TEST_CASE("skip-next refuses an expected firing that is not the next one, and names that")
{
    auto const refused = [](utc_time expected, utc_time line) {
        return skip_next(every_minute(), noon, {.expected = expected}, line, noon).refusal;
    };
    CHECK(refused(noon + 1min, noon + 61s).find("2026-06-01T12:02:00.000000Z") != std::string::npos);
    CHECK_FALSE(refused(noon + 3min, noon + 61s).empty());
    CHECK_FALSE(refused(noon + 90s, noon + 61s).empty());
    CHECK(refused(noon + 2min, noon + 61s).empty());
}

TEST_CASE("skip-next refuses a task without a firing that is known, with the reason")
{
    auto const refusal = [](task_definition const& task) { return skip_next(task, noon, {}, noon, noon).refusal; };
    auto task = every_minute();
    task.enabled = false;
    CHECK(refusal(task).find("disabled") != std::string::npos);
    task = every_minute();
    task.schedule.kind = schedule_kind::fixed_delay;
    CHECK(refusal(task).find("fixed delay") != std::string::npos);
    task.schedule.kind = schedule_kind::api;
    CHECK(refusal(task).find("no firings") != std::string::npos);
    task.schedule.kind = schedule_kind::after;
    CHECK(refusal(task).find("after another one") != std::string::npos);
    task = every_minute();
    task.schedule.end_at = noon + 30s;
    CHECK_FALSE(skip_next(task, noon, {}, noon + 1s, noon).refusal.empty());
}

TEST_CASE("at most a hundred firings are skipped ahead, and past skips are forgotten in the end")
{
    auto task = every_minute();
    auto const all = skip_next(task, noon, {.count = 100}, noon, noon);
    REQUIRE(all.refusal.empty());
    task.schedule.skips = all.skips;
    CHECK_FALSE(skip_next(task, noon, {}, noon, noon).refusal.empty());
    auto const later = skip_next(task, noon, {}, noon + 2h, noon);
    CHECK(later.skips.size() == 101); // for a request that is repeated
    CHECK(skip_next(task, noon, {}, noon + 30h, noon).skips.size() == 1);
    task.schedule.skips.resize(0);
    for (int i = 0; i < 2'000; ++i)
        task.schedule.skips.push_back({noon + i * 1s, noon, "", ""});
    CHECK(skip_next(task, noon, {}, noon + 2h, noon).skips.size() <= protocol::most_stored_skips);
}

TEST_CASE("an undo takes back the skips from the line on, or that of one firing")
{
    auto const task = every_minute({noon + 1min, noon + 2min, noon + 3min});
    auto const all = undo_skips(task, noon, std::nullopt, noon + 61s);
    CHECK(all.firings == moments{noon + 2min, noon + 3min});
    CHECK(firings_of(all) == moments{noon + 1min});
    auto const one = undo_skips(task, noon, noon + 3min, noon + 61s);
    CHECK(firings_of(one) == moments{noon + 1min, noon + 2min});
    CHECK_FALSE(undo_skips(task, noon, noon + 1min, noon + 61s).refusal.empty());
    CHECK_FALSE(undo_skips(every_minute(), noon, std::nullopt, noon).refusal.empty());
}

} // namespace skips_test
