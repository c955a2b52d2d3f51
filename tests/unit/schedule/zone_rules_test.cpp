#include "libs/schedule/zone_database.hpp"
#include "libs/schedule/zone_file.hpp"
#include "tests/support/zone_files.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <time.h>

namespace zone_rules_test {
namespace {

using namespace baton;
using namespace baton::schedule;
namespace chr = std::chrono;

utc_time utc(std::string const& text)
{
    return from_rfc3339(text);
}

zone_source source(std::string content)
{
    return {std::make_shared<std::string const>(std::move(content))};
}

zone_pointer read(std::string content)
{
    return zone_rules::read("Test/Zone", {source(std::move(content))});
}

// With the changes of 2024.
std::string const berlin =
    test::zone_file(3'600, {{1'711'846'800, 7'200}, {1'729'990'800, 3'600}}, "LMT-1LMT,M3.5.0,M10.5.0/3");

zone_pointer spliced_at(std::string const& line, std::string before, std::string after)
{
    return zone_rules::read("Test/Zone", spliced({source(std::move(before))}, {source(std::move(after))}, utc(line)));
}

std::int64_t offset(zone_rules const& of, std::string const& at)
{
    return of.at(utc(at)).offset.count();
}

// The offset to UTC of the C library.
long offset_of_library(std::string const& name, utc_time at)
{
    ::setenv("TZ", name.c_str(), 1);
    ::tzset();
    std::time_t const seconds = chr::floor<chr::seconds>(at).time_since_epoch().count();
    tm shown{};
    ::localtime_r(&seconds, &shown);
    ::setenv("TZ", "UTC", 1);
    ::tzset();
    return shown.tm_gmtoff;
}

} // namespace

TEST_CASE("a zone follows its table, and behind it its rule, also past the year 2100")
{
    auto const table = read(test::zone_file(600, {{100'000, 3'600}, {200'000, 3'600}, {300'000, 0}}, "LMT0"));
    REQUIRE(table);
    auto const second = [](std::int64_t n) { return utc_time{chr::seconds{n}}; };
    CHECK(table->at(second(99'999)).offset == 600s);
    CHECK(table->at(second(-5'000'000'000)).offset == 600s);
    CHECK(table->at(second(100'000)).offset == 3'600s);
    CHECK(table->at(second(250'000)).begin == second(100'000));
    CHECK(table->at(second(250'000)).end == second(300'000));
    CHECK(table->at(second(300'000)).offset == 0s);
    CHECK(table->at(second(300'000)).end > latest_firing);
    auto const rule = read(berlin);
    REQUIRE(rule);
    CHECK(offset(*rule, "2026-07-01T00:00:00Z") == 7'200);
    CHECK(offset(*rule, "2101-01-01T00:00:00Z") == 3'600);
    CHECK(offset(*rule, "2101-07-01T00:00:00Z") == 7'200);
    CHECK(rule->at(utc("2101-07-01T00:00:00Z")).begin == utc("2101-03-27T01:00:00Z"));
    CHECK(rule->at(utc("2101-07-01T00:00:00Z")).end == utc("2101-10-30T01:00:00Z"));
}

TEST_CASE("a rule repeats itself with the calendar, to the last firing")
{
    auto const rule = read(berlin);
    REQUIRE(rule);
    chr::days const cycle{146'097};
    int periods = 0;
    for (auto at = utc("2030-01-01T00:00:00Z"); at < utc("2430-01-01T00:00:00Z"); ++periods) {
        auto const period = rule->at(at);
        REQUIRE(rule->at(period.begin).begin == period.begin);
        REQUIRE(period.end > at);
        for (int again : {1, 2, 16}) {
            auto const later = rule->at(at + again * cycle);
            REQUIRE(later.begin == period.begin + again * cycle);
            REQUIRE(later.end == period.end + again * cycle);
            REQUIRE(later.offset == period.offset);
        }
        at = period.end;
    }
    CHECK(periods == 801);
}

TEST_CASE("content that is not a whole zone file is refused")
{
    auto const whole = test::zone_file(600, {{100'000, 3'600}, {200'000, 0}}, "LMT0");
    REQUIRE(read(whole));
    for (std::size_t length = 0; length < whole.size(); ++length)
        CHECK_FALSE(read(whole.substr(0, length)));
    CHECK_FALSE(read("#!/bin/sh\n" + whole));
    CHECK_FALSE(read(test::zone_file(600, {{200'000, 0}, {100'000, 3'600}}, "LMT0")));
    CHECK_FALSE(read(test::zone_file(3'600, {}, "LMT-1LMT,M3.5.0,M10.5.0/3"))); // it would be read without the rule
    // These would be read with other offsets than those of the rule.
    CHECK_FALSE(read(test::zone_file(3'600, {{100'000, 7'200}, {200'000, 3'600}}, "EET-2LMT,M3.5.0,M10.5.0/3")));
    CHECK_FALSE(read(test::zone_file(3'600, {{100'000, 7'200}, {200'000, 3'600}}, "LMT-1EST,M3.5.0,M10.5.0/3")));
    CHECK_FALSE(read(test::zone_file(3'600, {{100'000, 7'200}, {200'000, 9'000}}, "LMT-1LMT,M3.5.0,M10.5.0/3")));
}

TEST_CASE("a header that counts more data than the file has is found before anything is reserved for it")
{
    auto const whole = test::zone_file(600, {{100'000, 3'600}, {200'000, 0}}, "LMT0");
    CHECK(has_counted_data(whole));
    CHECK_FALSE(has_counted_data(""));
    CHECK_FALSE(has_counted_data("TZif2"));
    auto const second = whole.find("TZif2", 1);
    for (auto const header : {std::size_t{0}, second})
        for (std::size_t count = 0; count < 6; ++count) {
            auto damaged = whole;
            damaged[header + 20 + 4 * count] = '\x7f'; // two thousand million more of them
            INFO(header << ' ' << count);
            CHECK_FALSE(has_counted_data(damaged));
            CHECK_FALSE(read(damaged));
        }
    CHECK_FALSE(has_counted_data(whole.substr(0, second + 44)));
    auto old = whole.substr(0, second); // of version 1
    CHECK_FALSE(has_counted_data(old));
    old[4] = '\0';
    CHECK(has_counted_data(old));
}

TEST_CASE("zones of this machine agree with the C library")
{
    zone_database const here("/usr/share/zoneinfo");
    for (auto const* name : {"Africa/Casablanca", "America/New_York", "America/St_Johns", "America/Sao_Paulo",
                             "Antarctica/Troll", "Asia/Gaza", "Asia/Kolkata", "Australia/Lord_Howe", "Europe/Berlin",
                             "Europe/Dublin", "Pacific/Apia", "Pacific/Chatham"}) {
        auto const rules = here.find(name);
        REQUIRE(rules);
        for (auto at = utc("1975-01-01T00:30:00Z"); at < utc("2120-01-01T00:00:00Z"); at += 24h * 5 + 7h) {
            auto const library = offset_of_library(name, at);
            if (rules->at(at).offset.count() != library)
                FAIL(name << " at " << to_rfc3339(at) << ": " << rules->at(at).offset.count() << ", but " << library);
        }
    }
}

TEST_CASE("a splice has the old rules before the line and the new ones from it on")
{
    auto const line = "2026-06-01T00:00:00Z";
    auto const both = spliced_at(line, test::zone_file(0, {}, "LMT0"), berlin);
    REQUIRE(both);
    CHECK(offset(*both, "2025-07-01T00:00:00Z") == 0);
    CHECK(offset(*both, "2026-05-31T23:59:59Z") == 0);
    CHECK(both->at(utc(line) - 1us).end == utc(line));
    CHECK(both->at(utc(line)).begin == utc(line));
    CHECK(both->at(utc(line)).end == utc("2026-10-25T01:00:00Z"));
    CHECK(offset(*both, "2026-06-01T00:00:00Z") == 7'200);
    CHECK(offset(*both, "2026-12-01T00:00:00Z") == 3'600);
    CHECK(offset(*both, "2200-12-01T00:00:00Z") == 3'600);
}

TEST_CASE("a line at which the offset stays is no change of the clock")
{
    auto const steady = test::zone_file(7'200, {}, "LMT-2");
    auto const both = spliced_at("2026-06-01T00:00:00Z", steady, berlin);
    for (auto const* at : {"2026-05-01T00:00:00Z", "2026-06-01T00:00:00Z", "2026-07-01T00:00:00Z"}) {
        CHECK(both->at(utc(at)).begin < utc("1900-01-01T00:00:00Z"));
        CHECK(both->at(utc(at)).end == utc("2026-10-25T01:00:00Z"));
    }
}

TEST_CASE("splices add up, and an earlier line ends those behind it")
{
    zone_sources const first{source(test::zone_file(0, {}, "LMT0"))};
    zone_sources const second{source(test::zone_file(3'600, {}, "LMT-1"))};
    zone_sources const third{source(test::zone_file(7'200, {}, "LMT-2"))};
    auto const two = spliced(first, second, utc("2026-06-01T00:00:00Z"));
    auto const three = zone_rules::read("Test/Zone", spliced(two, third, utc("2026-07-01T00:00:00Z")));
    CHECK(offset(*three, "2026-05-31T00:00:00Z") == 0);
    CHECK(offset(*three, "2026-06-01T00:00:00Z") == 3'600);
    CHECK(offset(*three, "2026-07-01T00:00:00Z") == 7'200);
    auto const earlier = zone_rules::read("Test/Zone", spliced(two, third, utc("2026-05-01T00:00:00Z")));
    CHECK(offset(*earlier, "2026-04-30T23:59:59Z") == 0);
    CHECK(offset(*earlier, "2026-06-01T00:00:00Z") == 7'200);
}

TEST_CASE("where the file behind a line cannot be read, the rules before it go on")
{
    auto const line = "2026-06-01T00:00:00Z";
    auto const kept = spliced_at(line, berlin, "TZif2");
    REQUIRE(kept);
    CHECK(offset(*kept, "2027-07-01T00:00:00Z") == 7'200);
    auto const newer = spliced_at(line, "TZif2", berlin);
    REQUIRE(newer);
    CHECK(offset(*newer, "2025-07-01T00:00:00Z") == 7'200);
    CHECK_FALSE(spliced_at(line, "TZif2", "TZif3"));
}

} // namespace zone_rules_test
