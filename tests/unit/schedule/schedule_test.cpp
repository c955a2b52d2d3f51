#include "libs/base/error.hpp"
#include "libs/schedule/schedule.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace {

using namespace baton;
using namespace baton::schedule;

// "field: why" of the refusal.
std::string refusal(definition const& wrong)
{
    try {
        compile(wrong);
    } catch (invalid_input const& error) {
        return error.field() + ": " + error.what();
    }
    return "accepted";
}

auto const noon = from_rfc3339("2026-06-01T12:00:00Z");

} // namespace

TEST_CASE("a cron schedule fires in its zone, from its start on and before its end")
{
    auto const job = compile({.what = kind::cron,
                              .cron = "0 14 * * *",
                              .zone = "Europe/Berlin",
                              .start_at = noon,
                              .end_at = noon + std::chrono::days{2}});
    CHECK(job.what() == kind::cron);
    CHECK(job.next(utc_time::min()) == noon);
    CHECK(job.next(noon - 1us) == noon);
    CHECK(job.next(noon) == noon + 24h);
    CHECK_FALSE(job.next(noon + 24h)); // the end itself is no firing
    CHECK_FALSE(job.next(noon + 240h));
    CHECK_FALSE(job.next_after_completion(noon));
}

TEST_CASE("a fixed rate fires at its anchor and at every whole period after it")
{
    auto const job = compile({.what = kind::fixed_rate, .period = 250ms, .start_at = noon});
    CHECK(job.next(noon - 1h) == noon);
    CHECK(job.next(noon - 1us) == noon);
    CHECK(job.next(noon) == noon + 250ms);
    CHECK(job.next(noon + 249'999us) == noon + 250ms);
    CHECK(job.next(noon + 250ms) == noon + 500ms);
    CHECK(job.next(noon + std::chrono::days{3'650} + 1us) == noon + std::chrono::days{3'650} + 250ms);
    CHECK_FALSE(job.next(utc_time::max()));
    CHECK_FALSE(job.next_after_completion(noon));
}

TEST_CASE("a fixed rate without an anchor counts from the Unix epoch")
{
    auto const job = compile({.what = kind::fixed_rate, .period = 7s});
    CHECK(job.next(utc_time{}) == utc_time{7s});
    CHECK(job.next(utc_time{} - 1us) == utc_time{});
    CHECK(job.next(utc_time{15s}) == utc_time{21s});
}

TEST_CASE("a fixed rate ends before its end")
{
    auto const job = compile({.what = kind::fixed_rate, .period = 1min, .start_at = noon, .end_at = noon + 2min});
    CHECK(job.next(noon) == noon + 1min);
    CHECK_FALSE(job.next(noon + 1min));
}

TEST_CASE("a fixed delay fires one period after the end of the previous run")
{
    auto const job = compile({.what = kind::fixed_delay, .period = 1ms});
    CHECK_FALSE(job.next(noon));
    CHECK(job.first(noon) == noon);
    CHECK(job.next_after_completion(noon) == noon + 1ms);
    CHECK_FALSE(job.next_after_completion(utc_time::max()));
}

TEST_CASE("a fixed delay keeps to its start and its end")
{
    auto const job = compile({.what = kind::fixed_delay, .period = 1h, .start_at = noon, .end_at = noon + 2h});
    CHECK(job.first(noon - 5h) == noon);
    CHECK(job.first(noon + 1h) == noon + 1h);
    CHECK_FALSE(job.first(noon + 2h));
    CHECK(job.next_after_completion(noon - 5h) == noon);
    CHECK(job.next_after_completion(noon + 59min) == noon + 119min);
    CHECK_FALSE(job.next_after_completion(noon + 1h));
}

TEST_CASE("a task that fires once fires at its instant and never again")
{
    auto const job = compile({.what = kind::once, .start_at = noon});
    CHECK(job.next(noon - 1us) == noon);
    CHECK(job.first(noon - 1h) == noon);
    CHECK_FALSE(job.next(noon));
    CHECK_FALSE(job.first(noon + 1h));
}

TEST_CASE("a task by request never fires by itself")
{
    auto const job = compile({});
    CHECK(job.what() == kind::api);
    CHECK_FALSE(job.next(noon));
    CHECK_FALSE(job.first(noon));
    CHECK_FALSE(job.next_after_completion(noon));
    CHECK(job.between(utc_time{}, noon, 10).empty());
}

TEST_CASE("the firings of a span include its end but not its beginning, up to the limit")
{
    auto const job = compile({.what = kind::fixed_rate, .period = 1min, .start_at = noon});
    CHECK(job.between(noon, noon + 3min, 100) == std::vector{noon + 1min, noon + 2min, noon + 3min});
    CHECK(job.between(noon, noon + 3min, 2) == std::vector{noon + 1min, noon + 2min});
    CHECK(job.between(noon, noon + 3min, 0).empty());
    CHECK(job.between(noon + 3min, noon, 5).empty());
    auto const once = compile({.what = kind::once, .start_at = noon});
    CHECK(once.between(noon - 1h, noon + 1h, 5) == std::vector{noon});
}

TEST_CASE("a wrong definition is refused with the field that is wrong")
{
    auto const rate = [](duration period) { return definition{.what = kind::fixed_rate, .period = period}; };
    auto const delay = [](duration period) { return definition{.what = kind::fixed_delay, .period = period}; };
    CHECK(refusal({.what = kind::cron, .cron = "61 * * * *"}) == "schedule.cron: minute: '61' is not from 0 to 59");
    CHECK(refusal({.what = kind::cron}) == "schedule.cron: it is empty");
    CHECK(refusal({.what = kind::cron, .cron = "* * * * *", .zone = "Mars"}) ==
          "schedule.zone: 'Mars' is not a time zone; write an IANA name such as Europe/Berlin or UTC");
    CHECK(refusal(rate(99ms)) == "schedule.every_ms: a task at a fixed rate fires at most every 100 ms");
    CHECK(refusal(rate(-1s)) == "schedule.every_ms: a task at a fixed rate fires at most every 100 ms");
    CHECK(refusal(rate(100ms)) == "accepted");
    CHECK(refusal(delay(0ms)) == "schedule.every_ms: a period is at least 1 ms");
    CHECK(refusal(delay(duration::max())) == "schedule.every_ms: a period is at most 36525 days");
    CHECK(refusal(delay(1ms)) == "accepted");
    CHECK(refusal({.what = kind::once}) == "schedule.at: a task that fires once needs the instant");
    CHECK(refusal({.what = kind::once, .start_at = utc_time::max()}) ==
          "schedule.at: it must lie in the years from 1970 to 9999");
    CHECK(refusal({.what = kind::api, .start_at = utc_time::min()}) ==
          "schedule.start_at: it must lie in the years from 1970 to 9999");
    CHECK(refusal({.what = kind::api, .end_at = utc_time::max()}) ==
          "schedule.end_at: it must lie in the years from 1970 to 9999");
    CHECK(refusal({.what = kind::api, .start_at = noon, .end_at = noon}) ==
          "schedule.end_at: it must come after the start");
}

TEST_CASE("what the kind does not use is not looked at")
{
    CHECK(refusal({.what = kind::fixed_rate, .cron = "nonsense", .zone = "Mars", .period = 1s}) == "accepted");
    CHECK(refusal({.what = kind::api, .cron = "nonsense", .zone = "Mars", .period = -1s}) == "accepted");
}
