#include "libs/storage/detail.hpp"
#include "locks/sql/tables.hpp"
#include "tests/support/stores.hpp"

#include <catch2/catch.hpp>
#include <soci/soci.h>

#include <baton/lock/optimistic.hpp>
#include <baton/lock/row.hpp>

using namespace baton;
using namespace baton::test;
using baton::lock::compared;
using baton::lock::lock_errc;
using baton::lock::optimistic_result;

namespace {

class shelf {
public:
    explicit shelf(storage::engine engine = GENERATE(storage::engine::mysql, storage::engine::sqlite)) : home(engine)
    {
        home.exec("CREATE TABLE stock (id INTEGER PRIMARY KEY, num INTEGER NOT NULL)");
        home.exec("INSERT INTO stock VALUES (1, 5)");
    }
    storage::session_ptr open() { return storage::open_session(home.where(), {.create_file = true}, time); }
    std::int64_t num() { return home.number("SELECT num FROM stock"); }

    store home;
    system_time time;
};

lock_errc why_of(std::function<void()> const& call)
{
    try {
        call();
    } catch (std::system_error const& failure) {
        return static_cast<lock_errc>(failure.code().value());
    }
    return {};
}

} // namespace

TEST_CASE("a change is committed, and after a lost race the attempt runs again in a new transaction")
{
    shelf fixture;
    auto const session = fixture.open();
    int tries = 0;
    std::vector<int> read;
    auto const attempt = [&](soci::session& sql) {
        int num = 0;
        sql << "SELECT num FROM stock", soci::into(num);
        read.push_back(num);
        sql << "UPDATE stock SET num = num - 1";
        return ++tries < 3 ? compared::raced : compared::changed;
    };
    CHECK(lock::update_optimistically(*session, attempt) == optimistic_result::changed);
    CHECK(read == std::vector<int>{5, 5, 5}); // the lost races were rolled back
    CHECK(fixture.num() == 4);
}

TEST_CASE("a refused attempt changes nothing and is not repeated")
{
    shelf fixture;
    auto const session = fixture.open();
    int tries = 0;
    auto const attempt = [&](soci::session& sql) {
        ++tries;
        sql << "UPDATE stock SET num = 0";
        return compared::refused;
    };
    CHECK(lock::update_optimistically(*session, attempt) == optimistic_result::refused);
    CHECK(tries == 1);
    CHECK(fixture.num() == 5);
}

TEST_CASE("the number of attempts is limited, and failed attempts leave no changes")
{
    shelf fixture;
    auto const session = fixture.open();
    int tries = 0;
    auto const attempt = [&](soci::session& sql) {
        ++tries;
        sql << "UPDATE stock SET num = 0";
        return compared::raced;
    };
    lock::optimistic_options four;
    four.tries = 4;
    CHECK(lock::update_optimistically(*session, attempt, four) == optimistic_result::gave_up);
    CHECK(tries == 4);
    CHECK(fixture.num() == 5);
}

TEST_CASE(
    "an exception of an attempt reaches the caller after a rollback, and an invalid statement becomes a lock error")
{
    shelf fixture;
    auto const session = fixture.open();
    auto const throws = [](soci::session& sql) -> compared {
        sql << "UPDATE stock SET num = 0";
        throw std::out_of_range("mine");
    };
    CHECK_THROWS_AS(lock::update_optimistically(*session, throws), std::out_of_range);
    CHECK(fixture.num() == 5);
    auto const wrong = [](soci::session& sql) {
        sql << "UPDATE nothing SET num = 0";
        return compared::changed;
    };
    CHECK(why_of([&] { lock::update_optimistically(*session, wrong); }) == lock_errc::unavailable);
}

TEST_CASE("a lock timeout of the database counts as a lost race")
{
    shelf fixture(storage::engine::mysql);
    auto const session = fixture.open();
    auto const other = fixture.open();
    *session << "SET SESSION innodb_lock_wait_timeout = 1";
    *other << "START TRANSACTION";
    *other << "UPDATE stock SET num = 9";
    int tries = 0;
    auto const attempt = [&](soci::session& sql) {
        if (++tries == 2)
            *other << "COMMIT";
        sql << "UPDATE stock SET num = num + 1";
        return compared::changed;
    };
    CHECK(lock::update_optimistically(*session, attempt) == optimistic_result::changed);
    CHECK(tries == 2);
    CHECK(fixture.num() == 10);
}

TEST_CASE("lock timeouts of the database count as attempts")
{
    shelf fixture(storage::engine::mysql);
    auto const session = fixture.open();
    auto const other = fixture.open();
    *session << "SET SESSION innodb_lock_wait_timeout = 1";
    *other << "START TRANSACTION";
    *other << "UPDATE stock SET num = 9";
    int tries = 0;
    auto const attempt = [&](soci::session& sql) {
        ++tries;
        sql << "UPDATE stock SET num = num + 1";
        return compared::changed;
    };
    lock::optimistic_options two;
    two.tries = 2;
    CHECK(lock::update_optimistically(*session, attempt, two) == optimistic_result::gave_up);
    CHECK(tries == 2);
    *other << "ROLLBACK";
}

TEST_CASE("a row lock belongs to the caller's transaction and ends with it")
{
    shelf fixture(storage::engine::mysql);
    fixture.home.migrated(lock::lock_tables());
    auto const one = fixture.open();
    auto const other = fixture.open();
    CHECK_THROWS_WITH(lock::lock_row(*one, "stock", 0s), Catch::Contains("make_row"));
    lock::make_row(*one, "stock");
    lock::make_row(*other, "stock");

    *one << "START TRANSACTION";
    CHECK(lock::lock_row(*one, "stock", 0s));
    *other << "START TRANSACTION";
    CHECK_FALSE(lock::lock_row(*other, "stock", 0s));
    CHECK_FALSE(lock::lock_row(*other, "stock", 1s));
    *one << "UPDATE stock SET num = 4";
    *one << "COMMIT";
    CHECK(lock::lock_row(*other, "stock", 0s)); // its transaction has gone on
    int limit = 0;
    *other << "SELECT @@SESSION.innodb_lock_wait_timeout", soci::into(limit);
    CHECK(limit == 5); // as it was
    *other << "ROLLBACK";
}

TEST_CASE("a row lock without a row, a table or a server is refused with an explanation")
{
    shelf fixture;
    auto const session = fixture.open();
    if (fixture.home.where().engine == storage::engine::sqlite) {
        CHECK_THROWS_AS(lock::make_row(*session, "stock"), std::invalid_argument);
        CHECK_THROWS_AS(lock::lock_row(*session, "stock", 0s), std::invalid_argument);
    } else {
        CHECK(why_of([&] { lock::make_row(*session, "stock"); }) == lock_errc::unavailable);
        CHECK(why_of([&] { lock::lock_row(*session, "stock", 0s); }) == lock_errc::unavailable);
    }
}
