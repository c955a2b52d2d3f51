#include "libs/lease/lease.hpp"
#include "tests/support/stores.hpp"

#include <catch2/catch.hpp>

namespace raise_epoch_test {

using namespace baton;
using namespace baton::test;
using storage::engine;

namespace {

struct fixture {
    explicit fixture(engine kind)
        : home(kind),
          own(home.migrated(kind == engine::sqlite ? storage::lease_tables() : storage::scheduler_tables())
                  .open({.sessions = 1})),
          lease(kind == engine::sqlite ? lease::make_boot_lease(*own, "master", time, "boot")
                                       : lease::make_clocked_lease(*own, "master"))
    {}

    lease::raised_epoch raise(std::int64_t least) { return wait_for(lease::raise_epoch(*own, "master", least)); }

    system_time time;
    store home;
    std::unique_ptr<storage::database> own;
    std::unique_ptr<lease::lease_store> lease;
};

} // namespace

TEST_CASE("a raised epoch ends the present term, and the next one is above it")
{
    fixture f(GENERATE(engine::mysql, engine::sqlite));
    CHECK_THROWS_AS(f.raise(100), unavailable); // no row yet
    wait_for(f.lease->ensure());
    REQUIRE(wait_for(f.lease->seize({"a", "", 3s, 1, 0, 2})));
    auto const raised = f.raise(100);
    CHECK(raised.raised);
    CHECK(raised.before == 2);
    CHECK_FALSE(wait_for(f.lease->renew("a", 2)));
    auto const row = wait_for(f.lease->poll());
    CHECK(row.epoch == 100);
    CHECK_FALSE(wait_for(f.lease->seize({"b", "", 3s, 100, row.renew_seq, 101}))); // before a's lease is over
    CHECK_FALSE(wait_for(f.lease->seize({"b", "", 3s, 2, 1, 3})));                 // as read before
}

TEST_CASE("an epoch is never lowered, and raising it twice changes nothing")
{
    fixture f(GENERATE(engine::mysql, engine::sqlite));
    wait_for(f.lease->ensure());
    CHECK(f.raise(50).raised);
    auto const again = f.raise(50);
    CHECK_FALSE(again.raised);
    CHECK(again.before == 50);
    CHECK_FALSE(f.raise(7).raised);
    CHECK(wait_for(f.lease->poll()).epoch == 50);
}

} // namespace raise_epoch_test
