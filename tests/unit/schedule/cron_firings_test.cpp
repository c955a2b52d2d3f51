#include "libs/schedule/cron_firings.hpp"
#include "libs/schedule/schedule.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace cron_firings_test {
namespace {

using namespace baton;
using namespace baton::schedule;

std::vector<std::string> firings(std::string const& expression, std::string const& zone, std::string const& from,
                                 std::size_t count)
{
    auto const parsed = cron::parse(expression);
    time_zone const where(zone);
    std::vector<std::string> found;
    auto at = first_firing(parsed, where, from_rfc3339(from));
    for (; at && found.size() < count; at = first_firing(parsed, where, *at + tick))
        found.push_back(to_rfc3339(*at).substr(0, 19));
    return found;
}

struct row {
    std::string expression;
    std::string zone;
    std::string from;
    std::vector<std::string> expected;
};

void check(row const& each)
{
    INFO(each.expression << " in " << each.zone << " from " << each.from);
    CHECK(firings(each.expression, each.zone, each.from, each.expected.size()) == each.expected);
}

} // namespace

TEST_CASE("the first firing of a cron expression is the one at or after the given instant")
{
    check(GENERATE(values<row>({
        {"* * * * *", "UTC", "2026-01-01T00:00:00Z", {"2026-01-01T00:00:00", "2026-01-01T00:01:00"}},
        {"* * * * *", "UTC", "2026-01-01T00:00:00.000001Z", {"2026-01-01T00:01:00", "2026-01-01T00:02:00"}},
        {"* * * * *", "UTC", "2026-01-01T00:00:59.999999Z", {"2026-01-01T00:01:00"}},
        {"* * * * *", "UTC", "2025-12-31T23:59:59.999999Z", {"2026-01-01T00:00:00"}},
        {"* * * * * *", "UTC", "2026-01-01T00:00:00.000001Z", {"2026-01-01T00:00:01"}},
        {"* * * * * *", "UTC", "2026-01-01T00:00:00.999999Z", {"2026-01-01T00:00:01", "2026-01-01T00:00:02"}},
        {"59 59 23 31 12 *", "UTC", "2026-12-31T23:59:59Z", {"2026-12-31T23:59:59", "2027-12-31T23:59:59"}},
        {"0 0 1 1 *", "UTC", "1969-06-01T00:00:00Z", {"1970-01-01T00:00:00"}},
    })));
}

TEST_CASE("a search that exhausts a field goes on in the next hour, day, month or year")
{
    check(GENERATE(values<row>({
        {"*/20 9-10 * * *",
         "UTC",
         "2026-05-05T09:30:00Z",
         {"2026-05-05T09:40:00", "2026-05-05T10:00:00", "2026-05-05T10:20:00", "2026-05-05T10:40:00",
          "2026-05-06T09:00:00"}},
        {"0 12 31 * *",
         "UTC",
         "2026-01-31T12:00:00.000001Z",
         {"2026-03-31T12:00:00", "2026-05-31T12:00:00", "2026-07-31T12:00:00"}},
        {"0 0 * * mon", "UTC", "2026-11-21T00:00:00Z", {"2026-11-23T00:00:00", "2026-11-30T00:00:00"}},
        {"0 0 * feb *", "UTC", "2026-02-28T00:00:00.000001Z", {"2027-02-01T00:00:00"}},
        {"30 8 1 */3 *",
         "UTC",
         "2026-02-01T00:00:00Z",
         {"2026-04-01T08:30:00", "2026-07-01T08:30:00", "2026-10-01T08:30:00", "2027-01-01T08:30:00"}},
    })));
}

TEST_CASE("29 February exists in leap years only")
{
    check(GENERATE(values<row>({
        {"0 0 29 2 *", "UTC", "2026-01-01T00:00:00Z", {"2028-02-29T00:00:00", "2032-02-29T00:00:00"}},
        {"0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", {"2104-02-29T00:00:00"}}, // 2100 has none
        {"0 0 29 2 */7", "UTC", "2026-01-01T00:00:00Z", {"2032-02-29T00:00:00", "2060-02-29T00:00:00"}}, // Sundays
        {"0 0 29 2 */7", "UTC", "2088-03-01T00:00:00Z", {"2128-02-29T00:00:00"}},                        // forty years
    })));
}

TEST_CASE("a date matches either of two restricted day fields, but both if one is a wildcard with a step")
{
    check(GENERATE(values<row>({
        {"0 0 13 * fri",
         "UTC",
         "2026-02-01T00:00:00Z",
         {"2026-02-06T00:00:00", "2026-02-13T00:00:00", "2026-02-20T00:00:00", "2026-02-27T00:00:00",
          "2026-03-06T00:00:00"}},
        {"0 0 13 * */7", "UTC", "2026-02-01T00:00:00Z", {"2026-09-13T00:00:00", "2026-12-13T00:00:00"}},
        {"0 0 */10 * fri", "UTC", "2026-02-01T00:00:00Z", {"2026-05-01T00:00:00", "2026-07-31T00:00:00"}},
        {"0 0 30 2 mon", "UTC", "2026-01-01T00:00:00Z", {"2026-02-02T00:00:00", "2026-02-09T00:00:00"}},
    })));
}

TEST_CASE("a cron expression names times on the wall clock of its zone")
{
    check(GENERATE(values<row>({
        {"0 9 * * *",
         "Europe/Berlin",
         "2026-03-27T12:00:00Z",
         {"2026-03-28T08:00:00", "2026-03-29T07:00:00", "2026-03-30T07:00:00"}},
        {"0 9 * * *", "Asia/Kathmandu", "2026-06-01T00:00:00Z", {"2026-06-01T03:15:00"}},
        {"0 0 * * mon", "Pacific/Auckland", "2026-07-01T00:00:00Z", {"2026-07-05T12:00:00"}},
        {"0 0 1 1 *", "Pacific/Kiritimati", "2026-06-01T00:00:00Z", {"2026-12-31T10:00:00"}},
    })));
}

TEST_CASE("a time of day in the hour that does not exist fires once, at the end of the gap")
{
    check(GENERATE(values<row>({
        {"30 2 * * *",
         "Europe/Berlin",
         "2026-03-28T00:00:00Z",
         {"2026-03-28T01:30:00", "2026-03-29T01:00:00", "2026-03-30T00:30:00"}},
        {"0 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", {"2026-03-29T01:00:00", "2026-03-30T00:00:00"}},
        {"30 2 * * *", "Europe/Berlin", "2026-03-29T01:00:00Z", {"2026-03-29T01:00:00", "2026-03-30T00:30:00"}},
        {"30 2 * * *", "Europe/Berlin", "2026-03-29T01:00:00.000001Z", {"2026-03-30T00:30:00"}},
        {"0 3 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", {"2026-03-29T01:00:00", "2026-03-30T01:00:00"}},
        // 02:10, 02:20 and 03:00 are all the same moment
        {"0,10,20 2,3 * * *",
         "Europe/Berlin",
         "2026-03-28T12:00:00Z",
         {"2026-03-29T01:00:00", "2026-03-29T01:10:00", "2026-03-29T01:20:00", "2026-03-30T00:00:00"}},
        {"*/10 30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", {"2026-03-29T01:00:00", "2026-03-30T00:30:00"}},
        {"30 2 * * *", "America/New_York", "2026-03-07T12:00:00Z", {"2026-03-08T07:00:00", "2026-03-09T06:30:00"}},
        {"15 2 * * *",
         "Australia/Lord_Howe",
         "2026-10-02T20:00:00Z",
         {"2026-10-03T15:30:00", "2026-10-04T15:15:00"}}, // 02:00 becomes 02:30
        {"0 0 * * *", "Africa/Cairo", "2026-04-23T00:00:00Z", {"2026-04-23T22:00:00", "2026-04-24T21:00:00"}},
        {"0 12 * * *",
         "Pacific/Apia",
         "2011-12-29T12:00:00Z",
         {"2011-12-29T22:00:00", "2011-12-30T10:00:00", "2011-12-30T22:00:00"}},            // the 30th was left out
        {"30 2 * * mon", "Europe/Berlin", "2026-03-28T12:00:00Z", {"2026-03-30T00:30:00"}}, // the gap is on a Sunday
    })));
}

TEST_CASE("a repeating expression skips the hour that does not exist")
{
    check(GENERATE(values<row>({
        {"*/30 * * * *",
         "Europe/Berlin",
         "2026-03-29T00:20:00Z",
         {"2026-03-29T00:30:00", "2026-03-29T01:00:00", "2026-03-29T01:30:00"}},
        {"*/30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", {"2026-03-30T00:00:00", "2026-03-30T00:30:00"}},
        {"30 * * * *", "Europe/Berlin", "2026-03-29T00:00:00Z", {"2026-03-29T00:30:00", "2026-03-29T01:30:00"}},
        {"15 * * * *",
         "Australia/Lord_Howe",
         "2026-10-03T14:00:00Z",
         {"2026-10-03T14:45:00", "2026-10-03T16:15:00"}}, // 02:15 is left out
    })));
}

TEST_CASE("a time of day in the hour that comes twice fires the first time only")
{
    check(GENERATE(values<row>({
        {"30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", {"2026-10-25T00:30:00", "2026-10-26T01:30:00"}},
        {"0,30 2 * * *", "Europe/Berlin", "2026-10-25T00:10:00Z", {"2026-10-25T00:30:00", "2026-10-26T01:00:00"}},
        {"30 2 * * *", "Europe/Berlin", "2026-10-25T01:10:00Z", {"2026-10-26T01:30:00"}}, // asked in the second pass
        {"0 3 * * *", "Europe/Berlin", "2026-10-25T01:10:00Z", {"2026-10-25T02:00:00"}},
        {"30 1 * * *", "America/New_York", "2026-10-31T12:00:00Z", {"2026-11-01T05:30:00", "2026-11-02T06:30:00"}},
        {"45 1 * * *",
         "Australia/Lord_Howe",
         "2026-04-03T20:00:00Z",
         {"2026-04-04T14:45:00", "2026-04-05T15:15:00"}}, // 02:00 becomes 01:30
    })));
}

TEST_CASE("a repeating expression fires in both passes of the hour that comes twice")
{
    check(GENERATE(values<row>({
        {"30 * * * *",
         "Europe/Berlin",
         "2026-10-24T23:40:00Z",
         {"2026-10-25T00:30:00", "2026-10-25T01:30:00", "2026-10-25T02:30:00"}},
        {"*/30 2 * * *",
         "Europe/Berlin",
         "2026-10-24T12:00:00Z",
         {"2026-10-25T00:00:00", "2026-10-25T00:30:00", "2026-10-25T01:00:00", "2026-10-25T01:30:00",
          "2026-10-26T01:00:00"}},
        {"45 * * * *",
         "Australia/Lord_Howe",
         "2026-04-04T14:00:00Z",
         {"2026-04-04T14:45:00", "2026-04-04T15:15:00", "2026-04-04T16:15:00"}},
    })));
}

TEST_CASE("summer time goes on after 2037, where the system's time zone tables end")
{
    check(GENERATE(values<row>({
        {"0 9 1 7 *",
         "Europe/Berlin",
         "2037-06-01T00:00:00Z",
         {"2037-07-01T07:00:00", "2038-07-01T07:00:00", "2039-07-01T07:00:00", "2040-07-01T07:00:00"}},
        {"30 2 * 3 *", "Europe/Berlin", "2040-03-24T12:00:00Z", {"2040-03-25T01:00:00", "2040-03-26T00:30:00"}},
        {"0 9 1 1 *", "Australia/Sydney", "2044-06-01T00:00:00Z", {"2044-12-31T22:00:00"}},
    })));
}

TEST_CASE("a cron expression for every five minutes fires every five minutes for a year, across clock changes")
{
    auto const begin = from_rfc3339("2025-12-31T23:00:00Z");
    timetable const times({.kind = protocol::schedule_kind::cron, .cron = "*/5 * * * *", .zone = "Europe/Berlin"},
                          begin);
    auto const all = times.between(begin, begin + std::chrono::days{365}, 1'000'000);
    REQUIRE(all.size() == 365 * 24 * 12);
    for (std::size_t i = 0; i < all.size(); ++i)
        REQUIRE(all[i] == begin + i * 5min);
}

TEST_CASE("nothing fires after the year 9000, and the most extreme instants are accepted")
{
    auto const every_minute = cron::parse("* * * * *");
    CHECK_FALSE(first_firing(every_minute, time_zone("UTC"), from_rfc3339("9000-01-01T00:00:00Z")));
    CHECK_FALSE(first_firing(every_minute, time_zone("Europe/Berlin"), utc_time::max()));
    CHECK(first_firing(every_minute, time_zone("UTC"), from_rfc3339("8999-12-31T23:59:00Z")));
    CHECK_FALSE(first_firing(every_minute, time_zone("UTC"), from_rfc3339("8999-12-31T23:59:00.000001Z")));
    CHECK(first_firing(every_minute, time_zone("Europe/Berlin"), utc_time::min()));
}

} // namespace cron_firings_test
