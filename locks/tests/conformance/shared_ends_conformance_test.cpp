// The end of a shared hold without unlock(): by its ttl, or with the lock object or the store.

#include "locks/tests/conformance/shared_locks_fixture.hpp"

#include <catch2/catch.hpp>

#include <future>
#include <list>
#include <memory>

using namespace baton;
using namespace baton::test;
using baton::lock::lock_errc;
using baton::lock::lock_options;
using baton::lock::named_lock;
using baton::lock::read_write_lock;
using baton::lock::release_result;

TEST_CASE("a permit ends with its ttl, its holder is notified, and the late release takes no permit from another")
{
    struct permits {
        shared_locks_fixture& fixture;
        named_lock late, other, next;
        std::future<bool> granted = {};
    };
    auto const fixtures = every_shared_store();
    std::list<permits> all;
    for (auto const& each : fixtures) {
        auto& made = all.emplace_back(permits{*each, each->permit(2, short_lived()), each->permit(2), each->permit(2)});
        REQUIRE(made.other.try_lock());
        REQUIRE(made.late.try_lock());
        made.granted = std::async(std::launch::async, [&made] { return made.next.try_lock_for(60s); });
    }
    for (auto& [fixture, late, other, next, granted] : all) {
        INFO(fixture.url());
        REQUIRE(granted.get());
        CHECK(next.token() > other.token());
        CHECK_FALSE(late.valid());
        await_loss(late.lost()); // another thread requests it, perhaps later
        CHECK(late.unlock() == release_result::was_lost);
        auto refused = fixture.permit(2);
        CHECK_FALSE(refused.try_lock());
        CHECK(next.unlock() == release_result::released);
        CHECK(other.unlock() == release_result::released);
    }
}

TEST_CASE("a reader without a watchdog blocks a writer only for its ttl")
{
    struct pair {
        shared_locks_fixture& fixture;
        read_write_lock silent, next;
        std::future<bool> granted = {};
    };
    auto const fixtures = every_shared_store();
    std::list<pair> pairs;
    for (auto const& each : fixtures) {
        auto& made = pairs.emplace_back(pair{*each, each->book(short_lived()), each->book()});
        REQUIRE(made.silent.try_lock_shared());
        made.granted = std::async(std::launch::async, [&made] { return made.next.try_lock_for(60s); });
    }
    for (auto& [fixture, silent, next, granted] : pairs) {
        INFO(fixture.url());
        auto const token = silent.token();
        REQUIRE(granted.get());
        CHECK(next.token() > token);
        CHECK_FALSE(silent.valid());
        CHECK(silent.unlock_shared() == release_result::was_lost);
        CHECK(next.unlock() == release_result::released);
    }
}

TEST_CASE("a writer without a watchdog blocks a reader only for its ttl")
{
    struct pair {
        shared_locks_fixture& fixture;
        read_write_lock silent, next;
        std::future<bool> granted = {};
    };
    auto const fixtures = every_shared_store();
    std::list<pair> pairs;
    for (auto const& each : fixtures) {
        auto& made = pairs.emplace_back(pair{*each, each->book(short_lived()), each->book()});
        REQUIRE(made.silent.try_lock());
        made.granted = std::async(std::launch::async, [&made] { return made.next.try_lock_shared_for(60s); });
    }
    for (auto& [fixture, silent, next, granted] : pairs) {
        INFO(fixture.url());
        REQUIRE(granted.get());
        await_loss(silent.lost());
        CHECK(silent.unlock() == release_result::was_lost);
        CHECK(next.valid());
    }
}

TEST_CASE("a watchdog keeps a permit beyond its ttl")
{
    struct pair {
        shared_locks_fixture& fixture;
        named_lock holder, other;
        std::future<bool> granted = {};
    };
    lock_options options;
    options.ttl = 2s; // long enough for the watchdog on a busy machine
    auto const fixtures = every_shared_store();
    std::list<pair> pairs;
    for (auto const& each : fixtures) {
        auto& made = pairs.emplace_back(pair{*each, each->permit(1, options), each->permit(1)});
        REQUIRE(made.holder.try_lock());
        made.granted =
            std::async(std::launch::async, [&made, &options] { return made.other.try_lock_for(options.ttl + 200ms); });
    }
    for (auto& [fixture, holder, other, granted] : pairs) {
        INFO(fixture.url());
        CHECK_FALSE(granted.get());
        CHECK(holder.valid());
        CHECK(holder.unlock() == release_result::released);
    }
}

TEST_CASE("destroying a held read-write lock or closing its store releases the lock")
{
    shared_locks_fixture fixture;
    auto waiter = fixture.book();
    auto gone = std::make_unique<read_write_lock>(fixture.book());
    REQUIRE(gone->try_lock_shared());
    gone.reset();
    REQUIRE(waiter.try_lock_for(60s));
    waiter.unlock();
    fixture.await_release();
    auto closed = fixture.book();
    REQUIRE(closed.try_lock());
    auto const lost = closed.lost();
    fixture.views.pop_back();
    CHECK(lost.stop_requested());
    CHECK(failure_of([&] { closed.lock_shared(); }) == lock_errc::misuse);
    CHECK(waiter.try_lock_shared_for(60s));
}

TEST_CASE("tokens keep rising after a shared name was reaped, and a held permit is not reaped")
{
    shared_locks_fixture fixture({GENERATE(from_range(tested_engines()))});
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
