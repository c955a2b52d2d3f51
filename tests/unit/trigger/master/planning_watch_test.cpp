#include "trigger/master/planning_watch.hpp"

#include <catch2/catch.hpp>

namespace planning_watch_test {

using namespace baton;
using namespace baton::trigger;

namespace {

constexpr instant start{1'000s};

// Looks every 50 ms until `until`, as a master does.
std::optional<std::string> look(planning_watch& watch, instant from, instant until, bool has_room = true)
{
    std::optional<std::string> last;
    for (auto now = from; now <= until; now += 50ms)
        last = watch.trouble(true, has_room, now);
    return last;
}

} // namespace

TEST_CASE("a planner that plans, or pauses between two rounds, is in no trouble")
{
    planning_watch watch(start);
    watch.began(start);
    watch.planned(start + 900ms);
    CHECK_FALSE(look(watch, start, start + 1'800ms));
    watch.ended();
    CHECK_FALSE(look(watch, start + 1'800ms, start + 60s));
}

TEST_CASE("an active master without the time for a transaction says so within a second")
{
    planning_watch watch(start);
    watch.began(start);
    CHECK_FALSE(look(watch, start, start + 950ms, false));
    auto const why = look(watch, start + 950ms, start + 1s, false);
    REQUIRE(why);
    CHECK(why->find("the time for a transaction") != std::string::npos);
    watch.planned(start + 1'100ms);
    CHECK_FALSE(look(watch, start + 1'100ms, start + 1'200ms));
}

TEST_CASE("a transaction without an answer, and a take-over that does not end, are named")
{
    planning_watch watch(start);
    CHECK(look(watch, start, start + 1s).value_or("").find("take-over") != std::string::npos);
    watch.began(start + 2s);
    CHECK(look(watch, start + 2s, start + 3s).value_or("").find("has not answered") != std::string::npos);
}

TEST_CASE("a failed round is told at once, until a later one plans")
{
    planning_watch watch(start);
    watch.began(start);
    watch.failed("planning failed: no disk");
    CHECK(watch.trouble(true, true, start) == "planning failed: no disk");
    watch.began(start + 1s);
    CHECK(watch.trouble(true, true, start + 1s) == "planning failed: no disk");
    watch.planned(start + 1s);
    CHECK_FALSE(watch.trouble(true, true, start + 1s));
}

TEST_CASE("a suspended master is in no trouble of its own, and its second begins when it is active again")
{
    planning_watch watch(start);
    watch.began(start);
    for (auto now = start; now < start + 10s; now += 50ms)
        CHECK_FALSE(watch.trouble(false, false, now));
    CHECK_FALSE(look(watch, start + 10s, start + 10'900ms));
    CHECK(look(watch, start + 10'900ms, start + 11s));
}

} // namespace planning_watch_test
