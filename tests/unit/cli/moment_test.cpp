#include "cli/moment.hpp"
#include "libs/base/error.hpp"

#include <catch2/catch.hpp>

namespace moment_test {

using namespace baton;
using namespace baton::cli;

TEST_CASE("a moment is a time, a time ago, or now")
{
    auto const now = from_rfc3339("2026-07-01T10:00:00Z");
    CHECK(parse_moment("now", "--since", now) == now);
    CHECK(parse_moment("90m", "--since", now) == from_rfc3339("2026-07-01T08:30:00Z"));
    CHECK(parse_moment("2026-06-30T12:00:00+02:00", "--since", now) == from_rfc3339("2026-06-30T10:00:00Z"));
    CHECK_THROWS_AS(parse_moment("yesterday", "--since", now), invalid_input);
    CHECK_THROWS_AS(parse_moment("", "--since", now), invalid_input);
}

} // namespace moment_test
