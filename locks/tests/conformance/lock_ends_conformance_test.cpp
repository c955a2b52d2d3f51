// How a hold of a lock by name ends that its holder did not end: by its time, or with what it belongs to.

#include "locks/tests/conformance/lock_kinds_fixture.hpp"

#include <catch2/catch.hpp>

#include <memory>

using namespace baton;
using namespace baton::test;
using baton::lock::lock_errc;
using baton::lock::lock_options;
using baton::lock::named_lock;
using baton::lock::release_result;

TEST_CASE("without a watchdog it ends with its time: the holder is told, and its release changes nothing")
{
    lock_kinds_fixture fixture;
    auto late = fixture.make("stock", short_lived());
    auto next = fixture.make();
    auto third = fixture.make();
    REQUIRE(late.try_lock());
    auto const token = late.token();
    REQUIRE(next.try_lock_for(60s));
    CHECK_FALSE(late.valid());
    await_loss(late.lost()); // on another thread, which may be later than this one
    CHECK((next.token() > token) == fixture.has_tokens());
    CHECK(late.unlock() == release_result::was_lost);
    CHECK_FALSE(third.try_lock());
    CHECK(next.unlock() == release_result::released);
}

TEST_CASE("a watchdog keeps it beyond its time")
{
    lock_kinds_fixture fixture;
    lock_options how;
    how.ttl = 2s; // so that a busy machine does not keep the watchdog from it
    auto holder = fixture.make("stock", how);
    auto other = fixture.make();
    REQUIRE(holder.try_lock());
    CHECK_FALSE(other.try_lock_for(how.ttl + 200ms));
    CHECK(holder.valid());
    CHECK(holder.unlock() == release_result::released);
}

TEST_CASE("what goes away while it is held is given back")
{
    lock_kinds_fixture fixture;
    auto waiter = fixture.make();

    SECTION("the lock")
    {
        auto holder = std::make_unique<named_lock>(fixture.make());
        REQUIRE(holder->try_lock());
        holder.reset();
    }
    SECTION("the store")
    {
        auto holder = fixture.make();
        REQUIRE(holder.try_lock());
        auto const lost = holder.lost();
        fixture.views.pop_back();
        CHECK(lost.stop_requested());
        CHECK_FALSE(holder.valid());
        CHECK(failure_of([&] { holder.lock(); }) == lock_errc::misuse);
    }
    CHECK(waiter.try_lock_for(60s));
}

TEST_CASE("what was lost may outlive its store")
{
    lock_kinds_fixture fixture;
    auto lost = fixture.make("stock", short_lived());
    REQUIRE(lost.try_lock());
    await_loss(lost.lost());
    fixture.views.pop_back();
    CHECK_FALSE(lost.valid());
    CHECK(lost.unlock() == release_result::unknown);
    auto next = fixture.make();
    CHECK(next.try_lock_for(60s));
}

TEST_CASE("a step of the database's clock takes a record from its holder, but no lease")
{
    lock_kinds_fixture fixture(place{storage::engine::mysql, GENERATE(kind_name::record, kind_name::lease)});
    auto holder = fixture.make("stock", short_lived());
    auto other = fixture.make();
    REQUIRE(holder.try_lock());
    fixture.home->exec(std::string("UPDATE ") + fixture.table() + " SET renewed_at = renewed_at - 3600000000");
    if (fixture.kind == kind_name::record) {
        CHECK(other.try_lock());
        return;
    }
    CHECK_FALSE(other.try_lock());
    REQUIRE(other.try_lock_for(60s));
    CHECK_FALSE(holder.valid()); // its own time was over first
}
