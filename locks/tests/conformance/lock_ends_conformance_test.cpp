// The end of a hold without unlock(): by its ttl, or with the lock object or the store.

#include "locks/tests/conformance/lock_kinds_fixture.hpp"

#include <catch2/catch.hpp>

#include <future>
#include <list>
#include <memory>

using namespace baton;
using namespace baton::test;
using baton::lock::lock_errc;
using baton::lock::lock_options;
using baton::lock::named_lock;
using baton::lock::release_result;

TEST_CASE("without a watchdog a lock ends with its ttl, the holder is notified, and its late release frees nothing")
{
    struct pair {
        lock_kinds_fixture& fixture;
        named_lock late, next;
        std::uint64_t token = 0;
        std::future<bool> granted = {};
    };
    auto const fixtures = every_lock_kind();
    std::list<pair> pairs;
    for (auto const& each : fixtures) {
        auto& made = pairs.emplace_back(pair{*each, each->make("stock", short_lived()), each->make()});
        INFO(each->name());
        REQUIRE(made.late.try_lock());
        made.token = made.late.token();
        made.granted = std::async(std::launch::async, [&made] { return made.next.try_lock_for(60s); });
    }
    for (auto& [fixture, late, next, token, granted] : pairs) {
        INFO(fixture.name());
        REQUIRE(granted.get());
        CHECK_FALSE(late.valid());
        await_loss(late.lost()); // another thread requests it, perhaps later
        CHECK((next.token() > token) == fixture.has_tokens());
        CHECK(late.unlock() == release_result::was_lost);
        auto third = fixture.make();
        CHECK_FALSE(third.try_lock());
        CHECK(next.unlock() == release_result::released);
    }
}

TEST_CASE("a watchdog keeps a lock beyond its ttl")
{
    struct pair {
        lock_kinds_fixture& fixture;
        named_lock holder, other;
        std::future<bool> granted = {};
    };
    lock_options options;
    options.ttl = 2s; // long enough for the watchdog on a busy machine
    auto const fixtures = every_lock_kind();
    std::list<pair> pairs;
    for (auto const& each : fixtures) {
        auto& made = pairs.emplace_back(pair{*each, each->make("stock", options), each->make()});
        INFO(each->name());
        REQUIRE(made.holder.try_lock());
        made.granted =
            std::async(std::launch::async, [&made, &options] { return made.other.try_lock_for(options.ttl + 200ms); });
    }
    for (auto& [fixture, holder, other, granted] : pairs) {
        INFO(fixture.name());
        CHECK_FALSE(granted.get());
        CHECK(holder.valid());
        CHECK(holder.unlock() == release_result::released);
    }
}

TEST_CASE("destroying a held lock or closing its store releases the lock")
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

TEST_CASE("a lost lock may outlive its store")
{
    auto const fixtures = every_lock_kind();
    std::vector<named_lock> lost;
    for (auto const& each : fixtures)
        REQUIRE(lost.emplace_back(each->make("stock", short_lived())).try_lock());
    for (std::size_t i = 0; i < lost.size(); ++i) {
        INFO(fixtures[i]->name());
        await_loss(lost[i].lost());
        fixtures[i]->views.pop_back();
        CHECK_FALSE(lost[i].valid());
        CHECK(lost[i].unlock() == release_result::unknown);
        auto next = fixtures[i]->make();
        CHECK(next.try_lock_for(60s));
    }
}

TEST_CASE("a step of the database's clock ends a record, but not a lease")
{
    lock_kinds_fixture fixture(place{storage::engine::mysql, GENERATE(kind_name::record, kind_name::lease)});
    auto holder = fixture.make("stock", short_lived());
    auto other = fixture.make();
    REQUIRE(holder.try_lock());
    fixture.home->exec(std::string("UPDATE ") + fixture.table() + " SET renewed_at = renewed_at - 3600000000");
    fixture.home->await_nodes();
    if (fixture.kind == kind_name::record) {
        CHECK(other.try_lock());
        return;
    }
    CHECK_FALSE(other.try_lock());
    REQUIRE(other.try_lock_for(60s));
    CHECK_FALSE(holder.valid()); // its own time was over first
}
