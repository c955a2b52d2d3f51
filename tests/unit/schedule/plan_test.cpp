#include "libs/base/error.hpp"
#include "libs/schedule/misfire.hpp"
#include "libs/schedule/plan.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>

namespace plan_test {
namespace {

using namespace baton;
using namespace baton::schedule;
using protocol::schedule_kind;
using protocol::task_definition;
using protocol::task_progress;

constexpr auto is_planned = protocol::recorded_firing::state::planned;
constexpr auto is_fixed = protocol::recorded_firing::state::fixed;
auto const noon = from_rfc3339("2026-06-01T12:00:00Z");

// A task that fires every `every` from noon on, or a fixed delay.
task_definition task(duration every, schedule_kind kind = schedule_kind::fixed_rate)
{
    task_definition made;
    made.schedule.kind = kind;
    made.schedule.every = every;
    if (kind == schedule_kind::fixed_rate)
        made.schedule.start_at = noon;
    return made;
}

timetable times_of(task_definition const& task)
{
    return timetable(task.schedule, noon);
}

task_progress next_at(std::optional<utc_time> next)
{
    task_progress progress;
    progress.created_at = noon;
    progress.next_fire_at = next;
    return progress;
}

std::vector<execution_id> ids(std::vector<int> const& numbers)
{
    return {numbers.begin(), numbers.end()};
}

} // namespace

TEST_CASE("planning takes the firings before the horizon, and the task goes on with the first firing behind them")
{
    auto const plan = plan_task(times_of(task(1s)), {}, {noon + 1s, noon + 1s, noon + 4s, 100});
    CHECK(plan.firings == std::vector{noon + 1s, noon + 2s, noon + 3s});
    CHECK(plan.next == noon + 4s);
    CHECK_FALSE(plan.waits);
}

TEST_CASE("planning stops at the limit, and the task goes on with the first firing that was left")
{
    auto const plan = plan_task(times_of(task(1s)), {}, {noon, noon, noon + 1h, 2});
    CHECK(plan.firings == std::vector{noon, noon + 1s});
    CHECK(plan.next == noon + 2s);
}

TEST_CASE("late firings are skipped but for the one that replaces them, and planning goes on behind them")
{
    auto const plan = plan_task(times_of(task(10min)), {}, {noon, noon + 8h + 1min, noon + 8h + 15min, 100});
    CHECK(plan.skipped.size() == 48);
    CHECK(plan.skipped.front() == noon);
    CHECK(plan.firings == std::vector{noon + 8h, noon + 8h + 10min});
    CHECK(plan.next == noon + 8h + 20min);
}

TEST_CASE("more late firings than one plan takes are skipped in pieces, and the last piece has the one that runs")
{
    auto const times = times_of(task(100ms));
    auto const now = noon + 1h;
    std::size_t skipped = 0;
    std::optional<utc_time> cursor = noon;
    std::vector<utc_time> fired;
    while (*cursor <= now) {
        auto const plan = plan_task(times, {}, {*cursor, now, now + tick, 10'000});
        CHECK(plan.skipped.size() <= most_skipped);
        skipped += plan.skipped.size();
        fired.insert(fired.end(), plan.firings.begin(), plan.firings.end());
        cursor = plan.next;
    }
    CHECK(skipped == 35'400);   // all that are over a minute late
    CHECK(fired.size() == 601); // those of the last minute
    CHECK(fired.back() == now);
}

TEST_CASE("a fixed delay runs however late it is")
{
    protocol::misfire_policy const none{protocol::misfire_action::skip};
    auto const plan = plan_task(times_of(task(1s, schedule_kind::fixed_delay)), none, {noon, noon + 1h, noon + 2h, 9});
    CHECK(plan.firings == std::vector{noon});
    CHECK(plan.skipped.empty());
}

TEST_CASE("a fixed delay is planned once, and its end decides the next firing")
{
    auto const plan = plan_task(times_of(task(10ms, schedule_kind::fixed_delay)), {}, {noon, noon, noon + 5s, 100});
    CHECK(plan.firings == std::vector{noon});
    CHECK_FALSE(plan.next);
    CHECK(plan.waits);
}

TEST_CASE("a schedule without further firings leaves the task without a next one")
{
    auto ending = task(1s);
    ending.schedule.end_at = noon + 2s;
    auto const plan = plan_task(times_of(ending), {}, {noon, noon, noon + 5s, 100});
    CHECK(plan.firings == std::vector{noon, noon + 1s});
    CHECK_FALSE(plan.next);
}

TEST_CASE("a task whose schedule has no firing before the horizon loses none")
{
    // The instant in next_fire_at was computed by other rules of its time zone.
    auto const plan = plan_task(times_of(task(1h)), {}, {noon + 1s, noon + 1s, noon + 5s, 100});
    CHECK(plan.firings.empty());
    CHECK(plan.next == noon + 1h);
}

TEST_CASE("a new task fires from the line on")
{
    auto const made = task(1h);
    auto const plan = plan_edit(nullptr, &made, next_at(std::nullopt), noon + 1min);
    CHECK(plan.insert.empty());
    CHECK(plan.cancel.empty());
    CHECK(plan.next == noon + 1h);
}

TEST_CASE("a firing of the new definition exactly on the line fires")
{
    auto const made = task(1h);
    CHECK(plan_edit(nullptr, &made, next_at(std::nullopt), noon + 1h).next == noon + 1h);
}

TEST_CASE("a new task that is disabled has no next firing")
{
    auto made = task(1h);
    made.enabled = false;
    CHECK_FALSE(plan_edit(nullptr, &made, next_at(std::nullopt), noon).next);
}

TEST_CASE("an edit of a task with nothing planned and nothing overdue only moves its next firing")
{
    auto const before = task(1h);
    auto const after = task(7min);
    auto const plan = plan_edit(&before, &after, next_at(noon + 1h), noon + 1min);
    CHECK(plan.insert.empty());
    CHECK(plan.cancel.empty());
    CHECK(plan.next == noon + 7min);
    CHECK_FALSE(plan.waits);
}

TEST_CASE("an edit keeps planned firings before its line and cancels those at or after it")
{
    auto const before = task(1s);
    auto const after = task(1min);
    auto progress = next_at(noon + 5s); // planning has gone past the line
    for (int i = 0; i < 5; ++i)
        progress.recorded.push_back({execution_id{i}, noon + std::chrono::seconds{i}, is_planned});
    auto const plan = plan_edit(&before, &after, progress, noon + 2s);
    CHECK(plan.insert.empty());
    CHECK(plan.cancel == ids({2, 3, 4}));
    CHECK(plan.next == noon + 1min);
}

TEST_CASE("an edit does not cancel a firing that was sent already")
{
    auto const before = task(1s);
    auto progress = next_at(noon + 3s);
    progress.recorded = {{execution_id{1}, noon + 1s, is_fixed}, {execution_id{2}, noon + 2s, is_planned}};
    CHECK(plan_edit(&before, &before, progress, noon).cancel == ids({2}));
}

TEST_CASE("an edit inserts the firings of the old definition before its line that have no row")
{
    auto const before = task(1s);
    auto const after = task(1h);
    auto const plan = plan_edit(&before, &after, next_at(noon), noon + 3s);
    CHECK(plan.insert == std::vector{noon, noon + 1s, noon + 2s});
    CHECK(plan.next == noon + 1h);
}

TEST_CASE("an edit does not insert an overdue firing that has its row")
{
    auto const before = task(1s);
    auto progress = next_at(noon);
    progress.recorded = {{execution_id{7}, noon + 1s, is_fixed}};
    auto const plan = plan_edit(&before, &before, progress, noon + 3s);
    CHECK(plan.insert == std::vector{noon, noon + 2s});
    CHECK(plan.next == noon + 3s);
}

TEST_CASE("an edit with too many overdue firings takes the first of them and leaves the others to the next plan")
{
    auto const before = task(1s);
    auto const after = task(1h);
    auto const line = noon + std::chrono::seconds{most_overdue};
    auto const all = plan_edit(&before, &after, next_at(noon), line);
    CHECK(all.insert.size() == most_overdue);
    CHECK_FALSE(all.unfinished);
    CHECK(all.next == noon + 3h);
    auto const part = plan_edit(&before, &after, next_at(noon), line + tick);
    CHECK(part.insert.size() == most_overdue);
    CHECK(part.unfinished);
    CHECK(part.next == line);
    CHECK(part.look == line);
    auto const rest = plan_edit(&before, &after, next_at(part.next), line + tick);
    CHECK(rest.insert == std::vector{line});
    CHECK_FALSE(rest.unfinished);
}

TEST_CASE("an edit in parts decides on overdue firings as one plan would, whatever their number, policy and jitter",
          "[large]")
{
    auto before = task(1s);
    using enum protocol::misfire_action;
    before.misfire.action = GENERATE(fire_once, fire_all, skip);
    before.misfire.limit = 700;
    before.misfire.after = GENERATE(60s, 4h);
    before.schedule.firing.jitter = GENERATE(0s, 5s);
    before.schedule.firing.max_firings = GENERATE(0, 12'000);
    auto progress = next_at(noon);
    progress.now = noon + 25h;
    auto const line = progress.now + 2s;
    std::vector<utc_time> seen;
    std::size_t inserted = 0;
    protocol::edit_plan part;
    do {
        part = plan_edit(&before, &before, progress, line);
        CHECK(part.insert.size() + part.skipped.size() < 2 * most_overdue + 1'000);
        inserted += part.insert.size();
        seen.insert(seen.end(), part.insert.begin(), part.insert.end());
        seen.insert(seen.end(), part.skipped.begin(), part.skipped.end());
        progress.next_fire_at = part.next;
        progress.firings = part.firings;
    } while (part.unfinished);

    std::ranges::sort(seen);
    CHECK(std::ranges::adjacent_find(seen) == seen.end());
    auto const full = before.schedule.firing.max_firings != 0 && inserted == 12'000;
    if (!full) {
        CHECK(seen == times_of(before).between(noon, line, 200'000));
        CHECK(part.next == line);
    }
    // Those that are not late, the present one and the one before the line included; of fire_all the latest 700 due
    // ones.
    auto const wanted =
        std::max<std::int64_t>(before.misfire.after / 1s + 2, before.misfire.action == fire_all ? 701 : 0);
    auto const most = before.schedule.firing.max_firings != 0 ? std::int64_t{12'000} : std::int64_t{100'000};
    auto const slack = before.schedule.firing.jitter / 1s; // by when each is due
    CHECK(std::abs(static_cast<std::int64_t>(inserted) - std::min(wanted, most)) <= slack);
}

TEST_CASE("a task that is being disabled keeps the firings before the line and loses those after it")
{
    auto const before = task(1s);
    auto after = before;
    after.enabled = false;
    auto progress = next_at(noon + 1s);
    progress.recorded = {{execution_id{5}, noon + 5s, is_planned}};
    auto const plan = plan_edit(&before, &after, progress, noon + 2s);
    CHECK(plan.insert == std::vector{noon + 1s});
    CHECK(plan.cancel == ids({5}));
    CHECK_FALSE(plan.next);
    CHECK_FALSE(plan.waits);
}

TEST_CASE("a task that is being enabled fires from the line on and makes up for nothing")
{
    auto before = task(1s);
    before.enabled = false;
    auto const after = task(1s);
    auto const plan = plan_edit(&before, &after, next_at(std::nullopt), noon + 1h);
    CHECK(plan.insert.empty());
    CHECK(plan.next == noon + 1h);
}

TEST_CASE("a task that is being deleted keeps the firings before the line and loses those after it")
{
    auto const before = task(1s);
    auto progress = next_at(noon + 1s);
    progress.recorded = {{execution_id{5}, noon + 5s, is_planned}};
    auto const plan = plan_edit(&before, nullptr, progress, noon + 2s);
    CHECK(plan.insert == std::vector{noon + 1s});
    CHECK(plan.cancel == ids({5}));
    CHECK_FALSE(plan.next);
}

TEST_CASE("a fixed delay that is being edited goes on waiting for its last firing, also while it is off")
{
    auto const before = task(1s, schedule_kind::fixed_delay);
    auto after = task(9s, schedule_kind::fixed_delay);
    after.enabled = GENERATE(true, false);
    auto progress = next_at(std::nullopt);
    progress.last = {execution_id{4}, true, {}};
    auto const plan = plan_edit(&before, &after, progress, noon);
    CHECK(plan.waits);
    CHECK(plan.insert.empty());
    CHECK_FALSE(plan.next);
}

TEST_CASE("a fixed delay whose planned execution the edit cancels fires at the same instant")
{
    auto const before = task(1h, schedule_kind::fixed_delay);
    auto progress = next_at(std::nullopt);
    progress.last = {execution_id{3}, false, noon - 59min};
    progress.recorded = {{execution_id{4}, noon + 1min, is_planned}};
    auto const plan = plan_edit(&before, &before, progress, noon);
    CHECK(plan.cancel == ids({4}));
    CHECK_FALSE(plan.waits);
    CHECK(plan.next == noon + 1min);
}

TEST_CASE("the next firing of a fixed delay stays where it is unless the edit changes the period")
{
    auto const before = task(1h, schedule_kind::fixed_delay);
    auto progress = next_at(noon + 40min);
    progress.last = {execution_id{4}, false, noon - 30min}; // it was moved since
    CHECK(plan_edit(&before, &before, progress, noon).next == noon + 40min);
    auto const longer = task(2h, schedule_kind::fixed_delay);
    CHECK(plan_edit(&before, &longer, progress, noon).next == noon + 90min);
    auto const shorter = task(1min, schedule_kind::fixed_delay);
    CHECK(plan_edit(&before, &shorter, progress, noon).next == noon);
    progress.last.reset();
    CHECK(plan_edit(&before, &shorter, progress, noon).next == noon);
}

TEST_CASE("a fixed delay that is enabled fires a period after its last run, and at the line if that is past or unknown")
{
    auto off = task(1h, schedule_kind::fixed_delay);
    off.enabled = false;
    auto const on = task(1h, schedule_kind::fixed_delay);
    auto progress = next_at(std::nullopt);
    CHECK(plan_edit(&off, &on, progress, noon).next == noon);
    progress.last = {execution_id{4}, false, noon - 10min};
    CHECK(plan_edit(&off, &on, progress, noon).next == noon + 50min);
    progress.last->ended_at = noon - 2h;
    CHECK(plan_edit(&off, &on, progress, noon).next == noon);
}

TEST_CASE("a calendar that changes moves the next firing of a fixed delay only if it keeps that back")
{
    auto const with_holiday = [](int day) {
        auto made = task(1h, schedule_kind::fixed_delay);
        auto& use = made.schedule.calendars.emplace_back();
        use.name = "holidays";
        use.version = 1;
        use.content.zone = "UTC";
        std::chrono::local_days const date{std::chrono::year{2026} / 6 / day};
        use.content.dates.push_back({date, date});
        return made;
    };
    auto const before = with_holiday(20);
    auto const progress = next_at(noon + 40min);
    auto const same = with_holiday(21);
    CHECK(plan_edit(&before, &same, progress, noon).next == noon + 40min);
    auto const today = with_holiday(1);
    CHECK(to_rfc3339(plan_edit(&before, &today, progress, noon).next.value()) == "2026-06-02T00:00:00.000000Z");
}

TEST_CASE("an overdue firing of a fixed delay is inserted, and the task waits for it")
{
    auto const before = task(1s, schedule_kind::fixed_delay);
    auto const plan = plan_edit(&before, &before, next_at(noon - 30s), noon);
    CHECK(plan.insert == std::vector{noon - 30s});
    CHECK(plan.waits);
    CHECK_FALSE(plan.next);
}

TEST_CASE("a fixed delay that becomes a fixed rate does not wait for its open execution, and the reverse does")
{
    auto const delay = task(1s, schedule_kind::fixed_delay);
    auto const rate = task(1min);
    auto progress = next_at(std::nullopt);
    progress.last = {execution_id{4}, true, {}};
    auto const to_rate = plan_edit(&delay, &rate, progress, noon + 1s);
    CHECK_FALSE(to_rate.waits);
    CHECK(to_rate.next == noon + 1min);
    auto const to_delay = plan_edit(&rate, &delay, next_at(noon), noon + 1s);
    CHECK(to_delay.insert == std::vector{noon});
    CHECK(to_delay.waits);
    CHECK_FALSE(to_delay.next);
}

TEST_CASE("an edit repairs a task whose old schedule has become meaningless, as long as none of its firings is overdue")
{
    auto broken = task(1s, schedule_kind::cron);
    broken.schedule.cron = "* * * * *";
    broken.schedule.zone = "Mars/Olympus";
    auto const after = task(1h);
    CHECK(plan_edit(&broken, &after, next_at(noon + 1min), noon).next == noon);
    CHECK_THROWS_AS(plan_edit(&broken, &after, next_at(noon - 1min), noon), invalid_input);
}

// Follows the zones with a task of every hour.
zone_course followed(std::optional<utc_time> cursor, std::optional<utc_time> line, utc_time valid_from = noon,
                     std::optional<utc_time> recorded = std::nullopt)
{
    return follow_zones(times_of(task(1h)), {cursor, std::nullopt, line, valid_from, recorded});
}

TEST_CASE("a task goes on with its first firing from the line of the new zones on")
{
    auto const moved = followed(noon + 90min, noon + 30min);
    CHECK(moved.changes);
    CHECK(moved.next == noon + 1h);
    CHECK(moved.look == noon + 1h);
    CHECK_FALSE(moved.resume);
    CHECK_FALSE(followed(noon + 1h, noon + 30min).changes);
    CHECK_FALSE(followed(noon + 20min, noon + 30min).changes); // the planner goes on from there
    CHECK_FALSE(followed(std::nullopt, noon).changes);
}

TEST_CASE("a task that follows late does not plan anew what has its row, nor what is before its definition")
{
    CHECK(followed(noon + 150min, noon + 30min, noon, noon + 1h).next == noon + 2h);
    CHECK(followed(noon + 150min, noon + 30min, noon + 90min).next == noon + 2h);
}

TEST_CASE("a task that another database has planned follows from its own line on")
{
    CHECK(followed(noon + 150min, std::nullopt, noon + 30min).next == noon + 1h);
    CHECK(followed(noon + 30min, std::nullopt, noon + 10min).next == noon + 1h);
}

TEST_CASE("a task that has fired as often as it may follows where it would go on")
{
    auto const course = follow_zones(times_of(task(1h)), {std::nullopt, noon + 90min, noon + 30min, noon, {}});
    CHECK(course.changes);
    CHECK(course.resume == noon + 1h);
    CHECK_FALSE(course.next);
    CHECK_FALSE(course.look);
}

TEST_CASE("a fixed delay goes on where it was when the zone of its calendar changes")
{
    auto const times = times_of(task(1h, schedule_kind::fixed_delay));
    CHECK_FALSE(follow_zones(times, {noon + 40min, std::nullopt, noon + 5min, noon, noon - 1h}).changes);
    CHECK_FALSE(follow_zones(times, {noon + 40min, std::nullopt, std::nullopt, noon, std::nullopt}).changes);
}

} // namespace plan_test
