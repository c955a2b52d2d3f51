// How a hold beside others ends that its holder did not end.

#include "locks/tests/conformance/shared_locks_fixture.hpp"

#include <catch2/catch.hpp>

#include <memory>

using namespace baton;
using namespace baton::test;
using baton::lock::lock_errc;
using baton::lock::lock_options;
using baton::lock::named_lock;
using baton::lock::read_write_lock;
using baton::lock::release_result;

TEST_CASE("a permit ends with its time: its holder is told, and its release takes none from anybody")
{
    shared_locks_fixture fixture;
    auto late = fixture.permit(2, short_lived());
    auto other = fixture.permit(2);
    auto next = fixture.permit(2);
    REQUIRE(late.try_lock());
    REQUIRE(other.try_lock());
    auto const token = other.token();
    REQUIRE(next.try_lock_for(60s));
    CHECK(next.token() > token);
    CHECK_FALSE(late.valid());
    await_loss(late.lost()); // on another thread, which may be later than this one
    CHECK(late.unlock() == release_result::was_lost);
    auto refused = fixture.permit(2);
    CHECK_FALSE(refused.try_lock());
    CHECK(next.unlock() == release_result::released);
    CHECK(other.unlock() == release_result::released);
}

TEST_CASE("a reader that is silent for its time is in no writer's way, nor a writer in a reader's")
{
    shared_locks_fixture fixture;
    auto silent = fixture.book(short_lived());
    auto next = fixture.book();
    REQUIRE(silent.try_lock_shared());
    auto const token = silent.token();
    REQUIRE(next.try_lock_for(60s));
    CHECK(next.token() > token);
    CHECK_FALSE(silent.valid());
    CHECK(silent.unlock_shared() == release_result::was_lost);
    CHECK(next.unlock() == release_result::released);
    REQUIRE(silent.try_lock());
    auto const lost = silent.lost();
    REQUIRE(next.try_lock_shared_for(60s));
    await_loss(lost);
    CHECK(silent.unlock() == release_result::was_lost);
    CHECK(next.valid());
}

TEST_CASE("a watchdog keeps a permit beyond its time")
{
    shared_locks_fixture fixture;
    lock_options how;
    how.ttl = 2s; // so that a busy machine does not keep the watchdog from it
    auto holder = fixture.permit(1, how);
    auto other = fixture.permit(1);
    REQUIRE(holder.try_lock());
    CHECK_FALSE(other.try_lock_for(how.ttl + 200ms));
    CHECK(holder.valid());
    CHECK(holder.unlock() == release_result::released);
}

TEST_CASE("what goes away while it is held is given back")
{
    shared_locks_fixture fixture;
    auto waiter = fixture.book();
    auto gone = std::make_unique<read_write_lock>(fixture.book());
    REQUIRE(gone->try_lock_shared());
    gone.reset();
    REQUIRE(waiter.try_lock_for(60s));
    waiter.unlock();
    auto closed = fixture.book();
    REQUIRE(closed.try_lock());
    auto const lost = closed.lost();
    fixture.views.pop_back();
    CHECK(lost.stop_requested());
    CHECK(failure_of([&] { closed.lock_shared(); }) == lock_errc::misuse);
    CHECK(waiter.try_lock_shared_for(60s));
}

TEST_CASE("tokens go on where a shared name was reaped, and what is held stays")
{
    shared_locks_fixture fixture({GENERATE(storage::engine::mysql, storage::engine::sqlite)});
    lock_options long_lived;
    long_lived.ttl = 1h;
    auto held = fixture.permit(2, long_lived, "held");
    auto old = fixture.permit(2, {}, "old");
    auto dead = std::make_unique<named_lock>(fixture.permit(2, short_lived(), "dead"));
    REQUIRE(held.try_lock());
    for (int times = 0; times < 3; ++times) {
        REQUIRE(old.try_lock());
        if (times < 2)
            old.unlock();
    }
    auto const token = old.token();
    old.unlock();
    REQUIRE(dead->try_lock());
    fixture.home->exec("UPDATE lock_shared SET renewed_at = renewed_at - 300000000"); // five minutes
    CHECK(fixture.enter().reap(3min) == 2);
    CHECK(fixture.home->number("SELECT COUNT(*) FROM lock_shared") == 2); // the name that is held, and its holder
    REQUIRE(old.try_lock());
    CHECK(old.token() > token);
}
