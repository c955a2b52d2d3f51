#include "libs/schedule/clock_notes.hpp"

#include <catch2/catch.hpp>

namespace clock_notes_test {
namespace {

using namespace baton;
using namespace baton::schedule;
using protocol::gap_policy;
using protocol::overlap_policy;
using protocol::schedule_kind;
using protocol::schedule_spec;

constexpr char const* winter = "2027-01-01T00:00:00Z";

std::vector<clock_note> notes_of(schedule_spec const& spec, std::string const& now = winter)
{
    return clock_notes(spec, from_rfc3339(now), from_rfc3339(now));
}

schedule_spec cron_of(std::string const& expression, protocol::cron_rules rules = {},
                      std::string const& zone = "Europe/Berlin")
{
    return {.kind = schedule_kind::cron, .cron = expression, .zone = zone, .rules = rules};
}

std::vector<std::string> texts_of(schedule_spec const& spec)
{
    std::vector<std::string> texts;
    for (auto const& note : notes_of(spec))
        texts.push_back(note.text);
    return texts;
}

using list = std::vector<std::string>;

} // namespace

TEST_CASE("a note has the instant of the change, its kind, and what will happen")
{
    auto const notes = notes_of(cron_of("30 2 * * *"));
    REQUIRE(notes.size() == 2);
    CHECK(notes[0].at == from_rfc3339("2027-03-28T01:00:00Z"));
    CHECK(notes[0].kind == clock_change::gap);
    CHECK(notes[0].text == "on 2027-03-28 the clock of Europe/Berlin skips 02:30: fires once, at 03:00");
    CHECK(notes[1].at == from_rfc3339("2027-10-31T01:00:00Z"));
    CHECK(notes[1].kind == clock_change::overlap);
    CHECK(notes[1].text == "on 2027-10-31 the clock of Europe/Berlin shows 02:30 twice: fires the first time only");
}

TEST_CASE("a note says what the policy of the task is")
{
    auto const gap = [](gap_policy policy, std::string const& expression) {
        return texts_of(cron_of(expression, {.gap = policy}))[0];
    };
    std::string const head = "on 2027-03-28 the clock of Europe/Berlin skips ";
    CHECK(gap(gap_policy::skip, "30 2 * * *") == head + "02:30: no firing");
    CHECK(gap(gap_policy::shift, "30 2 * * *") == head + "02:30: fires at 03:30");
    CHECK(gap(gap_policy::shift, "10,30 2 * * *") == head + "02:10 and 02:30: fires 60 minutes later, from 03:10 on");
    CHECK(gap(gap_policy::next_valid, "10-30 2 * * *") ==
          head + "21 times from 02:10 to 02:30: fires once, at 03:00, for all of them");
    CHECK(texts_of(cron_of("*/5 * * * *")) ==
          list{head + "12 times from 02:00 to 02:55: no firing",
               "on 2027-10-31 the clock of Europe/Berlin shows 12 times from 02:00 to 02:55 twice: fires both times"});
    CHECK(texts_of(cron_of("30 2 * * *", {.overlap = overlap_policy::second}))[1].ends_with(
        "fires the second time only"));
}

TEST_CASE("there is no note for a change that the schedule does not meet")
{
    CHECK(notes_of(cron_of("30 4 * * *")).empty());
    CHECK(notes_of(cron_of("30 2 * * *", {}, "UTC")).empty());
    CHECK(notes_of(cron_of("30 2 * * mon")).empty()); // the clock changes on Sundays
    CHECK(notes_of(cron_of("30 2 * 10 *")).size() == 1);
    CHECK(notes_of({.kind = schedule_kind::api}).empty());
    CHECK(notes_of(cron_of("30 2 * * *"), "9000-01-01T00:00:00Z").empty());
}

TEST_CASE("changes after 400 days, or outside the schedule's own span, have no note")
{
    CHECK(notes_of(cron_of("30 2 28 3 *"), "2026-02-20T00:00:00Z").empty()); // 401 days ahead
    CHECK(notes_of(cron_of("30 2 28 3 *"), "2026-02-22T02:00:00Z").size() == 1);
    auto spec = cron_of("30 2 * * *");
    spec.start_at = from_rfc3339("2027-05-01T00:00:00Z");
    CHECK(notes_of(spec).size() == 1);
    spec.end_at = from_rfc3339("2027-08-01T00:00:00Z");
    CHECK(notes_of(spec).empty());
}

TEST_CASE("windows and calendar intervals have notes, too")
{
    schedule_spec window{.kind = schedule_kind::window, .zone = "Europe/Berlin", .every = 30min};
    window.window = {.from = 1h, .to = 5h};
    CHECK(texts_of(window) == list{"on 2027-03-28 the clock of Europe/Berlin skips 02:00 and 02:30: no firing",
                                   "on 2027-10-31 the clock of Europe/Berlin shows 02:00 and 02:30 twice: fires the "
                                   "first time only"});
    schedule_spec calendar{.kind = schedule_kind::calendar, .zone = "Europe/Berlin"};
    calendar.calendar = {.every = 1, .unit = protocol::calendar_unit::days, .time = 150min};
    CHECK(texts_of(calendar) == list{"on 2027-03-28 the clock of Europe/Berlin skips 02:30: fires once, at 03:00",
                                     "on 2027-10-31 the clock of Europe/Berlin shows 02:30 twice: fires the first time "
                                     "only"});
}

TEST_CASE("the notes of windows and calendar intervals say what the policies of their tasks are")
{
    schedule_spec window{.kind = schedule_kind::window, .zone = "Europe/Berlin", .every = 30min};
    window.window = {.from = 1h, .to = 5h};
    window.rules = {.gap = gap_policy::next_valid, .overlap = overlap_policy::both};
    CHECK(texts_of(window)[0].ends_with("skips 02:00 and 02:30: fires once, at 03:00, for all of them"));
    CHECK(texts_of(window)[1].ends_with("shows 02:00 and 02:30 twice: fires both times"));
    schedule_spec calendar{.kind = schedule_kind::calendar, .zone = "Europe/Berlin"};
    calendar.calendar = {.every = 1, .unit = protocol::calendar_unit::days, .time = 150min};
    calendar.rules = {.gap = gap_policy::shift, .overlap = overlap_policy::second};
    CHECK(texts_of(calendar)[0].ends_with("skips 02:30: fires at 03:30"));
    CHECK(texts_of(calendar)[1].ends_with("shows 02:30 twice: fires the second time only"));
}

TEST_CASE("the work for an expression of every second is bounded")
{
    auto const texts = texts_of(cron_of("* * * * * *"));
    REQUIRE(texts.size() == 2);
    CHECK(texts[0].find("skips many times from 02:00 on: no firing") != std::string::npos);
}

} // namespace clock_notes_test
