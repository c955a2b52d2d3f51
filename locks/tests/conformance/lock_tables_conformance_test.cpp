// The promises of locks in a database only: about their tables and their sessions.

#include "locks/tests/conformance/lock_kinds_fixture.hpp"
#include "locks/tests/support/lock_urls.hpp"

#include <catch2/catch.hpp>

#include <future>

using namespace baton;
using namespace baton::test;
using baton::lock::lock_errc;
using baton::lock::lock_options;
using baton::lock::release_result;
namespace locks = baton::lock;

TEST_CASE("tokens keep rising after a name was reaped, and a held lock is not reaped")
{
    lock_kinds_fixture fixture(false);
    auto& in = fixture.enter();
    lock_options long_lived;
    long_lived.ttl = 1h;
    auto held = fixture.make(in, "held", long_lived);
    auto old = fixture.make(in, "old");
    REQUIRE(held.try_lock());
    for (int times = 0; times < 3; ++times) {
        REQUIRE(old.try_lock());
        if (times < 2)
            old.unlock();
    }
    auto const token = old.token();
    old.unlock();
    fixture.home->exec(std::string("UPDATE ") + fixture.table() +
                       " SET renewed_at = renewed_at - 300000000"); // five minutes
    CHECK(in.reap(3min) == 1);
    CHECK(fixture.home->number(std::string("SELECT COUNT(*) FROM ") + fixture.table()) == 1);
    CHECK(old.try_lock());
    CHECK(old.token() > token);
    auto fresh = fixture.make("fresh");
    REQUIRE(fresh.try_lock());
    CHECK(fresh.token() > token);
}

TEST_CASE("a record and a classic record exclude each other and share their tokens, and a classic record leaves no row")
{
    lock_kinds_fixture fixture(place{GENERATE(from_range(tested_engines())), kind_name::classic});
    auto classic = fixture.make();
    auto kept = fixture.enter().lock("stock");
    REQUIRE(classic.try_lock());
    CHECK_FALSE(kept.try_lock());
    auto const token = classic.token();
    CHECK(classic.unlock() == release_result::released);
    CHECK(fixture.home->number("SELECT COUNT(*) FROM lock_record") == 0);
    fixture.await_release();
    REQUIRE(kept.try_lock());
    CHECK(kept.token() > token);
    auto const next = kept.token();
    CHECK_FALSE(classic.try_lock());
    kept.unlock();
    fixture.await_release();
    REQUIRE(classic.try_lock());
    CHECK(classic.token() > next);
}

TEST_CASE("without its tables a lock fails at once with the name of the missing migration")
{
    auto const engine = GENERATE(from_range(tested_engines()));
    store home(engine);
    locks::store in(lock_url(home.where()));
    auto lock = in.lock("stock");
    try {
        lock.lock();
        FAIL("locked");
    } catch (std::system_error const& failure) {
        CHECK(failure.code() == lock_errc::unavailable);
        CHECK_THAT(failure.what(), Catch::Contains("0001_named_locks") && Catch::Contains("create_tables"));
    }
}

TEST_CASE("a row lock is refused on SQLite and on Galera, where it would not lock")
{
    store file(storage::engine::sqlite);
    locks::store on_file(lock_url(file.where()));
    CHECK_THROWS_AS(on_file.lock("stock", baton::lock::sql_lock::row), std::invalid_argument);
    store home(storage::engine::mysql);
    locks::store in(lock_url(home.where()));
    in.create_tables();
    auto lock = in.lock("stock", baton::lock::sql_lock::row);
    if (home.nodes().size() > 1)
        CHECK(failure_of([&] { lock.try_lock(); }) == lock_errc::misuse);
    else
        CHECK(lock.try_lock());
}

TEST_CASE("a row lock waits for a session when all sessions are in use")
{
    store home(storage::engine::mysql);
    if (home.nodes().size() > 1)
        return;
    locks::store_options two;
    two.row_sessions = 2;
    locks::store in(lock_url(home.where()), two);
    in.create_tables();
    auto a = in.lock("a", baton::lock::sql_lock::row);
    auto b = in.lock("b", baton::lock::sql_lock::row);
    auto c = in.lock("c", baton::lock::sql_lock::row);
    REQUIRE(a.try_lock());
    REQUIRE(b.try_lock());
    CHECK_FALSE(c.try_lock());
    auto waits = std::async(std::launch::async, [&] { return c.try_lock_for(60s); });
    CHECK(waits.wait_for(50ms) == std::future_status::timeout);
    a.unlock();
    CHECK(waits.get());
}

TEST_CASE("releasing a row lock frees its session at once")
{
    store home(storage::engine::mysql);
    if (home.nodes().size() > 1)
        return;
    locks::store_options one;
    one.row_sessions = 1;
    locks::store in(lock_url(home.where()), one);
    in.create_tables();
    auto a = in.lock("a", baton::lock::sql_lock::row);
    auto b = in.lock("b", baton::lock::sql_lock::row);
    for (int times = 0; times < 10; ++times) {
        REQUIRE(a.try_lock());
        REQUIRE(a.unlock() == release_result::released);
        REQUIRE(b.try_lock());
        REQUIRE(b.unlock() == release_result::released);
    }
}
