#include "trigger/election/cluster_clock.hpp"

#include <catch2/catch.hpp>

namespace cluster_clock_test {

using namespace baton;
using namespace baton::trigger;

namespace {

class set_time final : public time_source {
public:
    instant now() const override { return instant{boot}; }
    utc_time utc() const override { return utc_time{boot} + wall; }
    awaitable<void> sleep_until(instant) override { co_return; }

    duration boot = 1'000s;
    duration wall{};
};

struct fixture {
    set_time time;
    cluster_clock clock{time};
    duration database{50'000s}; // its clock minus the boot clock

    void sample(duration round_trip = 1ms)
    {
        auto const asked = time.now();
        time.boot += round_trip;
        clock.sample(utc_time{asked.time_since_epoch() + database + round_trip / 2}, asked, time.now());
    }
    duration error() { return clock.now().time_since_epoch() - (time.boot + database); }
};

} // namespace

TEST_CASE("without samples, cluster time is the host's time")
{
    fixture b;
    b.time.wall = 7s;
    CHECK(b.clock.now() == b.time.utc());
    b.time.wall = 5s;
    CHECK(b.clock.now() == utc_time{b.time.boot + 7s}); // and never goes back
}

TEST_CASE("a clock that was set back tells until when time stands still")
{
    fixture b;
    auto const reached = b.clock.now();
    CHECK_FALSE(b.clock.stands_until());
    b.time.wall = -500ms; // a correction, which nobody has to know of
    CHECK_FALSE(b.clock.stands_until());
    b.time.wall = -90s;
    CHECK(b.clock.stands_until() == reached);
    CHECK(b.clock.database_now() == reached - 90s);
    b.time.boot += 89'500ms;
    CHECK(b.clock.stands_until() == reached);
    b.time.boot += 500ms;
    CHECK_FALSE(b.clock.stands_until());
}

TEST_CASE("the first sample sets cluster time, even if the host's wall clock is wrong")
{
    fixture b;
    b.time.wall = GENERATE(-9'000s, 90'000s);
    b.clock.now(); // before the first answer of the database
    b.sample();
    CHECK(b.error() == 0s);
    CHECK_FALSE(b.clock.stands_until());
}

TEST_CASE("a small difference is slewed by at most 5 ms a second")
{
    fixture b;
    b.sample();
    b.database += 100ms;
    for (int i = 0; i < 16; ++i) {
        b.time.boot += 999ms;
        b.sample();
        CHECK(-b.error() >= 100ms - 5ms * (i + 1) - 1ms);
    }
    for (int i = 0; i < 30; ++i) {
        b.time.boot += 999ms;
        b.sample();
    }
    CHECK(-b.error() < 1ms);
}

TEST_CASE("a sample with a quick answer outweighs one with a slow answer")
{
    fixture b;
    b.sample(1ms);
    auto const asked = b.time.now();
    b.time.boot += 800ms; // answered at once by the database, late by the network
    b.clock.sample(utc_time{asked.time_since_epoch() + b.database}, asked, b.time.now());
    CHECK(b.error() == 0s);
}

TEST_CASE("a step is followed only after ten seconds of agreement, and never backwards")
{
    fixture b;
    b.sample();
    b.database -= 60s;
    auto last = b.clock.now();
    for (int i = 0; i < 8; ++i) {
        b.time.boot += 999ms;
        b.sample();
        CHECK(b.error() == 60s); // still on the old clock
        last = b.clock.now();
    }
    for (int i = 0; i < 4; ++i) {
        b.time.boot += 999ms;
        b.sample();
    }
    CHECK(b.clock.now() >= last);
    b.time.boot += 100s;
    CHECK(b.error() == 0s);
}

TEST_CASE("a step of the clock that is taken back within ten seconds has no effect")
{
    fixture b;
    b.sample();
    b.database += 5s;
    for (int i = 0; i < 5; ++i) {
        b.time.boot += 999ms;
        b.sample();
    }
    b.database -= 5s;
    for (int i = 0; i < 20; ++i) {
        b.time.boot += 999ms;
        b.sample();
    }
    CHECK(b.error() == 0s);
}

TEST_CASE("the error of cluster time is half the shortest round trip plus the offset still to be slewed")
{
    fixture b;
    CHECK(b.clock.error() == 0s);
    b.sample(6ms);
    CHECK(b.clock.error() == 3ms);
    b.sample(2ms);
    CHECK(b.clock.error() == 1ms);
    b.database += 300ms;
    for (int i = 0; i < 16; ++i) {
        b.time.boot += 998ms;
        b.sample(2ms);
    }
    CHECK(b.clock.error() == 1ms - b.error());
    CHECK(b.clock.error() > 200ms);
}

TEST_CASE("cluster time is steady a minute after its start or a step, and not while a step is pending")
{
    fixture b;
    b.sample();
    CHECK_FALSE(b.clock.steady());
    b.time.boot += 60s;
    CHECK(b.clock.steady());
    b.database -= 5s;
    b.sample();
    CHECK_FALSE(b.clock.steady()); // the step is seen
    b.time.boot += 11s;
    b.sample();
    CHECK_FALSE(b.clock.steady()); // and followed
    b.time.boot += 59s;
    b.sample();
    CHECK_FALSE(b.clock.steady());
    b.time.boot += 1s;
    CHECK(b.clock.steady());
}

} // namespace cluster_clock_test
