#include "libs/schedule/tzif.hpp"
#include "libs/schedule/zone_database.hpp"
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

posix_rule rule(std::string const& text)
{
    auto const parsed = parse_posix_rule(text);
    REQUIRE(parsed);
    return *parsed;
}

zone_rules zone(std::string const& footer)
{
    auto parsed = parse_tzif("Test/Zone", test::zone_file(rule(footer).offset, {}, footer));
    REQUIRE(parsed);
    return *parsed;
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

TEST_CASE("a rule of POSIX names the changes of a year")
{
    auto const berlin = rule("CET-1CEST,M3.5.0,M10.5.0/3").changes_in(chr::year{2050});
    CHECK(berlin[0].at == utc("2050-03-27T01:00:00Z"));
    CHECK(berlin[0].offset == 7'200);
    CHECK(berlin[1].at == utc("2050-10-30T01:00:00Z"));
    CHECK(berlin[1].offset == 3'600);
    auto const lord_howe = rule("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0").changes_in(chr::year{2050});
    CHECK(lord_howe[0].offset == 37'800);
    CHECK(lord_howe[1].at == utc("2050-10-01T15:30:00Z"));
    auto const dublin = rule("IST-1GMT0,M10.5.0,M3.5.0/1").changes_in(chr::year{2050}); // winter is its daylight time
    CHECK(dublin[0].offset == 3'600);
    CHECK(dublin[1].offset == 0);
    auto const by_day = rule("A0B,J60/0,300/-1").changes_in(chr::year{2052});
    CHECK(by_day[0].at == utc("2052-03-01T00:00:00Z"));
    CHECK(by_day[1].at == utc("2052-10-26T22:00:00Z")); // 23:00 before day 300, an hour ahead of UTC
}

TEST_CASE("a text that is no rule of POSIX is refused")
{
    for (auto const* text :
         {"", "CET", "CET-", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0",
          "CET-1CEST,M3.5.0,M10.5.0/", "<CET-1", "CET-1x,M1.1.1,J366", "CET-168", "CET-1CEST,M3.5.0,M10.5.0 "}) {
        INFO(text);
        CHECK_FALSE(parse_posix_rule(text));
    }
}

TEST_CASE("a zone follows its table, and behind it its rule, also past the year 2100")
{
    auto const parsed =
        parse_tzif("Test/Zone", test::zone_file(600, {{1'000, 3'600}, {2'000, 3'600}, {3'000, 0}}, "B0"));
    REQUIRE(parsed);
    auto const second = [](std::int64_t n) { return utc_time{chr::seconds{n}}; };
    CHECK(parsed->at(second(999)).offset == 600s);
    CHECK(parsed->at(second(1'000)).offset == 3'600s);
    CHECK(parsed->at(second(2'500)).begin == second(1'000));
    CHECK(parsed->at(second(2'500)).end == second(3'000));
    CHECK(parsed->at(second(3'000)).offset == 0s);
    auto const berlin = zone("CET-1CEST,M3.5.0,M10.5.0/3");
    CHECK(offset(berlin, "2026-07-01T00:00:00Z") == 7'200);
    CHECK(offset(berlin, "2101-01-01T00:00:00Z") == 3'600);
    CHECK(offset(berlin, "2101-07-01T00:00:00Z") == 7'200);
    CHECK(berlin.at(utc("2101-07-01T00:00:00Z")).begin == utc("2101-03-27T01:00:00Z"));
    CHECK(berlin.at(utc("2101-07-01T00:00:00Z")).end == utc("2101-10-30T01:00:00Z"));
    CHECK(offset(zone("XXX3EDT4,0/0,J365/23"), "2150-06-01T00:00:00Z") == -14'400); // daylight time all year
}

TEST_CASE("content that is not a whole zone file is refused")
{
    auto const whole = test::zone_file(600, {{1'000, 3'600}, {2'000, 0}}, "B0");
    REQUIRE(parse_tzif("Test/Zone", whole));
    for (std::size_t length = 0; length + 1 < whole.size(); ++length)
        CHECK_FALSE(parse_tzif("Test/Zone", whole.substr(0, length)));
    CHECK_FALSE(parse_tzif("Test/Zone", "#!/bin/sh\n" + whole));
    CHECK_FALSE(parse_tzif("Test/Zone", test::zone_file(600, {{2'000, 0}, {1'000, 3'600}}, "B0")));
    CHECK_FALSE(parse_tzif("Test/Zone", test::zone_file(600, {}, "nonsense")));
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
    auto const before = zone("A-1");
    auto const after = zone("B-2C,M3.5.0,M10.5.0");
    auto const line = utc("2026-06-01T00:00:00Z");
    auto const both = zone_rules::spliced(before, after, line);
    CHECK(offset(both, "2026-05-31T23:59:59Z") == 3'600);
    CHECK(both.at(line).begin == line);
    CHECK(offset(both, "2026-06-01T00:00:00Z") == 10'800);
    CHECK(offset(both, "2026-12-01T00:00:00Z") == 7'200);
    CHECK(offset(both, "2200-12-01T00:00:00Z") == 7'200);
    CHECK(both.fingerprint() != after.fingerprint());
    auto const same = zone_rules::spliced(after, after, line);
    CHECK(same.fingerprint() == after.fingerprint());
}

TEST_CASE("a fingerprint tells the rules from 2025 on apart, and not the past or the form of the file")
{
    std::string const footer = "CET-1CEST,M3.5.0,M10.5.0/3";
    auto const print = [&](std::vector<std::pair<std::int64_t, std::int32_t>> const& changes, std::string const& rule) {
        return parse_tzif("Test/Zone", test::zone_file(3'600, changes, rule)).value().fingerprint();
    };
    CHECK(print({}, footer) == print({{1'000, 0}, {2'000, 3'600}}, footer));
    CHECK(print({}, footer) == print({{1'711'846'800, 7'200}, {1'729'990'800, 3'600}}, footer)); // those of 2024
    CHECK(print({}, footer) != print({}, "CET-1CEST,M3.5.0,M10.4.0/3"));
    CHECK(print({}, "A-1") != print({}, "A-2"));
}

} // namespace zone_rules_test
