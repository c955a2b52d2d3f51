#include "cli/config/duration.hpp"
#include "libs/base/error.hpp"

#include <catch2/catch.hpp>

namespace duration_test {

using namespace baton;
using cli::format_duration;
using cli::parse_duration;

TEST_CASE("a span is a whole number and a unit")
{
    CHECK(parse_duration("0s") == 0s);
    CHECK(parse_duration("15us") == 15us);
    CHECK(parse_duration("300ms") == 300ms);
    CHECK(parse_duration("5s") == 5s);
    CHECK(parse_duration("2m") == 2min);
    CHECK(parse_duration("3h") == 3h);
    CHECK(parse_duration("1d") == 24h);
}

TEST_CASE("text that is not a span and a span that could overflow are refused")
{
    for (char const* const text : {"", "5", "s", "5 s", " 5s", "5s ", "-5s", "+5s", "1.5s", "5S", "5min", "0x5s", "5ss",
                                   "99999999999999999999s", "9223372036854775807d", "36526d"})
        CHECK_THROWS_AS(parse_duration(text), invalid_input);
}

TEST_CASE("a span is shown in the largest exact unit and can be read again")
{
    CHECK(format_duration(0s) == "0s");
    CHECK(format_duration(90s) == "90s");
    CHECK(format_duration(120s) == "2m");
    CHECK(format_duration(1'500ms) == "1500ms");
    for (auto const span : {duration{1}, duration{250ms}, duration{36h}, duration{48h}})
        CHECK(parse_duration(format_duration(span)) == span);
}

} // namespace duration_test
