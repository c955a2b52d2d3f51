#include "trigger/election/stuck_watch.hpp"

#include <catch2/catch.hpp>

namespace stuck_watch_test {

using namespace baton;
using namespace baton::trigger;

namespace {

constexpr instant start{1'000s};
constexpr duration limit = 5s;

// Looks four times a second at a loop that stamps or stands still; true if it was ever stuck.
bool look(stuck_watch& watch, instant& now, duration span, std::uint64_t& stamp, bool runs)
{
    bool stuck = false;
    for (auto const until = now + span; now < until; now += 250ms)
        stuck = watch.stuck(runs ? ++stamp : stamp, now) || stuck;
    return stuck;
}

} // namespace

TEST_CASE("a loop that stamps is not stuck, one without a stamp for the limit is, until its next stamp")
{
    stuck_watch watch(limit);
    auto now = start;
    std::uint64_t stamp = 0;
    CHECK_FALSE(look(watch, now, 60s, stamp, true));
    CHECK_FALSE(look(watch, now, limit - 250ms, stamp, false));
    CHECK(look(watch, now, 500ms, stamp, false));
    CHECK(look(watch, now, 60s, stamp, false));
    CHECK_FALSE(look(watch, now, 60s, stamp, true));
}

TEST_CASE("a loop that has never stamped is stuck only after the limit")
{
    stuck_watch watch(limit);
    auto now = start;
    std::uint64_t stamp = 0;
    CHECK_FALSE(look(watch, now, limit - 250ms, stamp, false));
    CHECK(look(watch, now, 1s, stamp, false));
}

TEST_CASE("the pause of a whole process, which stops both loops, makes neither stuck")
{
    stuck_watch watch(limit);
    auto now = start;
    std::uint64_t stamp = 0;
    CHECK_FALSE(look(watch, now, 4s, stamp, false));
    now += 10min; // suspended
    CHECK_FALSE(look(watch, now, 4s, stamp, false));
    CHECK_FALSE(look(watch, now, 4s, stamp, true));
}

} // namespace stuck_watch_test
