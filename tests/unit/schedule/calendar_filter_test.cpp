#include "libs/base/error.hpp"
#include "libs/schedule/schedule.hpp"

#include <catch2/catch.hpp>

namespace calendar_filter_test {
namespace {

using namespace baton;
using namespace baton::schedule;
using protocol::calendar_mode;
using protocol::calendar_use;
using protocol::schedule_kind;
using protocol::schedule_spec;

calendar_use use(nlohmann::json content, calendar_mode mode = calendar_mode::exclude)
{
    content["name"] = "c";
    calendar_use one;
    one.name = "c";
    one.mode = mode;
    one.version = 1;
    one.content = protocol::parse_calendar_definition(content).content;
    return one;
}

schedule_spec cron(std::string expression, std::vector<calendar_use> uses, std::string zone = "Europe/Berlin")
{
    schedule_spec spec;
    spec.kind = schedule_kind::cron;
    spec.cron = std::move(expression);
    spec.zone = std::move(zone);
    spec.calendars = std::move(uses);
    return spec;
}

std::optional<utc_time> first(schedule_spec const& spec, char const* from)
{
    return timetable(spec, utc_time{}).first(from_rfc3339(from));
}

utc_time at(char const* text)
{
    return from_rfc3339(text);
}

// Whether a rule has this day of its month, from the length of the month and a count of weeks from either end.
bool has_day(protocol::year_day const& rule, std::chrono::year_month_day date)
{
    auto const day = static_cast<unsigned>(date.day());
    auto const length = static_cast<unsigned>((date.year() / date.month() / std::chrono::last).day());
    if (!rule.weekday)
        return rule.number == 0 ? day == length : day == rule.number;
    if (std::chrono::weekday{std::chrono::sys_days{date}}.c_encoding() != *rule.weekday)
        return false;
    return rule.number == 0 ? day + 7 > length : (day + 6) / 7 == rule.number;
}

// The definition of a calendar once more, an instant at a time, for a zone without clock changes.
bool in_set(protocol::calendar_content const& content, utc_time when)
{
    auto const day = std::chrono::floor<std::chrono::days>(when);
    std::chrono::year_month_day const date{day};
    std::chrono::local_days const local{day.time_since_epoch()};
    for (auto const& span : content.dates)
        if (span.first <= local && local <= span.last)
            return true;
    for (auto const& yearly : content.yearly)
        if ((yearly.month == 0 || yearly.month == static_cast<unsigned>(date.month())) && has_day(yearly, date))
            return true;
    for (auto const& part : content.weekly)
        for (auto const back : {0, 1}) {
            auto const begin = day - std::chrono::days{back};
            if ((part.weekdays >> std::chrono::weekday{begin}.c_encoding() & 1u) == 0)
                continue;
            auto const end = part.until > part.from ? part.until : part.until + 24h;
            if (when >= begin + part.from && when < begin + end)
                return true;
        }
    return false;
}

} // namespace

TEST_CASE("a task does not fire on the dates, days of the year and days of the week that it excludes")
{
    auto const spec = cron("0 12 * * *", {use({{"zone", "Europe/Berlin"},
                                               {"dates", {"2026-12-28/2026-12-31"}},
                                               {"yearly", {"12-25", "12-26", "01-01"}},
                                               {"weekly", {{{"days", {"sat", "sun"}}}}}})});
    CHECK(first(spec, "2026-12-24T11:00:01Z") == at("2027-01-04T11:00:00Z"));
    CHECK(first(spec, "2026-12-24T00:00:00Z") == at("2026-12-24T11:00:00Z"));
}

TEST_CASE("a calendar that is allowed lets only its times through, from its begin until before its end")
{
    auto const spec =
        cron("*/30 * * * *",
             {use({{"zone", "Europe/Berlin"}, {"weekly", {{{"days", {"mon"}}, {"from", "09:00"}, {"until", "10:00"}}}}},
                  calendar_mode::allow)});
    CHECK(first(spec, "2026-06-01T00:00:00Z") == at("2026-06-01T07:00:00Z"));
    CHECK(first(spec, "2026-06-01T07:30:00Z") == at("2026-06-01T07:30:00Z"));
    CHECK(first(spec, "2026-06-01T07:30:01Z") == at("2026-06-08T07:00:00Z"));
}

TEST_CASE("one of several calendars that are allowed is enough, and one that is excluded always wins")
{
    auto const spec = cron("0 12 * * *", {use({{"dates", {"2026-06-01"}}}, calendar_mode::allow),
                                          use({{"dates", {"2026-06-03/2026-06-04"}}}, calendar_mode::allow),
                                          use({{"dates", {"2026-06-03"}}})});
    CHECK(first(spec, "2026-05-01T00:00:00Z") == at("2026-06-01T10:00:00Z"));
    CHECK(first(spec, "2026-06-02T00:00:00Z") == at("2026-06-04T10:00:00Z"));
    CHECK_FALSE(first(spec, "2026-06-05T00:00:00Z"));
}

TEST_CASE("the days of a calendar begin in its own zone")
{
    auto const spec = cron("0 0 * * *", {use({{"zone", "America/New_York"}, {"dates", {"2026-06-02"}}})}, "UTC");
    CHECK(first(spec, "2026-06-02T00:00:00Z") == at("2026-06-02T00:00:00Z")); // still June 1 in New York
    CHECK(first(spec, "2026-06-02T00:00:01Z") == at("2026-06-04T00:00:00Z"));
}

TEST_CASE("a part of a week follows the clock through its changes")
{
    schedule_spec spec;
    spec.kind = schedule_kind::fixed_rate;
    spec.every = 15min;
    spec.calendars = {use({{"zone", "Europe/Berlin"}, {"weekly", {{{"from", "02:30"}, {"until", "04:00"}}}}})};
    // On 31 October 2027 the clock goes back from 03:00 to 02:00: the second 02:00 and 02:15 lie outside.
    CHECK(first(spec, "2027-10-31T00:30:00Z") == at("2027-10-31T01:00:00Z"));
    CHECK(first(spec, "2027-10-31T01:15:00Z") == at("2027-10-31T01:15:00Z"));
    CHECK(first(spec, "2027-10-31T01:30:00Z") == at("2027-10-31T03:00:00Z"));
    // On 28 March 2027 it goes forward from 02:00 to 03:00.
    CHECK(first(spec, "2027-03-28T01:00:00Z") == at("2027-03-28T02:00:00Z"));
}

TEST_CASE("the filter agrees with the definition of a calendar at every hour of some years")
{
    auto const content = protocol::parse_calendar_definition(
                             {{"name", "c"},
                              {"dates", {"2026-02-27/2026-03-02", "2027-12-31/2028-01-02", "2026-03-04"}},
                              {"yearly", {"02-29", "12-31", "01-01", "05-mon-last", "11-thu-4", "*-sun-5", "04-last"}},
                              {"weekly",
                               {{{"days", {"sat", "sun"}}},
                                {{"days", {"mon", "tue"}}, {"from", "18:00"}, {"until", "08:00"}},
                                {{"days", {"thu"}}, {"from", "12:00"}, {"until", "00:00"}}}}})
                             .content;
    compiled_calendar const calendar(content);
    auto const mode = GENERATE(calendar_mode::exclude, calendar_mode::allow);
    calendar_use one;
    one.version = 1;
    one.mode = mode;
    one.content = content;
    calendar_filter const filter({one});
    for (auto when = at("2026-01-01T00:30:00Z"); when < at("2028-06-01T00:00:00Z"); when += 1h) {
        bool const inside = in_set(content, when);
        auto const state = calendar.at(when);
        CHECK(state.inside == inside);
        CHECK(state.until > when);
        if (state.until < when + std::chrono::days{60})
            CHECK(in_set(content, state.until - 1s) == inside);
        CHECK(calendar.contains(when) == inside);
        int steps = most_calendar_steps;
        auto place = when;
        auto const admitted = filter.admitted(place, steps);
        bool const let_through = inside == (mode == calendar_mode::allow);
        CHECK((admitted == when) == let_through);
        if (admitted && !let_through)
            CHECK(in_set(content, *admitted) == (mode == calendar_mode::allow));
    }
}

TEST_CASE("a fixed rate and a fixed delay pass over what is excluded")
{
    schedule_spec spec;
    spec.kind = schedule_kind::fixed_rate;
    spec.every = 100ms;
    spec.calendars = {use({{"weekly", {{{"days", {"sat", "sun"}}}}}})};
    CHECK(first(spec, "2026-06-06T10:00:00Z") == at("2026-06-08T00:00:00Z"));
    spec.kind = schedule_kind::fixed_delay;
    spec.every = 1h;
    CHECK(timetable(spec, utc_time{}).after_completion(at("2026-06-05T23:30:00Z")) == at("2026-06-08T00:00:00Z"));
}

TEST_CASE("a schedule that its calendars leave no firing ends the search within bounded work")
{
    auto const nights = use({{"weekly", {{{"from", "20:00"}, {"until", "06:00"}}}}}, calendar_mode::allow);
    CHECK_FALSE(first(cron("0 12 * * *", {nights}, "UTC"), "2026-06-01T00:00:00Z"));
    auto const always = use({{"weekly", {nlohmann::json::object()}}});
    CHECK_FALSE(first(cron("* * * * * *", {always}, "UTC"), "2026-06-01T00:00:00Z"));
    auto const past = use({{"dates", {"2020-01-01"}}}, calendar_mode::allow);
    CHECK_FALSE(first(cron("* * * * * *", {past}, "UTC"), "2026-06-01T00:00:00Z"));
}

TEST_CASE("calendars are read strictly, and their dates are joined")
{
    auto const refused = [](nlohmann::json content) -> std::string {
        content["name"] = "c";
        try {
            protocol::parse_calendar_definition(content);
            return "none";
        } catch (invalid_input const& wrong) {
            return wrong.field();
        }
    };
    CHECK(refused({{"dates", {"2026-02-29"}}}) == "dates");
    CHECK(refused({{"dates", {"2026-3-1"}}}) == "dates");
    CHECK(refused({{"dates", {"2026-03-02/2026-03-01"}}}) == "dates");
    CHECK(refused({{"yearly", {"02-30"}}}) == "yearly");
    CHECK(refused({{"yearly", {"02-29"}}}) == "none");
    CHECK(refused({{"yearly", {"05-mon-last"}}}) == "none");
    CHECK(refused({{"yearly", {"05-mon-6"}}}) == "yearly");
    CHECK(refused({{"weekly", {{{"from", "09:00"}}}}}) == "weekly.until");
    CHECK(refused({{"weekly", {{{"days", {"mon"}}, {"to", "09:00"}}}}}) == "weekly.to");
    CHECK(refused({{"color", "red"}}) == "color");
    auto const joined = use({{"dates", {"2026-03-03", "2026-03-01/2026-03-02", "2026-03-05"}}}).content;
    CHECK(protocol::to_json(joined).at("dates") == nlohmann::json{"2026-03-01/2026-03-03", "2026-03-05"});
}

} // namespace calendar_filter_test
