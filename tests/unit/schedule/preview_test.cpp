#include "libs/base/error.hpp"
#include "libs/schedule/preview.hpp"

#include <catch2/catch.hpp>

#include <fmt/format.h>

namespace schedule_preview_test {
namespace {

using namespace baton;
using namespace baton::schedule;
using protocol::calendar_mode;
using protocol::calendar_use;
using protocol::gap_policy;
using protocol::overlap_policy;
using protocol::schedule_kind;
using protocol::schedule_spec;

constexpr char const* winter = "2027-01-01T00:00:00Z"; // a Friday

schedule_spec cron_of(std::string const& expression, protocol::cron_rules rules = {})
{
    return {.kind = schedule_kind::cron, .cron = expression, .zone = "Europe/Berlin", .rules = rules};
}

calendar_use use(std::string name, nlohmann::json content, calendar_mode mode = calendar_mode::exclude)
{
    content["name"] = name;
    calendar_use one;
    one.name = std::move(name);
    one.mode = mode;
    one.version = 1;
    one.content = protocol::parse_calendar_definition(content).content;
    return one;
}

schedule_preview preview_from(schedule_spec const& spec, std::string const& from, std::size_t count)
{
    return preview(spec, from_rfc3339(winter), {.from = from_rfc3339(from), .count = count});
}

std::vector<std::string> texts_of(schedule_preview const& found)
{
    std::vector<std::string> texts;
    for (auto const& firing : found.firings)
        texts.push_back(to_rfc3339(firing.at).substr(0, 16) +
                        (firing.clock ? " " + std::string(protocol::to_string(*firing.clock)) : ""));
    return texts;
}

using list = std::vector<std::string>;

} // namespace

TEST_CASE("a firing that the clock moves is marked, and one that keeps its time is not")
{
    auto const moved = preview_from(cron_of("30 2 * * *"), "2027-03-27T12:00:00Z", 2);
    CHECK(texts_of(moved) == list{"2027-03-28T01:00 moved", "2027-03-29T00:30"});
    auto const shifted = preview_from(cron_of("30 2 * * *", {.gap = gap_policy::shift}), "2027-03-27T12:00:00Z", 1);
    CHECK(texts_of(shifted) == list{"2027-03-28T01:30 moved"});
    auto const own = preview_from(cron_of("0,30 2,3 * * *"), "2027-03-28T00:30:00Z", 2);
    CHECK(texts_of(own) == list{"2027-03-28T01:00", "2027-03-28T01:30"});
}

TEST_CASE("a time that the clock shows twice is marked as the first or the second")
{
    auto const from = "2027-10-30T12:00:00Z";
    CHECK(texts_of(preview_from(cron_of("30 2 * * *"), from, 2)) ==
          list{"2027-10-31T00:30 first_of_two", "2027-11-01T01:30"});
    CHECK(texts_of(preview_from(cron_of("30 2 * * *", {.overlap = overlap_policy::second}), from, 1)) ==
          list{"2027-10-31T01:30 second_of_two"});
    CHECK(texts_of(preview_from(cron_of("30 2 * * *", {.overlap = overlap_policy::both}), from, 2)) ==
          list{"2027-10-31T00:30 first_of_two", "2027-10-31T01:30 second_of_two"});
}

TEST_CASE("windows and calendar intervals are marked too, and a fixed rate is not")
{
    schedule_spec window{.kind = schedule_kind::window, .zone = "Europe/Berlin", .every = 30min};
    window.window.from = 1h + 30min;
    window.window.to = 3h;
    CHECK(
        texts_of(preview_from(window, "2027-10-30T12:00:00Z", 4)) ==
        list{"2027-10-30T23:30", "2027-10-31T00:00 first_of_two", "2027-10-31T00:30 first_of_two", "2027-10-31T02:00"});
    schedule_spec daily{.kind = schedule_kind::calendar, .zone = "Europe/Berlin"};
    daily.calendar.unit = protocol::calendar_unit::days;
    daily.calendar.time = 2h + 30min;
    CHECK(texts_of(preview_from(daily, "2027-03-27T12:00:00Z", 1)) == list{"2027-03-28T01:00 moved"});
    schedule_spec const rate{.kind = schedule_kind::fixed_rate, .every = 1h};
    CHECK(texts_of(preview_from(rate, "2027-10-31T00:30:00Z", 2)) == list{"2027-10-31T01:00", "2027-10-31T02:00"});
}

TEST_CASE("what calendars leave out before a firing is counted and named")
{
    auto spec = cron_of("0 9 * * *");
    spec.calendars = {use("holidays", {{"zone", "Europe/Berlin"}, {"dates", {"2027-01-01"}}}),
                      use("weekend", {{"zone", "Europe/Berlin"}, {"weekly", {{{"days", {"sat", "sun"}}}}}}),
                      use("unused", {{"dates", {"2028-01-01"}}})};
    auto const found = preview_from(spec, winter, 2);
    REQUIRE(texts_of(found) == list{"2027-01-04T08:00", "2027-01-05T08:00"});
    auto const& before = found.firings[0].before;
    CHECK(before.count == 3);
    CHECK_FALSE(before.more);
    CHECK(before.first == from_rfc3339("2027-01-01T08:00:00Z"));
    CHECK(before.calendars == list{"holidays", "weekend"});
    CHECK(found.firings[1].before.count == 0);
}

TEST_CASE("times outside all calendars that allow are left out by these")
{
    auto spec = cron_of("0 9 * * *");
    spec.calendars = {use("mondays", {{"weekly", {{{"days", {"mon"}}}}}}, calendar_mode::allow),
                      use("closed", {{"dates", {"2027-01-04"}}})};
    auto const found = preview_from(spec, "2027-01-03T00:00:00Z", 1);
    REQUIRE(texts_of(found) == list{"2027-01-11T08:00"});
    CHECK(found.firings[0].before.count == 8);
    CHECK(found.firings[0].before.calendars == list{"mondays", "closed"});
}

TEST_CASE("the count of what is left out is bounded")
{
    auto spec = cron_of("* * * * * *");
    spec.calendars = {use("nights", {{"weekly", {{{"from", "18:00"}, {"until", "08:00"}}}}})};
    auto const found = preview_from(spec, "2027-01-01T20:00:00Z", 1);
    REQUIRE(found.firings.size() == 1);
    CHECK(found.firings[0].before.count == most_left_out);
    CHECK(found.firings[0].before.more);
}

TEST_CASE("the search through calendars ends within a bound and says so")
{
    auto const halves_of_hours = [](char const* from, int until_hour, char const* until) {
        auto parts = nlohmann::json::array();
        for (int hour = 0; hour < 24; ++hour)
            parts.push_back({{"from", fmt::format("{:02}:{}", hour, from)},
                             {"until", fmt::format("{:02}:{}", (hour + until_hour) % 24, until)}});
        return nlohmann::json{{"weekly", parts}};
    };
    auto spec = cron_of("* * * * *");
    spec.calendars = {use("first halves", halves_of_hours("00", 0, "30")),
                      use("second halves", halves_of_hours("30", 1, "00"))};
    auto const found = preview_from(spec, winter, 5);
    CHECK(found.firings.empty());
    CHECK(found.end == preview_end::bound);
}

TEST_CASE("a long preview comes in pieces, a short one in a single piece, and both are the same as at once")
{
    auto const pieces_of = [](schedule_spec const& spec, std::size_t count) {
        preview_bounds const bounds{.from = from_rfc3339(winter), .count = count};
        preview_search search(spec, from_rfc3339(winter), bounds);
        int pieces = 1;
        for (; search.advance(); ++pieces)
            ;
        auto const found = search.take();
        CHECK(texts_of(found) == texts_of(preview(spec, from_rfc3339(winter), bounds)));
        return pieces;
    };
    CHECK(pieces_of(cron_of("0 9 * * *"), 100) == 1);
    auto nights = cron_of("* * * * * *");
    nights.calendars = {use("nights", {{"weekly", {{{"from", "18:00"}, {"until", "08:00"}}}}})};
    CHECK(pieces_of(nights, 100) <= 3);
    auto never = cron_of("0 12 * * *");
    never.calendars = {use("noon", {{"zone", "Europe/Berlin"}, {"weekly", {{{"from", "11:00"}, {"until", "13:00"}}}}})};
    CHECK(pieces_of(never, 2) >= 8'000 / 500);
    auto const found = preview_from(never, winter, 2);
    CHECK(found.never);
    CHECK(found.end == preview_end::bound);
    CHECK_FALSE(preview_from(cron_of("0 9 * * *"), winter, 1).never);
}

TEST_CASE("a preview ends with the schedule or with the maximum of firings")
{
    auto spec = cron_of("0 9 * * *");
    CHECK(preview_from(spec, winter, 3).end == preview_end::more);
    spec.end_at = from_rfc3339("2027-01-03T00:00:00Z");
    auto const over = preview_from(spec, winter, 10);
    CHECK(over.firings.size() == 2);
    CHECK(over.end == preview_end::over);
    preview_bounds const left{.from = from_rfc3339(winter), .count = 10, .left = 1};
    auto const last = preview(spec, from_rfc3339(winter), left);
    CHECK(last.firings.size() == 1);
    CHECK(last.end == preview_end::max_firings);
}

TEST_CASE("a firing is due later by its jitter, which is unknown without a seed")
{
    schedule_spec spec{.kind = schedule_kind::fixed_rate, .every = 1h};
    CHECK(preview_from(spec, winter, 1).firings[0].due_at == from_rfc3339(winter));
    spec.firing.jitter = 10min;
    CHECK_FALSE(preview_from(spec, winter, 1).firings[0].due_at);
    spec.firing.jitter_seed = 4711;
    auto const firing = preview_from(spec, winter, 1).firings[0];
    CHECK(firing.due_at == protocol::due_instant(spec.firing, firing.at));
}

TEST_CASE("kinds without planned times say why")
{
    schedule_spec const delay{.kind = schedule_kind::fixed_delay, .every = 30s};
    auto const found = preview_from(delay, winter, 5);
    CHECK(found.firings.empty());
    CHECK(found.unplanned == unplanned::fixed_delay);
    CHECK(explain(unplanned::fixed_delay, delay).find("the end of the run before") != std::string::npos);
    schedule_spec const after{.kind = schedule_kind::after, .after = "extract"};
    CHECK(preview_from(after, winter, 5).unplanned == unplanned::after);
    CHECK(explain(unplanned::after, after).find("'extract'") != std::string::npos);
    CHECK(preview_from({}, winter, 5).unplanned == unplanned::api);
    CHECK_FALSE(preview_from(cron_of("0 9 * * *"), winter, 1).unplanned);
}

} // namespace schedule_preview_test
