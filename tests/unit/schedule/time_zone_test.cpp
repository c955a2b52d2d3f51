#include "libs/base/error.hpp"
#include "libs/schedule/time_zone.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace time_zone_test {
namespace {

using namespace baton;
using namespace baton::schedule;
namespace chr = std::chrono;

local_time reading(int year, unsigned month, unsigned day, int hour, int minute)
{
    return chr::local_days{chr::year{year} / chr::month{month} / chr::day{day}} + chr::hours{hour} +
           chr::minutes{minute};
}

utc_time utc(std::string const& text)
{
    return from_rfc3339(text);
}

} // namespace

TEST_CASE("a zone is found by its exact IANA name only")
{
    for (auto const* name : {"UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "US/Eastern"})
        CHECK(zone_exists(name));
    for (auto const* name :
         {"", "Mars/Olympus", "europe/berlin", "../../etc/passwd", "/etc/localtime", "Europe", "zone.tab"})
        CHECK_FALSE(zone_exists(name));
    CHECK_FALSE(zone_exists(std::string("UTC\0x", 5)));
}

TEST_CASE("the refusal of an unknown zone quotes its name")
{
    try {
        time_zone("Mars/Olympus\n");
        FAIL("accepted");
    } catch (invalid_input const& wrong) {
        CHECK(wrong.field() == "schedule.zone");
        CHECK(wrong.what() ==
              std::string{"'Mars/Olympus\\n' is not a time zone; write an IANA name such as Europe/Berlin or UTC"});
    }
}

TEST_CASE("a zone in other cases is refused with the right name")
{
    CHECK_THROWS_WITH(time_zone("europe/berlin"), "'europe/berlin' is not a time zone; did you mean Europe/Berlin?");
}

TEST_CASE("each moment has one reading on the wall clock")
{
    time_zone const berlin("Europe/Berlin");
    CHECK(berlin.name() == "Europe/Berlin");
    CHECK(berlin.to_local(utc("2026-03-29T00:59:59.999999Z")) == reading(2026, 3, 29, 1, 59) + 59s);
    CHECK(berlin.to_local(utc("2026-03-29T01:00:00Z")) == reading(2026, 3, 29, 3, 0));
    CHECK(berlin.to_local(utc("2026-10-25T00:30:00Z")) == reading(2026, 10, 25, 2, 30));
    CHECK(berlin.to_local(utc("2026-10-25T01:30:00Z")) == reading(2026, 10, 25, 2, 30));
}

TEST_CASE("the wall clock shows a reading once, never or twice")
{
    time_zone const berlin("Europe/Berlin");
    auto const one = berlin.to_utc(reading(2026, 7, 1, 12, 0));
    CHECK(one.shown == moments::count::one);
    CHECK(one.first == utc("2026-07-01T10:00:00Z"));
    CHECK(one.second == one.first);

    auto const none = berlin.to_utc(reading(2026, 3, 29, 2, 30));
    CHECK(none.shown == moments::count::none);
    CHECK(none.first == utc("2026-03-29T01:00:00Z"));
    CHECK(none.second == none.first);

    auto const two = berlin.to_utc(reading(2026, 10, 25, 2, 30));
    CHECK(two.shown == moments::count::two);
    CHECK(two.first == utc("2026-10-25T00:30:00Z"));
    CHECK(two.second == utc("2026-10-25T01:30:00Z"));
}

TEST_CASE("the reading at a clock change belongs to the period that shows it")
{
    time_zone const berlin("Europe/Berlin");
    CHECK(berlin.to_utc(reading(2026, 3, 29, 2, 0)).shown == moments::count::none);
    CHECK(berlin.to_utc(reading(2026, 3, 29, 3, 0)).shown == moments::count::one);
    CHECK(berlin.to_utc(reading(2026, 10, 25, 2, 0)).shown == moments::count::two);
    CHECK(berlin.to_utc(reading(2026, 10, 25, 3, 0)).shown == moments::count::one);
    CHECK(berlin.to_utc(reading(2026, 10, 25, 1, 59)).shown == moments::count::one);
}

TEST_CASE("a moment in UTC converts to its reading and back")
{
    time_zone const utc_zone("UTC");
    auto const noon = reading(2026, 7, 1, 12, 0);
    CHECK(utc_zone.to_utc(noon).shown == moments::count::one);
    CHECK(utc_zone.to_local(utc_zone.to_utc(noon).first) == noon);
}

TEST_CASE("a clock change can skip half an hour or a whole day")
{
    time_zone const lord_howe("Australia/Lord_Howe");
    CHECK(lord_howe.to_utc(reading(2026, 10, 4, 2, 15)).shown == moments::count::none);
    CHECK(lord_howe.to_utc(reading(2026, 10, 4, 2, 30)).shown == moments::count::one);
    CHECK(lord_howe.to_utc(reading(2026, 4, 5, 1, 45)).shown == moments::count::two);
    auto const left_out = time_zone("Pacific/Apia").to_utc(reading(2011, 12, 30, 12, 0));
    CHECK(left_out.shown == moments::count::none);
    CHECK(left_out.first == utc("2011-12-30T10:00:00Z"));
}

TEST_CASE("the periods of a zone leave no gap, even past the end of the system's tables")
{
    for (auto const* name : {"Europe/Berlin", "Australia/Lord_Howe", "Africa/Casablanca", "UTC"}) {
        INFO(name);
        time_zone const zone(name);
        auto period = zone.at(utc("2026-01-01T00:00:00Z"));
        auto const stop = utc("2060-01-01T00:00:00Z");
        while (period.end < stop) {
            auto const following = zone.at(period.end);
            REQUIRE(following.begin <= period.end);
            REQUIRE(following.end > period.end);
            REQUIRE(zone.at(following.end - 1us).offset == following.offset);
            period = following;
        }
    }
}

} // namespace time_zone_test
