// The deadline, renewal, loss and release of a held lock, with a scripted store in virtual time.

#include "locks/tests/unit/lock_holder_fixture.hpp"

using namespace baton;
using namespace baton::lock;
using namespace baton::lock::test;

TEST_CASE("a grant counts from before its request, and its deadline is before the end of its ttl in the store")
{
    auto how = of_three_seconds();
    how.watchdog = false;
    lock_holder_fixture fixture(how);
    fixture.store.take_lasts = 400ms;
    auto const by = fixture.make();
    auto const asked = fixture.time.now();
    REQUIRE(fixture.lock(*by));
    CHECK(fixture.time.now() == asked + 400ms);
    auto const held = by->current();
    CHECK(held->deadline() == asked + 3s - 3ms - 250ms);
    CHECK(held->deadline() == use_until(asked, 3s));
    fixture.time.run_for(held->deadline() - fixture.time.now() - 1us);
    CHECK(fixture.valid(*by));
    CHECK_FALSE(held->over());
    fixture.time.run_for(1us);
    CHECK_FALSE(fixture.valid(*by));
    CHECK(held->over());
    CHECK(fixture.unlock(*by) == release_result::was_lost);
    CHECK(fixture.context.metrics.lost == 1);
    CHECK(fixture.context.metrics.expired == 1);
}

TEST_CASE("the margin of a short ttl is a tenth of it")
{
    CHECK(use_until(instant{10s}, 100ms) == instant{10s + 100ms - 100us - 10ms});
}

TEST_CASE("a shorter ttl that the store grants is respected")
{
    lock_holder_fixture fixture(of_three_seconds());
    fixture.store.ttl = 1s;
    auto const by = fixture.make();
    auto const asked = fixture.time.now();
    REQUIRE(fixture.lock(*by));
    CHECK(by->current()->deadline() == use_until(asked, 1s));
    fixture.time.run_for(10s);
    CHECK(fixture.store.renewed == 30);
    CHECK(fixture.valid(*by));
}

TEST_CASE("an expired lock is discarded at the end of its ttl, and a released lock never")
{
    auto how = of_three_seconds();
    how.watchdog = false;
    lock_holder_fixture fixture(how);
    auto const by = fixture.make();
    auto const asked = fixture.time.now();
    REQUIRE(fixture.lock(*by));

    SECTION("kept")
    {
        fixture.time.run_for(asked + 3s - 1us - fixture.time.now());
        CHECK(by->current()->over());
        CHECK(fixture.store.discarded == 0);
        fixture.time.run_for(1us);
        CHECK(fixture.store.discarded == 1);
        fixture.time.run_for(10s);
        CHECK(fixture.store.discarded == 1);
        CHECK(fixture.unlock(*by) == release_result::was_lost);
    }
    SECTION("released in time, or between its end for the holder and for others")
    {
        fixture.time.run_for(GENERATE(duration{1s}, duration{2900ms}));
        fixture.unlock(*by);
        fixture.time.run_for(10s);
        CHECK(fixture.store.discarded == 0);
        CHECK(fixture.store.released == 1);
    }
}

TEST_CASE("a watchdog renews every third of the ttl for as long as the lock is held")
{
    lock_holder_fixture fixture(of_three_seconds());
    auto const by = fixture.make();
    REQUIRE(fixture.lock(*by));
    fixture.time.run_for(10s);
    CHECK(fixture.store.renewed == 10);
    CHECK(fixture.valid(*by));
    CHECK(fixture.unlock(*by) == release_result::released);
    fixture.time.run_for(10s);
    CHECK(fixture.store.renewed == 10);
    CHECK(fixture.store.released == 1);
}

TEST_CASE("a renewal that the store refuses ends the lock at once and for good")
{
    lock_holder_fixture fixture(of_three_seconds());
    fixture.store.renewals = {says::yes, says::no};
    auto const by = fixture.make();
    REQUIRE(fixture.lock(*by));
    auto const held = by->current();
    bool told = false;
    std::stop_callback const watch(held->lost(), [&] { told = true; });
    fixture.time.run_for(1500ms);
    CHECK_FALSE(told);
    fixture.time.run_for(500ms);
    CHECK(told);
    CHECK_FALSE(fixture.valid(*by));
    fixture.time.run_for(10s);
    CHECK(fixture.store.renewed == 2);
    CHECK(fixture.unlock(*by) == release_result::was_lost);
    CHECK(fixture.context.metrics.lost == 1);
    CHECK(fixture.context.metrics.expired == 0);
}

TEST_CASE("a renewal without an answer is tried again, and the lock ends at its deadline even while a call hangs")
{
    lock_holder_fixture fixture(of_three_seconds());
    auto const by = fixture.make();
    REQUIRE(fixture.lock(*by));
    auto const asked = fixture.time.now();

    SECTION("an answer in time keeps the lock")
    {
        fixture.store.renewals = {says::nothing, says::nothing, says::yes};
        fixture.time.run_for(10s);
        CHECK(fixture.valid(*by));
    }
    SECTION("a late answer does not bring the lock back")
    {
        fixture.store.renewal_lasts = 5s;
        fixture.time.run_for(use_until(asked, 3s) - fixture.time.now());
        CHECK_FALSE(fixture.valid(*by));
        CHECK(by->current()->over());
        fixture.time.run_for(10s);
        CHECK_FALSE(fixture.valid(*by));
        CHECK(fixture.store.renewed == 1);
    }
    CHECK(fixture.unlock(*by) != release_result::unknown);
}

TEST_CASE("a renewal extends the lock from when it was sent, not from its answer")
{
    lock_holder_fixture fixture(of_three_seconds());
    fixture.store.renewal_lasts = 900ms;
    auto const by = fixture.make();
    REQUIRE(fixture.lock(*by));
    auto const asked = fixture.time.now();
    fixture.time.run_for(1950ms); // sent at 1 s, answered at 1.9
    CHECK(fixture.store.renewed == 1);
    CHECK(by->current()->deadline() == use_until(asked + 1s, 3s));
}

TEST_CASE("the watchdog renews no longer than max_hold")
{
    auto how = of_three_seconds();
    how.max_hold = 5s;
    lock_holder_fixture fixture(how);
    auto const by = fixture.make();
    REQUIRE(fixture.lock(*by));
    fixture.time.run_for(5s);
    CHECK(fixture.valid(*by));
    fixture.time.run_for(3s);
    CHECK_FALSE(fixture.valid(*by));
}

TEST_CASE("a release without an answer is tried again for two seconds, and then in the background")
{
    lock_holder_fixture fixture(of_three_seconds());
    auto const by = fixture.make();
    REQUIRE(fixture.lock(*by));

    SECTION("answered at the third try")
    {
        fixture.store.releases = {says::nothing, says::nothing, says::yes};
        CHECK(fixture.unlock(*by) == release_result::released);
    }
    SECTION("refused after a try without an answer: the result is unknown")
    {
        fixture.store.releases = {says::nothing, says::no};
        CHECK(fixture.unlock(*by) == release_result::unknown);
        CHECK(fixture.context.metrics.lost == 0);
    }
    SECTION("not answered")
    {
        fixture.store.releases.assign(25, says::nothing);
        auto const began = fixture.time.now();
        CHECK(fixture.unlock(*by) == release_result::unknown);
        CHECK(fixture.time.now() - began <= 2s);
        CHECK_FALSE(fixture.valid(*by));
        CHECK(fixture.store.released < 25);
        fixture.time.run_for(3s);
        CHECK(fixture.store.released == 26);
    }
}

TEST_CASE("a release that the store refuses reports a loss that was not noticed before")
{
    lock_holder_fixture fixture(of_three_seconds());
    auto const by = fixture.make();
    REQUIRE(fixture.lock(*by));
    fixture.store.releases = {says::no};
    CHECK(fixture.unlock(*by) == release_result::was_lost);
    CHECK(fixture.context.metrics.lost == 1);
}
