#include "tests/support/process_end.hpp"

#include <catch2/catch.hpp>

namespace deadman_test {

using namespace baton;
using baton::test::end_after;

TEST_CASE("an armed dead man's switch ends the process with status 70 although its main thread is blocked")
{
    auto const seen = end_after([](deadman& one, deadman&) { one.arm(20ms, "a term that hangs"); });
    CHECK(seen.status == 70);
    CHECK_THAT(seen.said, Catch::Contains("a term that hangs"));
}

TEST_CASE("a disarmed dead man's switch does not end the process")
{
    auto const seen = end_after([](deadman& one, deadman& other) {
        one.arm(20ms, "drained in time");
        one.disarm();
        other.arm(100ms, "did not drain");
    });
    CHECK(seen.status == 70);
    CHECK_THAT(seen.said, Catch::Contains("did not drain") && !Catch::Contains("drained in time"));
}

} // namespace deadman_test
