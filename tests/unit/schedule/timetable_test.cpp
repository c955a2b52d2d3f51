#include "libs/base/error.hpp"
#include "libs/schedule/schedule.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace timetable_test {
namespace {

using namespace baton;
using namespace baton::schedule;
using protocol::schedule_kind;
using protocol::schedule_spec;

auto const noon = from_rfc3339("2026-06-01T12:00:00Z");

timetable make(schedule_spec const& spec)
{
    return timetable(spec, utc_time{});
}

// "field: why" of the refusal.
std::string refusal(schedule_spec const& wrong)
{
    try {
        make(wrong);
    } catch (invalid_input const& error) {
        return error.field() + ": " + error.what();
    }
    return "accepted";
}

// The field that check_schedule refuses, of a schedule as in a task's document.
std::string refused_field(char const* document)
{
    auto const task = protocol::parse_task(
        {{"name", "t"}, {"service", "s"}, {"handler", "h"}, {"schedule", nlohmann::json::parse(document)}});
    try {
        check_schedule(task.schedule);
    } catch (invalid_input const& wrong) {
        return wrong.field();
    }
    return "none";
}

} // namespace

TEST_CASE("a cron schedule fires in its zone, from its start on and before its end")
{
    auto const times = make({.kind = schedule_kind::cron,
                             .cron = "0 14 * * *",
                             .zone = "Europe/Berlin",
                             .start_at = noon,
                             .end_at = noon + std::chrono::days{2}});
    CHECK(times.kind() == schedule_kind::cron);
    CHECK(times.first(utc_time::min()) == noon);
    CHECK(times.first(noon) == noon);
    CHECK(times.first(noon + 1us) == noon + 24h);
    CHECK_FALSE(times.first(noon + 24h + 1us)); // the end itself is no firing
    CHECK_FALSE(times.first(noon + 240h));
    CHECK_FALSE(times.after_completion(noon));
}

TEST_CASE("a fixed rate fires at its start and at every whole period after it")
{
    auto const times = make({.kind = schedule_kind::fixed_rate, .every = 250ms, .start_at = noon});
    CHECK(times.first(noon - 1h) == noon);
    CHECK(times.first(noon) == noon);
    CHECK(times.first(noon + 1us) == noon + 250ms);
    CHECK(times.first(noon + 250ms) == noon + 250ms);
    CHECK(times.first(noon + 250'001us) == noon + 500ms);
    CHECK(times.first(noon + std::chrono::days{3'650} + 1us) == noon + std::chrono::days{3'650} + 250ms);
    CHECK_FALSE(times.first(utc_time::max()));
    CHECK_FALSE(times.after_completion(noon));
}

TEST_CASE("a fixed rate without a start counts from the creation of the task")
{
    auto const created = noon + 250us;
    timetable const times({.kind = schedule_kind::fixed_rate, .every = 7s}, created);
    CHECK(times.first(noon - 24h) == created);
    CHECK(times.first(created) == created);
    CHECK(times.first(created + 1us) == created + 7s);
}

TEST_CASE("a fixed rate does not fire at its end or later")
{
    auto const times =
        make({.kind = schedule_kind::fixed_rate, .every = 1min, .start_at = noon, .end_at = noon + 2min});
    CHECK(times.first(noon + 1min) == noon + 1min);
    CHECK_FALSE(times.first(noon + 1min + 1us));
}

TEST_CASE("a fixed delay fires at once, and then one period after the end of the previous run")
{
    auto const times = make({.kind = schedule_kind::fixed_delay, .every = 1ms});
    CHECK(times.first(noon) == noon);
    CHECK(times.after_completion(noon) == noon + 1ms);
    CHECK_FALSE(times.after_completion(utc_time::max()));
}

TEST_CASE("a fixed delay keeps to its start and its end")
{
    auto const times = make({.kind = schedule_kind::fixed_delay, .every = 1h, .start_at = noon, .end_at = noon + 2h});
    CHECK(times.first(noon - 5h) == noon);
    CHECK(times.first(noon + 1h) == noon + 1h);
    CHECK_FALSE(times.first(noon + 2h));
    CHECK(times.after_completion(noon - 5h) == noon);
    CHECK(times.after_completion(noon + 59min) == noon + 119min);
    CHECK_FALSE(times.after_completion(noon + 1h));
}

TEST_CASE("a task that fires once fires at its instant and never again")
{
    auto const times = make({.kind = schedule_kind::once, .at = noon});
    CHECK(times.first(noon - 1h) == noon);
    CHECK(times.first(noon) == noon);
    CHECK_FALSE(times.first(noon + 1us));
}

TEST_CASE("a task that runs only on request never fires")
{
    auto const times = make({});
    CHECK(times.kind() == schedule_kind::api);
    CHECK_FALSE(times.first(noon));
    CHECK_FALSE(times.after_completion(noon));
    CHECK(times.between(utc_time{}, noon, 10).empty());
}

TEST_CASE("the firings of a span include its begin but not its end, up to the limit")
{
    auto const times = make({.kind = schedule_kind::fixed_rate, .every = 1min, .start_at = noon});
    CHECK(times.between(noon, noon + 3min, 100) == std::vector{noon, noon + 1min, noon + 2min});
    CHECK(times.between(noon, noon + 3min, 2) == std::vector{noon, noon + 1min});
    CHECK(times.between(noon, noon + 3min, 0).empty());
    CHECK(times.between(noon, noon, 5).empty());
    CHECK(times.between(noon + 3min, noon, 5).empty());
    auto const once = make({.kind = schedule_kind::once, .at = noon});
    CHECK(once.between(noon - 1h, noon + 1h, 5) == std::vector{noon});
    CHECK(once.between(noon - 1h, noon, 5).empty());
}

TEST_CASE("the firings of a fixed delay are not known beforehand")
{
    CHECK(make({.kind = schedule_kind::fixed_delay, .every = 5s}).between(noon, noon + 1h, 10).empty());
}

TEST_CASE("a wrong schedule is refused with the field that is wrong")
{
    auto const rate = [](duration every) { return schedule_spec{.kind = schedule_kind::fixed_rate, .every = every}; };
    auto const delay = [](duration every) { return schedule_spec{.kind = schedule_kind::fixed_delay, .every = every}; };
    CHECK(refusal({.kind = schedule_kind::cron, .cron = "61 * * * *"}) ==
          "schedule.cron: minute (column 1): '61' is not from 0 to 59; write for example '*/15'");
    CHECK(refusal({.kind = schedule_kind::cron}) ==
          "schedule.cron: column 1: it is empty; write for example '0 2 * * mon-fri'");
    CHECK(refusal({.kind = schedule_kind::cron, .cron = "* * * * *", .zone = "Mars"}) ==
          "schedule.zone: 'Mars' is not a time zone; write an IANA name such as Europe/Berlin or UTC");
    CHECK(refusal(rate(99ms)) == "schedule.every_ms: a task at a fixed rate fires at most every 100 ms");
    CHECK(refusal(rate(-1s)) == "schedule.every_ms: a task at a fixed rate fires at most every 100 ms");
    CHECK(refusal(rate(100ms)) == "accepted");
    CHECK(refusal(delay(0ms)) == "schedule.every_ms: a period is at least 1 ms");
    CHECK(refusal(delay(duration::max())) == "schedule.every_ms: a period is at most 366 days");
    CHECK(refusal(delay(1ms)) == "accepted");
    CHECK(refusal({.kind = schedule_kind::once}) == "schedule.at: a task that fires once needs the instant");
    CHECK(refusal({.kind = schedule_kind::once, .at = utc_time::max()}) ==
          "schedule.at: it must lie in the years from 1970 to 9999");
    CHECK(refusal({.kind = schedule_kind::api, .start_at = utc_time::min()}) ==
          "schedule.start_at: it must lie in the years from 1970 to 9999");
    CHECK(refusal({.kind = schedule_kind::api, .end_at = utc_time::max()}) ==
          "schedule.end_at: it must lie in the years from 1970 to 9999");
    CHECK(refusal({.kind = schedule_kind::api, .start_at = noon, .end_at = noon}) ==
          "schedule.end_at: it must come after the start");
}

TEST_CASE("fields that the kind of schedule does not use are ignored")
{
    CHECK(refusal({.kind = schedule_kind::fixed_rate, .cron = "nonsense", .zone = "Mars", .every = 1s}) == "accepted");
    CHECK(refusal({.kind = schedule_kind::api, .cron = "nonsense", .zone = "Mars", .every = -1s}) == "accepted");
}

TEST_CASE("a schedule that can never fire is refused with the field of the task's document")
{
    CHECK(refused_field(R"({"kind":"cron","cron":"61 * * * *"})") == "schedule.cron");
    CHECK(refused_field(R"({"kind":"cron","cron":"0 0 30 2 *"})") == "schedule.cron");
    CHECK(refused_field(R"({"kind":"cron","cron":"* * * * *","zone":"Mars/Olympus"})") == "schedule.zone");
    CHECK(refused_field(R"({"kind":"cron","cron":"0 12 * * *","start_at":"2026-03-01T13:00:00Z",
                            "end_at":"2026-03-01T18:00:00Z"})") == "schedule.end_at");
}

TEST_CASE("a schedule whose firings have all passed is no wrong schedule")
{
    CHECK(refused_field(R"({"kind":"cron","cron":"0 12 * * *","end_at":"2026-03-01T18:00:00Z"})") == "none");
    CHECK(refused_field(R"({"kind":"fixed_rate","every_ms":1000,"end_at":"2020-03-01T18:00:00Z"})") == "none");
    CHECK(refused_field(R"({"kind":"once","at":"2020-03-01T18:00:00Z"})") == "none");
}

} // namespace timetable_test
