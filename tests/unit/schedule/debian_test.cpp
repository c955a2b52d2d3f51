#include "libs/base/error.hpp"
#include "libs/schedule/debian.hpp"

#include <catch2/catch.hpp>

namespace debian_test {
namespace {

using namespace baton;
using namespace baton::schedule;

std::vector<std::string> found(std::string const& expression, std::string const& zone = "Europe/Berlin",
                               std::string const& from = "2024-01-01T00:00:00Z")
{
    return differences_from_debian(expression, time_zone(zone), from_rfc3339(from));
}

} // namespace

TEST_CASE("a field that lists every value is a wildcard here and not for Debian, in a gap and where hours repeat")
{
    CHECK(
        found("15 0-23 * * *") ==
        std::vector<std::string>{
            "on 2024-03-31 the clock of Europe/Berlin skips 02:15: no firing, since a field with every value counts as "
            "a wildcard here; Debian's cron, for which only * and */n are wildcards, fires once at 03:00",
            "on 2024-10-27 the clock of Europe/Berlin shows 02:15 twice: fires both times, since a field with every "
            "value counts as a wildcard here; Debian's cron, for which only * and */n are wildcards, fires only the "
            "first time"});
    auto const minutes = found("0-59 2 * * *");
    REQUIRE(minutes.size() == 2);
    CHECK(minutes[0].find("on 2024-03-31") == 0);
    CHECK(minutes[0].find("skips 60 times from 02:00 to 02:59: no firing") != std::string::npos);
    CHECK(minutes[0].find("fires 60 times at 03:00") != std::string::npos);
    CHECK(found("0-30,31-59 2 * * *") == minutes);
}

TEST_CASE("several times in a gap have one firing together here, and one each for Debian")
{
    CHECK(found("0,30 2 * * *") ==
          std::vector<std::string>{"on 2024-03-31 the clock of Europe/Berlin skips 02:00 and 02:30: fires once, at "
                                   "03:00; Debian's cron fires twice"});
    CHECK(found("0 2,3 * * *") ==
          std::vector<std::string>{"on 2024-03-31 the clock of Europe/Berlin skips 02:00: fires once, at 03:00, for "
                                   "that time too; Debian's cron fires twice"});
    CHECK(found("10-12 2 * * *")[0].find("skips 3 times from 02:10 to 02:12") != std::string::npos);
}

TEST_CASE("an expression that fires as Debian's cron would have it has no difference")
{
    for (auto const* same : {"30 2 * * *", "0 3 * * *", "* 2 * * *", "*/5 2 * * *", "15 * * * *", "0-59 * * * *",
                             "*/5 0-23 * * *", "@hourly", "@daily", "0,30 5 * * *", "0 1,3 * * *"}) {
        INFO(same);
        CHECK(found(same).empty());
    }
}

TEST_CASE("a difference is told only if the zone has a clock change that the expression meets")
{
    CHECK(found("0-59 2 * * *", "UTC").empty());
    CHECK(found("0,30 2 * * *", "Asia/Tokyo").empty());
    CHECK(found("0,30 2 * * 1").empty());      // the clock changes on a Sunday
    CHECK(found("0,30 2 * 7 *").empty());      // and not in July
    CHECK(found("0 0-23 * 10 *").size() == 1); // and is only put back in October
    CHECK(found("0,30 0 * * *", "Australia/Lord_Howe").empty());
    CHECK(found("0,15 2 * * *", "Australia/Lord_Howe", "2024-01-01T00:00:00Z").at(0).find("at 02:30") !=
          std::string::npos); // half an hour is skipped
    CHECK(found("0,30 2 * * *", "Europe/Berlin", "2024-06-01T00:00:00Z").at(0).find("on 2025-03-30") == 0);
}

TEST_CASE("expressions with seconds have no difference, as Debian does not have them")
{
    CHECK(found("0 0,30 2 * * *").empty());
    CHECK(found("0 0-59 2 * * *").empty());
}

TEST_CASE("a wrong expression is refused as elsewhere")
{
    CHECK_THROWS_AS(found("61 * * * *"), invalid_input);
}

} // namespace debian_test
