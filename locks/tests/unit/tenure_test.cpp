// What a holder may believe, and when it is told, whatever its store does.

#include "locks/tests/unit/holding_bench.hpp"

using namespace baton;
using namespace baton::lock;
using namespace baton::lock::test;

TEST_CASE("a grant counts from before it was asked for, and ends before its time in the store")
{
    auto how = of_three_seconds();
    how.watchdog = false;
    bench here(how);
    here.store.take_lasts = 400ms;
    auto const by = here.make();
    auto const asked = here.time.now();
    REQUIRE(here.lock(*by));
    CHECK(here.time.now() == asked + 400ms);
    auto const held = by->current();
    CHECK(held->deadline() == asked + 3s - 3ms - 250ms);
    CHECK(held->deadline() == use_until(asked, 3s));
    here.time.run_for(held->deadline() - here.time.now() - 1us);
    CHECK(here.valid(*by));
    CHECK_FALSE(held->over());
    here.time.run_for(1us);
    CHECK_FALSE(here.valid(*by));
    CHECK(held->over());
    CHECK(here.unlock(*by) == release_result::was_lost);
    CHECK(here.shop.counted.lost == 1);
    CHECK(here.shop.counted.expired == 1);
}

TEST_CASE("the margin of a short time is a tenth of it")
{
    CHECK(use_until(instant{10s}, 100ms) == instant{10s + 100ms - 100us - 10ms});
}

TEST_CASE("a store that gives less time than was asked for is believed")
{
    bench here(of_three_seconds());
    here.store.ttl = 1s;
    auto const by = here.make();
    auto const asked = here.time.now();
    REQUIRE(here.lock(*by));
    CHECK(by->current()->deadline() == use_until(asked, 1s));
    here.time.run_for(10s);
    CHECK(here.store.renewed == 30);
    CHECK(here.valid(*by));
}

TEST_CASE("what ends by the clock is given up when its whole time is over, and what was released never")
{
    auto how = of_three_seconds();
    how.watchdog = false;
    bench here(how);
    auto const by = here.make();
    auto const asked = here.time.now();
    REQUIRE(here.lock(*by));

    SECTION("kept")
    {
        here.time.run_for(asked + 3s - 1us - here.time.now());
        CHECK(by->current()->over());
        CHECK(here.store.forsaken == 0);
        here.time.run_for(1us);
        CHECK(here.store.forsaken == 1);
        here.time.run_for(10s);
        CHECK(here.store.forsaken == 1);
        CHECK(here.unlock(*by) == release_result::was_lost);
    }
    SECTION("released in time, or between its end for the holder and for others")
    {
        here.time.run_for(GENERATE(duration{1s}, duration{2900ms}));
        here.unlock(*by);
        here.time.run_for(10s);
        CHECK(here.store.forsaken == 0);
        CHECK(here.store.released == 1);
    }
}

TEST_CASE("a watchdog renews a third of the time after it last asked, for as long as the lock is held")
{
    bench here(of_three_seconds());
    auto const by = here.make();
    REQUIRE(here.lock(*by));
    here.time.run_for(10s);
    CHECK(here.store.renewed == 10);
    CHECK(here.valid(*by));
    CHECK(here.unlock(*by) == release_result::released);
    here.time.run_for(10s);
    CHECK(here.store.renewed == 10);
    CHECK(here.store.released == 1);
}

TEST_CASE("a renewal that finds the lock with another ends it at once, and for good")
{
    bench here(of_three_seconds());
    here.store.renewals = {says::yes, says::no};
    auto const by = here.make();
    REQUIRE(here.lock(*by));
    auto const held = by->current();
    bool told = false;
    std::stop_callback const watch(held->lost(), [&] { told = true; });
    here.time.run_for(1500ms);
    CHECK_FALSE(told);
    here.time.run_for(500ms);
    CHECK(told);
    CHECK_FALSE(here.valid(*by));
    here.time.run_for(10s);
    CHECK(here.store.renewed == 2);
    CHECK(here.unlock(*by) == release_result::was_lost);
    CHECK(here.shop.counted.lost == 1);
    CHECK(here.shop.counted.expired == 0);
}

TEST_CASE("a store that does not answer is asked again, and the lock ends by the clock while a call still hangs")
{
    bench here(of_three_seconds());
    auto const by = here.make();
    REQUIRE(here.lock(*by));
    auto const asked = here.time.now();

    SECTION("an answer in time keeps it")
    {
        here.store.renewals = {says::nothing, says::nothing, says::yes};
        here.time.run_for(10s);
        CHECK(here.valid(*by));
    }
    SECTION("one that comes too late does not bring it back")
    {
        here.store.renewal_lasts = 5s;
        here.time.run_for(use_until(asked, 3s) - here.time.now());
        CHECK_FALSE(here.valid(*by));
        CHECK(by->current()->over());
        here.time.run_for(10s);
        CHECK_FALSE(here.valid(*by));
        CHECK(here.store.renewed == 1);
    }
    CHECK(here.unlock(*by) != release_result::unknown);
}

TEST_CASE("a renewal extends from before it was sent, not from its answer")
{
    bench here(of_three_seconds());
    here.store.renewal_lasts = 900ms;
    auto const by = here.make();
    REQUIRE(here.lock(*by));
    auto const asked = here.time.now();
    here.time.run_for(1950ms); // sent at 1 s, answered at 1.9
    CHECK(here.store.renewed == 1);
    CHECK(by->current()->deadline() == use_until(asked + 1s, 3s));
}

TEST_CASE("a hold that is forgotten ends: the watchdog renews no longer than max_hold")
{
    auto how = of_three_seconds();
    how.max_hold = 5s;
    bench here(how);
    auto const by = here.make();
    REQUIRE(here.lock(*by));
    here.time.run_for(5s);
    CHECK(here.valid(*by));
    here.time.run_for(3s);
    CHECK_FALSE(here.valid(*by));
}

TEST_CASE("a release is tried again for two seconds in front of the caller, and then behind its back")
{
    bench here(of_three_seconds());
    auto const by = here.make();
    REQUIRE(here.lock(*by));

    SECTION("answered at last")
    {
        here.store.releases = {says::nothing, says::nothing, says::yes};
        CHECK(here.unlock(*by) == release_result::released);
    }
    SECTION("answered too late to tell whose it was")
    {
        here.store.releases = {says::nothing, says::no};
        CHECK(here.unlock(*by) == release_result::unknown);
        CHECK(here.shop.counted.lost == 0);
    }
    SECTION("not answered")
    {
        here.store.releases.assign(25, says::nothing);
        auto const began = here.time.now();
        CHECK(here.unlock(*by) == release_result::unknown);
        CHECK(here.time.now() - began <= 2s);
        CHECK_FALSE(here.valid(*by));
        CHECK(here.store.released < 25);
        here.time.run_for(3s);
        CHECK(here.store.released == 26);
    }
}

TEST_CASE("a store that says that it was lost is believed, though nobody had noticed")
{
    bench here(of_three_seconds());
    auto const by = here.make();
    REQUIRE(here.lock(*by));
    here.store.releases = {says::no};
    CHECK(here.unlock(*by) == release_result::was_lost);
    CHECK(here.shop.counted.lost == 1);
}
