#include "cli/firings.hpp"

#include <catch2/catch.hpp>

namespace firings_test {

using namespace baton::cli;

TEST_CASE("a firing is shown in the machine's zone, and in the schedule's own zone beside it")
{
    nlohmann::json const firing{
        {"at", "2026-03-29T01:00:00.000000Z"}, {"local", "2026-03-29T03:00:00+02:00"}, {"clock_changed", true}};
    CHECK(firing_text(firing, "Europe/Berlin", times("Asia/Tokyo")) ==
          "2026-03-29 10:00:00.000 Asia/Tokyo, 2026-03-29 03:00:00 in Europe/Berlin (after a clock change)");
}

TEST_CASE("a firing whose zones show the same time is shown once")
{
    nlohmann::json const firing{
        {"at", "2026-07-01T10:00:00.000000Z"}, {"local", "2026-07-01T12:00:00+02:00"}, {"clock_changed", false}};
    CHECK(firing_text(firing, "Europe/Berlin", times("Europe/Paris")) == "2026-07-01 12:00:00.000 Europe/Paris");
}

} // namespace firings_test
