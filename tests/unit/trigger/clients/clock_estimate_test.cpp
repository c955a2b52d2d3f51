#include "trigger/clients/clock_estimate.hpp"

#include <catch2/catch.hpp>

namespace clock_estimate_test {

using baton::trigger::clock_estimate;

TEST_CASE("the quickest heartbeat tells by how much the clock of a client is ahead")
{
    clock_estimate clock;
    CHECK_FALSE(clock.ahead_ms());
    constexpr std::int64_t ahead = 5'000;
    for (std::int64_t const late : {40, 3, 90, 800})
        clock.take(100'000 + late, 100'000 + ahead);
    CHECK(clock.ahead_ms() == ahead - 3);
    clock_estimate behind;
    for (std::int64_t const late : {40, 3, 90, 800})
        behind.take(100'000 + late, 100'000 - ahead);
    CHECK(behind.ahead_ms() == -ahead - 3);
}

TEST_CASE("a step of the clock ahead shows at once, and one back within sixteen heartbeats")
{
    clock_estimate clock;
    clock.take(1'000, 1'000);
    clock.take(2'000, 62'000);
    CHECK(clock.ahead_ms() == 60'000);
    for (int beat = 0; beat < 6; ++beat)
        clock.take(3'000, 3'000);
    CHECK(clock.ahead_ms() == 60'000);
    for (int beat = 0; beat < 8; ++beat)
        clock.take(3'000, 3'000);
    CHECK(clock.ahead_ms() == 60'000);
    clock.take(3'000, 3'000);
    CHECK(clock.ahead_ms() == 0);
}

} // namespace clock_estimate_test
