#include "libs/base/private_file.hpp"
#include "libs/base/run_here.hpp"
#include "tests/support/private_mysql.hpp"
#include "tests/support/script.hpp"
#include "tests/unit/storage/plain_table.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <fstream>
#include <thread>

namespace database_test {

using namespace baton;
using namespace baton::test;
using storage::engine;
using storage::row;
using storage::statement;

TEST_CASE("a transaction is committed when its work returns and rolled back when it throws")
{
    auto const kind = GENERATE(engine::mysql, engine::sqlite);
    INFO(to_string(kind));
    store home(kind);
    make_table(home);
    auto const database = home.open();

    auto const kept = [](soci::session& sql) {
        insert(sql, 1, "kept");
        return 42;
    };
    CHECK(wait_for(database->transact(kept)) == 42);
    auto const undone = [](soci::session& sql) {
        insert(sql, 2, "undone");
        throw invalid_input("x", "no");
    };
    CHECK_THROWS_AS(wait_for(database->transact(undone)), invalid_input);
    CHECK(home.number("SELECT COUNT(*) FROM t") == 1);
}

TEST_CASE("a caller in run_here() has the work done on its own thread, on one of the database's sessions")
{
    auto const kind = GENERATE(engine::mysql, engine::sqlite);
    INFO(to_string(kind));
    store home(kind);
    make_table(home);
    auto const database = home.open({.sessions = 1});
    auto const where = [](soci::session& sql) {
        insert(sql, storage::dialect_of(sql).session_number(sql), "");
        return std::this_thread::get_id();
    };
    CHECK(wait_for(database->run(where)) != std::this_thread::get_id());
    CHECK_THROWS_AS(run_here(database->run(where)), storage::already_exists); // so it is the same session
    auto const empty = [](soci::session& sql) {
        statement(sql, "DELETE FROM t").execute();
        return std::this_thread::get_id();
    };
    CHECK(run_here(database->transact(empty)) == std::this_thread::get_id());
    CHECK(home.number("SELECT COUNT(*) FROM t") == 0);
}

TEST_CASE("calls from many threads and from a loop share the sessions, and every call completes")
{
    auto const kind = GENERATE(engine::mysql, engine::sqlite);
    INFO(to_string(kind));
    store home(kind);
    make_table(home);
    home.exec("INSERT INTO t VALUES (1, '')");
    auto const database = home.open({.sessions = 2});
    auto const add = [](soci::session& sql) { statement(sql, "UPDATE t SET id = id + 1").execute(); };
    constexpr int each = 20;
    std::vector<std::thread> callers;
    for (int i = 0; i < 4; ++i)
        callers.emplace_back([&] {
            for (int n = 0; n < each; ++n)
                run_here(database->transact(add));
        });
    asio::io_context loop;
    int done = 0;
    for (int n = 0; n < each; ++n)
        asio::co_spawn(loop, database->transact(add), [&](std::exception_ptr failure) { done += failure ? 0 : 1; });
    loop.run();
    for (auto& one : callers)
        one.join();
    CHECK(done == each);
    CHECK(home.number("SELECT id FROM t") == 1 + 5 * each);
}

TEST_CASE("texts are read back exactly as they were written, whatever characters they hold")
{
    auto const kind = GENERATE(engine::mysql, engine::sqlite);
    INFO(to_string(kind));
    store home(kind);
    make_table(home);
    auto const database = home.open();

    std::vector<std::string> const values{"",
                                          "plain",
                                          "it's",
                                          "\"",
                                          "\\",
                                          "\\'",
                                          "'; DROP TABLE t; --",
                                          ":v :name ? ?1 @x $y",
                                          "a:b",
                                          "%_",
                                          "`",
                                          "\n\r\t\x1a",
                                          "\xe2\x82\xac \xf0\x9f\x8e\xbc",
                                          std::string("nul\0inside", 10),
                                          "/* x */ -- y",
                                          "NULL"};
    auto const write = [&](soci::session& sql) {
        for (std::size_t i = 0; i < values.size(); ++i)
            insert(sql, static_cast<std::int64_t>(i), values[i]);
    };
    wait_for(database->transact(write));

    std::vector<std::string> found;
    std::vector<std::int64_t> by_value;
    auto const read = [&](soci::session& sql) {
        statement(sql).select("v")(" FROM t ORDER BY id").each([&](row& cells) { found.push_back(cells.text()); });
        for (auto const& value : values)
            statement(sql).select("COUNT(*)")(" FROM t WHERE v = ", value).each([&](row& cells) {
                by_value.push_back(cells.number());
            });
    };
    wait_for(database->run(read));
    CHECK(found == values);
    CHECK(by_value == std::vector<std::int64_t>(values.size(), 1));
}

TEST_CASE("numbers and NULL are read back exactly as they were written")
{
    auto const kind = GENERATE(engine::mysql, engine::sqlite);
    INFO(to_string(kind));
    store home(kind);
    make_table(home);
    auto const database = home.open();
    std::optional<std::string> const nothing;
    auto const least = std::numeric_limits<std::int64_t>::min() + 1;
    auto const most = std::numeric_limits<std::int64_t>::max();
    auto const work = [&](soci::session& sql) {
        statement(sql, "INSERT INTO t (id, v) VALUES (", least, ", ", nothing, "), (", most, ", ", nothing, ")")
            .execute();
        std::vector<std::int64_t> ids;
        statement(sql).select("id", "v")(" FROM t ORDER BY id").each([&](row& cells) {
            ids.push_back(cells.number());
            CHECK_FALSE(cells.maybe_text());
        });
        return ids;
    };
    CHECK(wait_for(database->transact(work)) == std::vector<std::int64_t>{least, most});
}

TEST_CASE("a statement counts the rows that it matched, not the rows that it changed")
{
    auto const kind = GENERATE(engine::mysql, engine::sqlite);
    INFO(to_string(kind));
    store home(kind);
    make_table(home);
    auto const database = home.open();
    auto const work = [](soci::session& sql) {
        insert(sql, 1, "same");
        return statement(sql, "UPDATE t SET v = ", std::string("same"), " WHERE id = 1").execute();
    };
    CHECK(wait_for(database->transact(work)) == 1);
}

TEST_CASE("the database's now is the time of day in microseconds")
{
    auto const kind = GENERATE(engine::mysql, engine::sqlite);
    INFO(to_string(kind));
    store home(kind);
    home.exec("CREATE TABLE t (id INTEGER)");
    auto const database = home.open();
    auto const work = [](soci::session& sql) { return storage::read_now(sql); };
    auto const before = to_micros(system_time().utc());
    auto const now = wait_for(database->run(work));
    auto const after = to_micros(system_time().utc());
    CHECK(before <= now);
    CHECK(now <= after);
}

TEST_CASE("a taken key is reported as already_exists, and the session stays usable")
{
    auto const kind = GENERATE(engine::mysql, engine::sqlite);
    INFO(to_string(kind));
    store home(kind);
    make_table(home);
    auto const database = home.open({.sessions = 1});
    auto const work = [](soci::session& sql) { insert(sql, 7, "x"); };
    wait_for(database->run(work));
    CHECK_THROWS_AS(wait_for(database->run(work)), storage::already_exists);
    CHECK_THROWS_AS(wait_for(database->transact(work)), storage::already_exists);
    CHECK_THROWS_AS(wait_for(database->run(work)), storage::rejected_data);
    CHECK(home.number("SELECT COUNT(*) FROM t") == 1);
}

TEST_CASE("a value that a column cannot hold is bad input, not an outage")
{
    store home(engine::mysql);
    home.exec("CREATE TABLE t (id BIGINT PRIMARY KEY, v VARCHAR(3))");
    auto const database = home.open();
    auto const value = GENERATE(std::string("long"), std::string("\xff\xfe"));
    auto const work = [&](soci::session& sql) { insert(sql, 1, value); };
    CHECK_THROWS_AS(wait_for(database->run(work)), invalid_input);
    CHECK_THROWS_AS(wait_for(database->run(work)), storage::rejected_data);
}

TEST_CASE("invalid SQL is unavailable with the database's message, and the next call works")
{
    auto const kind = GENERATE(engine::mysql, engine::sqlite);
    INFO(to_string(kind));
    store home(kind);
    make_table(home);
    auto const database = home.open({.sessions = 1});
    auto const nonsense = [](soci::session& sql) { statement(sql, "UPDATE absent SET x = 1").execute(); };
    CHECK_THROWS_WITH(wait_for(database->transact(nonsense)), Catch::Contains("absent"));
    auto const work = [](soci::session& sql) { insert(sql, 1, "x"); };
    CHECK_NOTHROW(wait_for(database->transact(work)));
}

TEST_CASE("a missing SQLite file is created only if the settings ask for it")
{
    system_time time;
    storage::location where;
    where.name = "/tmp/baton-absent-" + std::to_string(Catch::rngSeed()) + "/x.db";
    auto const database = storage::open_database(where, {}, time);
    auto const work = [](soci::session& sql) { return storage::read_now(sql); };
    CHECK_THROWS_WITH(wait_for(database->run(work)), Catch::Contains("there is no such file"));
}

TEST_CASE("a writer of a SQLite file gets its turn while another session writes without a pause")
{
    store home(engine::sqlite);
    make_table(home);
    auto const greedy = home.open({.sessions = 1});
    auto const patient = home.open({.sessions = 1, .lock_wait_s = 5});
    std::atomic<bool> over = false;
    std::atomic<int> holds = 0;
    std::thread writes([&] {
        auto const hold = [&](soci::session& sql) {
            ++holds;
            statement(sql, "DELETE FROM t WHERE id = 0").execute();
            std::this_thread::sleep_for(4ms);
        };
        while (!over) {
            run_here(greedy->transact(hold));
            std::this_thread::sleep_for(200us); // as long as it is free
        }
    });
    int written = 0;
    for (int i = 1; i <= 20; ++i) {
        for (int const before = holds; holds == before;)
            std::this_thread::yield();
        auto const write = [&](soci::session& sql) { insert(sql, i, ""); };
        try {
            run_here(patient->run(write));
            ++written;
        } catch (unavailable const&) {
            // it was locked each time it looked
        }
    }
    over = true;
    writes.join();
    CHECK(written == 20);
}

TEST_CASE("a password file is read for each new session, so that correcting it helps without a new start")
{
    mysql_server();
    system_time time;
    auto where = storage::parse_location(mysql_server() + "/mysql");
    auto const home = storage::open_database(where, {}, time);
    auto const make_user = [](soci::session& sql) {
        statement(sql, "CREATE USER IF NOT EXISTS baton_password IDENTIFIED BY 'corrected'").execute();
    };
    wait_for(home->run(make_user));
    where.user = "baton_password";
    where.name = "information_schema"; // every user may use it
    where.password_file = make_folder("password") + "/password";
    auto const write = [&](std::string const& text) { std::ofstream(where.password_file) << text; };
    auto const database = storage::open_database(where, {.sessions = 1}, time);
    auto const work = [](soci::session& sql) { return storage::read_now(sql); };
    make_private_file(where.password_file);
    CHECK_THROWS_WITH(wait_for(database->run(work)), Catch::Contains("password file: ") && Catch::Contains("is empty"));
    write("mistyped\n");
    CHECK_THROWS_WITH(wait_for(database->run(work)), Catch::Contains("Access denied") && !Catch::Contains("mistyped"));
    write("corrected\n");
    CHECK_NOTHROW(wait_for(database->run(work)));
}

TEST_CASE("no error message holds the password")
{
    mysql_server();
    system_time time;
    auto where = storage::parse_location(mysql_server() + "/mysql");
    where.user = "nobody";
    where.password = "hunter2";
    auto const database = storage::open_database(where, {}, time);
    auto const work = [](soci::session& sql) { return storage::read_now(sql); };
    try {
        wait_for(database->run(work));
        FAIL("connected");
    } catch (unavailable const& failure) {
        CHECK_THAT(failure.what(), Catch::Contains("nobody"));
        CHECK_THAT(failure.what(), !Catch::Contains("hunter2"));
    }
}

} // namespace database_test
