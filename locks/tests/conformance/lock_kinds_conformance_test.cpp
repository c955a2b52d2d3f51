// The promises of every kind of lock, on the real stores and through the public headers alone. Waiting and the end of a
// hold have files of their own.

#include "locks/tests/conformance/lock_kinds_fixture.hpp"
#include "locks/tests/support/lock_urls.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <future>
#include <mutex>

using namespace baton;
using namespace baton::test;
using baton::lock::lock_options;
using baton::lock::named_lock;
using baton::lock::release_result;
namespace locks = baton::lock;

TEST_CASE("a lock has a single holder, others are refused, and each token is higher than the ones before")
{
    lock_kinds_fixture fixture;
    auto first = fixture.make();
    auto second = fixture.make();
    REQUIRE(first.try_lock());
    CHECK(first.valid());
    CHECK(first.level() == fixture.level());
    auto const token = first.token();
    CHECK((token > 0) == fixture.has_tokens());
    CHECK_FALSE(second.try_lock());
    CHECK(second.token() == 0);
    CHECK_FALSE(second.valid());
    CHECK(first.unlock() == release_result::released);
    CHECK_FALSE(first.valid());
    fixture.await_release();
    REQUIRE(second.try_lock());
    CHECK((second.token() > token) == fixture.has_tokens());
    CHECK_FALSE(first.try_lock_for(20ms));
    CHECK(second.unlock() == release_result::released);
}

TEST_CASE("different names are different locks, and so are equal names of different kinds")
{
    lock_kinds_fixture fixture;
    auto& in = fixture.enter();
    auto first = fixture.make(in, "a");
    auto second = fixture.make(in, "A");
    auto third = fixture.make(in, "\xc3\xa4 ' \\ \" %");
    CHECK(first.try_lock());
    CHECK(second.try_lock());
    CHECK(third.try_lock());
    if (!fixture.home)
        return; // the server has no other kind
    bool const in_records = fixture.kind == kind_name::record || fixture.kind == kind_name::classic;
    auto of_other_kind =
        in_records ? in.lock("a", baton::lock::sql_lock::lease) : in.lock("a"); // in a table of its own
    CHECK(of_other_kind.try_lock());
}

TEST_CASE("a lock that is not held cannot be released")
{
    lock_kinds_fixture fixture;
    auto holder = fixture.make();
    auto other = fixture.make();
    REQUIRE(holder.try_lock());
    CHECK(other.unlock() == release_result::unknown);
    CHECK_FALSE(other.try_lock());
    CHECK(holder.unlock() == release_result::released);
}

TEST_CASE("a lock works with std::unique_lock and std::scoped_lock, and locking two in any order does not deadlock")
{
    lock_kinds_fixture fixture;
    auto& one = fixture.enter();
    auto& other = fixture.enter();
    auto const take_both = [&](locks::store& in, bool swapped) {
        auto a = fixture.make(in, "a");
        auto b = fixture.make(in, "b");
        for (int times = 0; times < 5; ++times) {
            if (swapped)
                std::scoped_lock const both(b, a);
            else
                std::scoped_lock const both(a, b);
        }
    };
    auto second = std::async(std::launch::async, [&] { take_both(other, true); });
    take_both(one, false);
    second.get();
    auto a = fixture.make(one, "a");
    std::unique_lock const held(a, 60s);
    CHECK(held.owns_lock());
}

TEST_CASE("a reentrant holder may lock again, and the last unlock releases the lock")
{
    lock_kinds_fixture fixture;
    lock_options how;
    how.reentrant = true;
    auto holder = fixture.make("stock", how);
    auto other = fixture.make();
    holder.lock();
    holder.lock();
    CHECK(holder.unlock() == release_result::released);
    CHECK_FALSE(other.try_lock());
    CHECK(holder.unlock() == release_result::released);
    fixture.await_release();
    CHECK(other.try_lock());
}

TEST_CASE("an invalid argument is refused with a message that names it")
{
    using Catch::Contains;
    CHECK_THROWS_WITH(locks::store("etcd"), Contains("lock store"));
    // Of a build without it, too.
    CHECK_THROWS_WITH(locks::store("zookeeper://,"),
                      Contains("lock store: ") && Contains("ookeeper", Catch::CaseSensitive::No));
    store home(storage::engine::sqlite);
    locks::store in(lock_url(home.where()));
    lock_options how;
    CHECK_THROWS_WITH(in.lock(""), Contains("name"));
    CHECK_THROWS_WITH(in.lock(std::string(191, 'x'), baton::lock::sql_lock::lease), Contains("name"));
    how.ttl = 99ms;
    CHECK_THROWS_WITH(in.lock("x", how), Contains("ttl"));
    how = {};
    how.label = std::string(191, 'x');
    CHECK_THROWS_WITH(in.lock("x", how), Contains("label"));
    how = {};
    how.max_hold = -1ms;
    CHECK_THROWS_WITH(in.lock("x", how), Contains("max_hold"));
    how = {};
    how.ttl = 500ms;
    CHECK_THROWS_WITH(in.lock("x", baton::lock::sql_lock::row, how), Contains("ttl"));
    CHECK_THROWS_WITH(in.reap(59s), Contains("age"));
    CHECK_THROWS_WITH(in.lock("x", baton::lock::sql_lock::row), Contains("form") && Contains("SQLite"));
    locks::store_options none;
    none.sessions = 0;
    CHECK_THROWS_WITH(locks::store("sqlite:/tmp/x", none), Contains("sessions"));
    none = {};
    none.row_sessions = 0;
    CHECK_THROWS_WITH(locks::store("sqlite:/tmp/x", none), Contains("row_sessions"));
}

TEST_CASE("the metrics count grants, refusals, releases and losses")
{
    auto const fixtures = every_lock_kind();
    std::vector<named_lock> held, brief;
    for (auto const& fixture : fixtures) {
        INFO(fixture->name());
        auto& store = fixture->enter();
        auto& lock = held.emplace_back(fixture->make(store, "stock"));
        auto other = fixture->make();
        REQUIRE(lock.try_lock());
        lock.unlock();
        fixture->await_release();
        REQUIRE(other.try_lock());
        CHECK_FALSE(lock.try_lock());
        other.unlock();
        fixture->await_release();
        REQUIRE(brief.emplace_back(fixture->make(store, "stock", short_lived())).try_lock());
    }
    for (std::size_t i = 0; i < fixtures.size(); ++i) {
        auto const& fixture = *fixtures[i];
        INFO(fixture.name());
        await_loss(brief[i].lost());
        brief[i].unlock();
        fixtures[i]->await_release();
        REQUIRE(held[i].try_lock());
        auto const all = fixture.views[1]->metrics(); // the first has created the tables
        auto const& counted =
            *std::find_if(all.begin(), all.end(), [&](auto const& each) { return each.kind == fixture.name(); });
        CHECK(counted.acquired == 3);
        CHECK(counted.refused == 1);
        CHECK(counted.released == 1);
        CHECK(counted.lost == 1);
        CHECK(counted.expired == 1);
        CHECK(counted.held == 1);
        CHECK_THAT(
            locks::to_prometheus(all),
            Catch::Contains("baton_lock_acquired_total{kind=\"" + counted.kind + "\"} 3\n") &&
                Catch::Contains("baton_lock_wait_seconds_bucket{kind=\"" + counted.kind + "\",le=\"+Inf\"} 3\n"));
    }
}
