// The promises of semaphores and read-write locks, on each store that has them and through the public headers alone.
// Waiting and the end of a hold have files of their own.

#include "libs/base/random.hpp"
#include "locks/tests/conformance/shared_locks_fixture.hpp"
#include "locks/tests/support/lock_urls.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <shared_mutex>

using namespace baton;
using namespace baton::test;
using baton::lock::lock_errc;
using baton::lock::lock_options;
using baton::lock::named_lock;
using baton::lock::release_result;
namespace locks = baton::lock;

TEST_CASE("a semaphore has as many holders as permits, and each token is higher than the ones before")
{
    shared_locks_fixture fixture;
    std::vector<named_lock> holders;
    std::uint64_t highest = 0;
    for (int times = 0; times < 3; ++times) {
        auto& next = holders.emplace_back(fixture.permit(3));
        REQUIRE(next.try_lock());
        CHECK(next.valid());
        CHECK(next.level() == fixture.level());
        CHECK(next.token() > highest);
        highest = next.token();
    }
    auto late = fixture.permit(3);
    CHECK_FALSE(late.try_lock());
    CHECK_FALSE(late.valid());
    CHECK(holders[1].unlock() == release_result::released);
    fixture.await_release();
    REQUIRE(late.try_lock());
    CHECK(late.token() > highest);
    CHECK_FALSE(holders[1].try_lock_for(20ms));
    CHECK(late.unlock() == release_result::released);
}

TEST_CASE("many readers may hold the lock at once, but a writer only alone")
{
    shared_locks_fixture fixture;
    auto first = fixture.book();
    auto second = fixture.book();
    auto writer = fixture.book();
    REQUIRE(first.try_lock_shared());
    REQUIRE(second.try_lock_shared());
    CHECK(second.token() > first.token());
    CHECK_FALSE(writer.try_lock());
    CHECK(first.unlock_shared() == release_result::released);
    CHECK_FALSE(writer.try_lock());
    CHECK(second.unlock_shared() == release_result::released);
    CHECK_FALSE(second.valid());
    auto const read = second.token();
    CHECK(read == 0);
    fixture.await_release();
    REQUIRE(writer.try_lock());
    CHECK(writer.valid());
    CHECK_FALSE(first.try_lock_shared());
    CHECK_FALSE(second.try_lock());
    auto const written = writer.token();
    CHECK(writer.unlock() == release_result::released);
    REQUIRE(first.try_lock_shared_for(60s)); // on ZooKeeper a refused node may still be in the queue
    CHECK(first.token() > written);
}

TEST_CASE("a read-write lock works with std::shared_lock and std::unique_lock")
{
    shared_locks_fixture fixture;
    auto one = fixture.book();
    auto other = fixture.book();
    {
        std::shared_lock const reads(one, 60s);
        std::shared_lock const reads_too(other, 60s);
        CHECK(reads.owns_lock());
        CHECK(reads_too.owns_lock());
    }
    std::unique_lock const writes(one, 60s);
    CHECK(writes.owns_lock());
    std::shared_lock const reads(other, std::try_to_lock);
    CHECK_FALSE(reads.owns_lock());
}

TEST_CASE("acquiring with another permit count fails while a permit is held, and works when none is")
{
    shared_locks_fixture fixture;
    auto two = fixture.permit(2);
    auto three = fixture.permit(3);
    auto also_two = fixture.permit(2);
    REQUIRE(two.try_lock());
    CHECK(failure_of([&] { three.lock(); }) == lock_errc::misuse);
    CHECK(also_two.try_lock());
    CHECK(also_two.unlock() == release_result::released);
    CHECK(two.unlock() == release_result::released);
    fixture.await_release();
    CHECK(three.try_lock());
    CHECK(failure_of([&] { two.try_lock(); }) == lock_errc::misuse);
}

TEST_CASE("a reentrant reader may lock again, and the last unlock releases the lock")
{
    shared_locks_fixture fixture;
    lock_options how;
    how.reentrant = true;
    auto reader = fixture.book(how);
    auto writer = fixture.book();
    reader.lock_shared();
    reader.lock_shared();
    CHECK(reader.unlock_shared() == release_result::released);
    CHECK_FALSE(writer.try_lock());
    CHECK(reader.unlock_shared() == release_result::released);
    fixture.await_release();
    CHECK(writer.try_lock());
}

TEST_CASE("semaphores, read-write locks and other locks do not share their names")
{
    shared_locks_fixture fixture;
    auto& in = fixture.enter();
    auto permit = fixture.permit(1, {}, "book");
    auto book = fixture.book();
    CHECK(permit.try_lock());
    CHECK(book.try_lock());
    if (!fixture.home)
        return;
    auto record = in.lock("book");
    CHECK(record.try_lock());
}

TEST_CASE("the metrics count readers, writers and permits separately")
{
    shared_locks_fixture fixture;
    auto& in = fixture.enter();
    auto const book = secret_hex(8);
    auto reader = in.read_write(book);
    auto writer = in.read_write(book);
    auto permit = in.semaphore(book, 2, short_lived());
    REQUIRE(reader.try_lock_shared());
    CHECK_FALSE(writer.try_lock());
    REQUIRE(permit.try_lock());
    await_loss(permit.lost());
    auto const all = in.metrics();
    auto const of = [&](std::string const& kind) {
        return *std::find_if(all.begin(), all.end(), [&](auto const& each) { return each.kind == kind; });
    };
    CHECK(of("read").acquired == 1);
    CHECK(of("read").held == 1);
    CHECK(of("write").acquired == 0);
    CHECK(of("write").refused == 1);
    CHECK(of("semaphore").acquired == 1);
    CHECK(of("semaphore").lost == 1);
}

TEST_CASE("an invalid semaphore or read-write lock is refused with a message that names the argument")
{
    store home(storage::engine::sqlite);
    locks::store in(lock_url(home.where()));
    CHECK_THROWS_WITH(in.semaphore("x", 0), Catch::Contains("permits"));
    CHECK_THROWS_WITH(in.semaphore("x", 10'001), Catch::Contains("permits"));
    CHECK_THROWS_WITH(in.semaphore("", 1), Catch::Contains("name"));
    CHECK_THROWS_WITH(in.read_write(""), Catch::Contains("name"));
}
