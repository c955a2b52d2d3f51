// Calendar intervals, also compared with a walk through every day and minute that uses the C library's time zones.

#include "libs/base/error.hpp"
#include "libs/base/random.hpp"
#include "libs/schedule/schedule.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <ctime>
#include <string>

namespace calendar_test {
namespace {

using namespace baton;
using namespace baton::schedule;
using protocol::business_roll;
using protocol::calendar_day;
using protocol::calendar_unit;

auto const created = from_rfc3339("2026-01-10T00:00:00Z"); // a Saturday

protocol::schedule_spec spec_of(std::string const& members)
{
    return protocol::parse_task({{"name", "t"},
                                 {"service", "s"},
                                 {"handler", "h"},
                                 {"schedule", nlohmann::json::parse(R"({"kind":"calendar",)" + members + "}")}})
        .schedule;
}

// The first firings as UTC, without the seconds: "2026-06-05T07:00 2026-06-05T07:15".
std::string firings(std::string const& members, std::size_t count, utc_time from = created)
{
    std::string text;
    for (auto const at : timetable(spec_of(members), created).between(from, utc_time::max(), count))
        text += (text.empty() ? "" : " ") + to_rfc3339(at).substr(0, 16);
    return text;
}

// "field: why", or "accepted".
std::string refusal(std::string const& members)
{
    try {
        check_schedule(spec_of(members));
    } catch (invalid_input const& wrong) {
        return wrong.field() + ": " + wrong.what();
    }
    return "accepted";
}

// A day as days since 1970, with what the C library says of it.
struct day_info {
    std::int64_t number;
    int year;
    int month; // from 0
    int day;
    int weekday;
};

day_info info(std::int64_t number)
{
    std::time_t const when = number * 86'400;
    std::tm at{};
    gmtime_r(&when, &at);
    return {number, at.tm_year, at.tm_mon, at.tm_mday, at.tm_wday};
}

std::int64_t line_of(std::int64_t utc)
{
    std::time_t const when = utc;
    std::tm at{};
    localtime_r(&when, &at);
    return timegm(&at);
}

bool is_last_of_month(std::int64_t number)
{
    return info(number + 1).day == 1;
}

bool is_business_day(std::int64_t number)
{
    return info(number).weekday % 6 != 0;
}

// Whether a rule names this day of its month, by the definition alone.
bool names_day(calendar_day const& rule, day_info const& day, int start)
{
    switch (rule.by) {
    case calendar_day::rule::as_start:
        return day.day == start || (is_last_of_month(day.number) && day.day < start);
    case calendar_day::rule::number:
        return day.day == rule.n || (is_last_of_month(day.number) && day.day < rule.n);
    case calendar_day::rule::last_day:
        return is_last_of_month(day.number);
    case calendar_day::rule::last_business_day:
        for (auto later = day.number + 1; info(later).month == day.month; ++later)
            if (is_business_day(later))
                return false;
        return is_business_day(day.number);
    case calendar_day::rule::weekday:
        break;
    }
    bool const last = info(day.number + 7).month != day.month;
    return day.weekday == rule.weekday && (rule.n == 5 ? last : (day.day - 1) / 7 + 1 == rule.n);
}

bool names(protocol::calendar_spec const& rule, day_info const& start, day_info const& day)
{
    auto const months = (day.year - start.year) * 12 + day.month - start.month;
    auto const monday = [](day_info const& each) { return each.number - (each.weekday + 6) % 7; };
    switch (rule.unit) {
    case calendar_unit::days:
        return day.number >= start.number && (day.number - start.number) % rule.every == 0;
    case calendar_unit::weeks:
        return monday(day) >= monday(start) && (monday(day) - monday(start)) / 7 % rule.every == 0 &&
               ((rule.weekdays != 0 ? rule.weekdays : 1 << start.weekday) >> day.weekday & 1) != 0;
    case calendar_unit::months:
        return months >= 0 && months % rule.every == 0 && names_day(rule.on, day, start.day);
    case calendar_unit::years:
        break;
    }
    return months >= 0 && months % (12 * rule.every) == 0 && names_day(rule.on, day, start.day);
}

// The first minute at which the clock shows this reading or a later one.
std::int64_t moment_of(std::int64_t line)
{
    auto utc = line - 26 * 3'600;
    while (line_of(utc) < line)
        utc += 60;
    return utc;
}

std::vector<utc_time> walked(protocol::calendar_spec const& rule, std::int64_t anchor, std::int64_t until)
{
    std::vector<utc_time> found;
    auto const start = info(line_of(anchor) / 86'400);
    for (auto number = start.number - 31; number * 86'400 < until + 5 * 86'400; ++number) {
        if (!names(rule, start, info(number)))
            continue;
        auto day = number;
        while (rule.roll != business_roll::none && !is_business_day(day))
            day += rule.roll == business_roll::next_business_day ? 1 : -1;
        auto const at = moment_of(day * 86'400 + rule.time.count());
        if (at >= anchor && at < until)
            found.push_back(from_micros(at * 1'000'000));
    }
    return found;
}

protocol::calendar_spec random_rule(seeded_random& random)
{
    auto const below = [&](int count) { return static_cast<int>(random.below(static_cast<std::uint64_t>(count))); };
    protocol::calendar_spec rule;
    rule.unit = static_cast<calendar_unit>(below(4));
    rule.every = 1 + below(rule.unit == calendar_unit::years ? 3 : 7);
    rule.time = std::chrono::minutes{below(2) == 0 ? below(1'440) : below(240)};
    if (rule.unit == calendar_unit::weeks)
        rule.weekdays = static_cast<std::uint8_t>(below(128));
    if (rule.unit != calendar_unit::months && rule.unit != calendar_unit::years)
        return rule;
    rule.roll = static_cast<business_roll>(below(3));
    rule.on.by = static_cast<calendar_day::rule>(below(5));
    rule.on.n = static_cast<std::uint8_t>(1 + below(rule.on.by == calendar_day::rule::number ? 31 : 5));
    rule.on.weekday = static_cast<std::uint8_t>(below(7));
    return rule;
}

} // namespace

TEST_CASE("a calendar interval fires on a day of every n-th month, counted from the month of its start")
{
    CHECK(firings(R"("every":3,"unit":"months","time":"02:00","on":15)", 3) ==
          "2026-01-15T02:00 2026-04-15T02:00 2026-07-15T02:00");
    CHECK(firings(R"("every":3,"unit":"months","time":"02:00","on":5)", 2) == "2026-04-05T02:00 2026-07-05T02:00");
    CHECK(firings(R"("every":3,"unit":"months","time":"02:00","on":15,"start_at":"2026-02-20T00:00:00Z")", 2) ==
          "2026-05-15T02:00 2026-08-15T02:00");
    CHECK(firings(R"("every":1,"unit":"months","time":"02:00")", 2) == "2026-01-10T02:00 2026-02-10T02:00");
    CHECK(firings(R"("every":1,"unit":"years","time":"02:00","on":1,"start_at":"2027-03-01T00:00:00Z")", 2) ==
          "2027-03-01T02:00 2028-03-01T02:00");
}

TEST_CASE("a month without the day fires on its last day")
{
    CHECK(firings(R"("every":1,"unit":"months","time":"02:00","on":31)", 3) ==
          "2026-01-31T02:00 2026-02-28T02:00 2026-03-31T02:00");
    CHECK(firings(R"("every":1,"unit":"months","time":"02:00","on":"last_day")", 4) ==
          "2026-01-31T02:00 2026-02-28T02:00 2026-03-31T02:00 2026-04-30T02:00");
    CHECK(firings(R"("every":1,"unit":"years","time":"02:00","start_at":"2028-02-29T00:00:00Z")", 2) ==
          "2028-02-29T02:00 2029-02-28T02:00");
}

TEST_CASE("the last business day and days of the week are found in each month")
{
    CHECK(firings(R"("every":1,"unit":"months","time":"17:00","on":"last_business_day")", 3) ==
          "2026-01-30T17:00 2026-02-27T17:00 2026-03-31T17:00");
    CHECK(firings(R"("every":1,"unit":"months","time":"17:00","on":"second tuesday")", 2) ==
          "2026-01-13T17:00 2026-02-10T17:00");
    CHECK(firings(R"("every":1,"unit":"months","time":"17:00","on":"last friday")", 2) ==
          "2026-01-30T17:00 2026-02-27T17:00");
}

TEST_CASE("a day at the weekend is moved to a business day, also into another month")
{
    CHECK(firings(R"("every":1,"unit":"months","time":"02:00","on":15,"roll":"next_business_day")", 2) ==
          "2026-01-15T02:00 2026-02-16T02:00");
    CHECK(firings(R"("every":1,"unit":"months","time":"02:00","on":15,"roll":"previous_business_day")", 2) ==
          "2026-01-15T02:00 2026-02-13T02:00");
    CHECK(firings(R"("every":1,"unit":"months","time":"02:00","on":"last_day","roll":"next_business_day")", 2) ==
          "2026-02-02T02:00 2026-03-02T02:00");
    CHECK(firings(R"("every":1,"unit":"months","time":"02:00","on":"last_day","roll":"next_business_day")", 1,
                  from_rfc3339("2026-02-01T00:00:00Z")) == "2026-02-02T02:00");
    CHECK(firings(R"("every":1,"unit":"months","time":"02:00","on":1,"roll":"previous_business_day")", 2,
                  from_rfc3339("2026-01-30T00:00:00Z")) == "2026-01-30T02:00 2026-02-27T02:00");
}

TEST_CASE("weeks are counted from the Monday before the start, and days from the start")
{
    CHECK(firings(R"("every":2,"unit":"weeks","time":"08:00","days":["mon","sun"])", 3) ==
          "2026-01-11T08:00 2026-01-19T08:00 2026-01-25T08:00");
    CHECK(firings(R"("every":1,"unit":"weeks","time":"08:00")", 2) == "2026-01-10T08:00 2026-01-17T08:00");
    CHECK(firings(R"("every":10,"unit":"days","time":"08:00")", 2) == "2026-01-10T08:00 2026-01-20T08:00");
}

TEST_CASE("a calendar interval fires after the gap if the clock skips its time, and at the first if it comes twice")
{
    CHECK(firings(R"("every":1,"unit":"days","time":"02:30","zone":"Europe/Berlin")", 3,
                  from_rfc3339("2027-03-27T00:00:00Z")) == "2027-03-27T01:30 2027-03-28T01:00 2027-03-29T00:30");
    CHECK(firings(R"("every":1,"unit":"days","time":"02:30","zone":"Europe/Berlin")", 2,
                  from_rfc3339("2027-10-30T12:00:00Z")) == "2027-10-31T00:30 2027-11-01T01:30");
}

TEST_CASE("a calendar interval follows the policies of its task where the clock changes")
{
    auto const daily = [](std::string const& policy, char const* from, std::size_t count) {
        return firings((R"("every":1,"unit":"days","time":"02:30","zone":"Europe/Berlin",)" + policy).c_str(), count,
                       from_rfc3339(from));
    };
    CHECK(daily(R"("gap":"skip")", "2027-03-27T00:00:00Z", 2) == "2027-03-27T01:30 2027-03-29T00:30");
    CHECK(daily(R"("gap":"next_valid")", "2027-03-28T00:00:00Z", 1) == "2027-03-28T01:00");
    CHECK(daily(R"("gap":"shift")", "2027-03-28T00:00:00Z", 2) == "2027-03-28T01:30 2027-03-29T00:30");
    CHECK(daily(R"("gap":"shift")", "2027-03-28T01:30:00.000001Z", 1) == "2027-03-29T00:30");
    CHECK(daily(R"("overlap":"second")", "2027-10-30T12:00:00Z", 2) == "2027-10-31T01:30 2027-11-01T01:30");
    CHECK(daily(R"("overlap":"both")", "2027-10-30T12:00:00Z", 3) ==
          "2027-10-31T00:30 2027-10-31T01:30 2027-11-01T01:30");
    CHECK(daily(R"("overlap":"first")", "2027-10-31T00:31:00Z", 1) == "2027-11-01T01:30");
}

TEST_CASE("the shift of a day that a zone leaves out falls on the next day, once")
{
    CHECK(
        firings(
            R"("every":1,"unit":"days","time":"09:00","zone":"Pacific/Apia","gap":"shift","start_at":"2011-12-29T00:00:00Z")",
            3, from_rfc3339("2011-12-29T00:00:00Z")) == "2011-12-29T19:00 2011-12-30T19:00 2011-12-31T19:00");
}

TEST_CASE("a calendar interval has a last firing before the year 9000")
{
    CHECK(firings(R"("every":1000,"unit":"years","time":"02:00","on":15)", 10) ==
          "2026-01-15T02:00 3026-01-15T02:00 4026-01-15T02:00 5026-01-15T02:00 6026-01-15T02:00 7026-01-15T02:00 "
          "8026-01-15T02:00");
    CHECK(firings(R"("every":1,"unit":"days","time":"02:00","start_at":"9998-01-01T00:00:00Z")", 10).empty());
}

TEST_CASE("a wrong calendar interval is refused with the field and an example")
{
    CHECK(refusal(R"("every":0,"unit":"months","time":"02:00")").starts_with("schedule.every: "));
    CHECK(refusal(R"("unit":"months","time":"02:00")").starts_with("schedule.every: "));
    CHECK(refusal(R"("every":1001,"unit":"months","time":"02:00")").starts_with("schedule.every: "));
    CHECK(refusal(R"("every":1,"unit":"month","time":"02:00")") ==
          "schedule.unit: schedule.unit must be one of days, weeks, months, years, not 'month'");
    CHECK(refusal(R"("every":1,"unit":"months","time":"2:00")").starts_with("schedule.time: "));
    CHECK(refusal(R"("every":1,"unit":"months","time":"02:00","on":"2nd tuesday")") ==
          "schedule.on: schedule.on must be a day from 1 to 31, last_day, last_business_day, or a day of the week such "
          "as "
          "'second tuesday' or 'last friday', not '2nd tuesday'");
    for (auto const* const wrong : {"0", "32", "1.5", "null", "\"\"", "\"second\"", "\"fifth monday\"", "\"0\"",
                                    "\"015\"", "\"-1\"", "1e300", "[]"})
        CHECK(refusal(std::string(R"("every":1,"unit":"months","time":"02:00","on":)") + wrong)
                  .starts_with("schedule.on: "));
    CHECK(refusal(R"("every":1,"unit":"weeks","time":"02:00","on":1)") ==
          "schedule.on: schedule.on is only for schedule.unit months or years");
    CHECK(
        refusal(R"("every":1,"unit":"days","time":"02:00","roll":"next_business_day")").starts_with("schedule.roll: "));
    CHECK(refusal(R"("every":1,"unit":"months","time":"02:00","days":["mon"])").starts_with("schedule.days: "));
    CHECK(refusal(R"("every":1,"unit":"months","time":"02:00","on":"15","roll":"none")") == "accepted");
    CHECK(refusal(R"("every":1,"unit":"months","time":"02:00","on":15.0)") == "accepted");
    CHECK(refusal(R"("every":1,"unit":"days","time":"02:00","roll":"none")") == "accepted");
}

TEST_CASE("a calendar interval survives writing and parsing")
{
    auto const written = [](std::string const& members) {
        protocol::task_definition task;
        task.name = "t";
        task.service = "s";
        task.handler = "h";
        task.schedule = spec_of(members);
        return protocol::to_json(protocol::parse_task(protocol::to_json(task))).at("schedule").dump();
    };
    CHECK(
        written(R"("every":3,"unit":"months","time":"02:00","on":"15","roll":"next_business_day")") ==
        R"({"every":3,"kind":"calendar","on":15,"roll":"next_business_day","time":"02:00","unit":"months","zone":"UTC"})");
    // A file that names the default is compared with what the server shows.
    CHECK(written(R"("every":3,"unit":"months","time":"02:00","roll":"none")").find(R"("roll":"none")") !=
          std::string::npos);
    for (auto const* const day : {"last_day", "last_business_day", "first monday", "last sunday"})
        CHECK(written(std::string(R"("every":3,"unit":"years","time":"02:00","on":")") + day + '"')
                  .find(std::string(R"("on":")") + day + '"') != std::string::npos);
    CHECK(written(R"("every":2,"unit":"weeks","time":"02:00:01","days":["sun","mon"],"zone":"Asia/Tokyo")") ==
          R"({"days":["mon","sun"],"every":2,"kind":"calendar","time":"02:00:01","unit":"weeks","zone":"Asia/Tokyo"})");
}

TEST_CASE("the description of a calendar interval names its days, its time and its zone")
{
    CHECK(describe(spec_of(R"("every":3,"unit":"months","time":"02:00","on":15,"roll":"next_business_day")")) ==
          "every 3 months, on day 15 or the next business day, at 02:00 in UTC");
    CHECK(describe(spec_of(R"("every":1,"unit":"months","time":"02:00","on":31)")) ==
          "every month, on day 31 or the last, at 02:00 in UTC");
    CHECK(describe(spec_of(R"("every":1,"unit":"years","time":"02:00","on":"last_business_day")")) ==
          "every year, on the last business day, at 02:00 in UTC");
    CHECK(describe(spec_of(R"("every":1,"unit":"months","time":"02:00","on":"second tuesday","zone":"Asia/Tokyo")")) ==
          "every month, on the second Tuesday, at 02:00 in Asia/Tokyo");
    CHECK(describe(spec_of(R"("every":2,"unit":"weeks","time":"02:00","days":["mon","thu"])")) ==
          "every 2 weeks, on Monday and Thursday, at 02:00 in UTC");
    CHECK(describe(spec_of(R"("every":10,"unit":"days","time":"02:00")")) == "every 10 days, at 02:00 in UTC");
}

TEST_CASE("the firings of a calendar interval are those of a walk through every day")
{
    INFO("seed " << Catch::rngSeed());
    seeded_random random(Catch::rngSeed());
    for (auto const* zone : {"UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/St_Johns", "Africa/Casablanca"}) {
        setenv("TZ", zone, 1);
        tzset();
        for (int round = 0; round < 15; ++round) {
            protocol::schedule_spec spec{.kind = protocol::schedule_kind::calendar, .zone = zone};
            spec.calendar = random_rule(random);
            auto const anchor = std::int64_t{60} * static_cast<std::int64_t>(28'401'120 + random.below(4'000'000));
            auto const end = anchor + 1'100 * 86'400;
            auto const start = from_micros(anchor * 1'000'000);
            INFO(describe(spec) << ", from " << to_rfc3339(start));
            auto const expected = walked(spec.calendar, anchor, end);
            timetable const times(spec, start);
            CHECK(times.between(start, from_micros(end * 1'000'000), 10'000) == expected);
            auto const later =
                from_micros((anchor + static_cast<std::int64_t>(random.below(1'000 * 86'400))) * 1'000'000);
            auto const next = std::ranges::lower_bound(expected, later);
            if (next != expected.end())
                CHECK(times.first(later) == *next);
        }
    }
}

} // namespace calendar_test
