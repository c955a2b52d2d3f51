// Calls that are hindered by other sessions, by their caller or by the server.

#include "tests/support/private_mysql.hpp"
#include "tests/unit/storage/plain_table.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <catch2/catch.hpp>

#include <future>
#include <thread>

namespace database_faults_test {

using namespace baton;
using namespace baton::test;
using storage::engine;
using storage::row;
using storage::statement;

TEST_CASE("two transactions in a deadlock both succeed, one of them after another try")
{
    store home(engine::mysql);
    make_table(home);
    home.exec("INSERT INTO t VALUES (1, ''), (2, '')");
    auto const database = home.open({.sessions = 2});

    std::promise<void> first_holds;
    std::promise<void> second_holds;
    std::atomic<int> calls{0};
    auto const cross = [&](std::int64_t mine, std::int64_t other, std::promise<void>& here, std::promise<void>& there) {
        return [&, mine, other](soci::session& sql) {
            bool const first_try = ++calls <= 2;
            statement(sql, "UPDATE t SET v = CONCAT(v, 'x') WHERE id = ", mine).execute();
            if (first_try) {
                here.set_value();
                there.get_future().wait();
            }
            statement(sql, "UPDATE t SET v = CONCAT(v, 'x') WHERE id = ", other).execute();
        };
    };
    auto const one = cross(1, 2, first_holds, second_holds);
    auto const two = cross(2, 1, second_holds, first_holds);
    asio::io_context loop;
    int done = 0;
    auto const ended = [&](std::exception_ptr failure) { done += failure ? 0 : 1; };
    asio::co_spawn(loop, database->transact(one), ended);
    asio::co_spawn(loop, database->transact(two), ended);
    loop.run();
    CHECK(done == 2);
    CHECK(calls == 3);
    CHECK(home.text("SELECT GROUP_CONCAT(v ORDER BY id) FROM t") == "xx,xx");
}

TEST_CASE("a transaction is retried, gets a new session, or fails, depending on the server's error")
{
    struct meaning {
        int number;
        int calls;
        bool same_session;
    };
    meaning const table[] = {
        {1213, 5, true},  // deadlock, and a lost certification on Galera
        {1205, 5, true},  // lock time-out
        {1020, 5, true},  // record has changed
        {1047, 1, false}, // a Galera node without a majority
        {1290, 1, false}, // read-only server
        {1836, 1, false}, // read-only mode
        {1053, 1, false}, // shutdown
        {1317, 1, true},  // interrupted by KILL QUERY
        {1021, 1, true},  // disk full
        {1030, 1, true},  // error 28 from the storage engine: no space left
        {1114, 1, true},  // the table is full
        {1064, 1, true},  // nonsense
    };
    store home(engine::mysql);
    make_table(home);
    auto const database = home.open({.sessions = 1});
    auto const who = [](soci::session& sql) {
        std::int64_t id = 0;
        statement(sql).select("CONNECTION_ID()").each([&](row& cells) { id = cells.number(); });
        return id;
    };
    for (auto const& row : table) {
        INFO("error " << row.number);
        auto const before = wait_for(database->run(who));
        int calls = 0;
        auto const work = [&](soci::session& sql) {
            ++calls;
            insert(sql, row.number, "x");
            statement(sql, "SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = ", row.number).execute();
        };
        CHECK_THROWS_AS(wait_for(database->transact(work)), unavailable);
        CHECK(calls == row.calls);
        CHECK((wait_for(database->run(who)) == before) == row.same_session);
    }
    CHECK(home.number("SELECT COUNT(*) FROM t") == 0);
}

TEST_CASE("a SQLite file that cannot grow refuses larger writes, keeps nothing of them, and accepts writes again once "
          "it can grow")
{
    store home(engine::sqlite);
    make_table(home);
    home.exec("INSERT INTO t VALUES (1, 'first')");
    auto const database = home.open({.sessions = 1});
    auto const give_room = [&](storage::fragment limit) {
        auto const set = [&](soci::session& sql) { statement(sql, limit).execute(); };
        wait_for(database->run(set));
    };
    int calls = 0;
    auto const work = [&](soci::session& sql) {
        ++calls;
        statement(sql, "UPDATE t SET v = 'second' WHERE id = 1").execute();
        insert(sql, 2, std::string(100'000, 'x'));
    };
    give_room({"PRAGMA max_page_count = 1"}); // it is as large as it is: SQLITE_FULL for every further page
    CHECK_THROWS_AS(wait_for(database->transact(work)), unavailable);
    CHECK(calls == 1);
    CHECK(home.text("SELECT v FROM t") == "first");
    auto const small = [](soci::session& sql) { statement(sql, "UPDATE t SET v = 'third' WHERE id = 1").execute(); };
    wait_for(database->transact(small)); // smaller writes succeed meanwhile
    give_room({"PRAGMA max_page_count = 1000000"});
    wait_for(database->transact(work));
    CHECK(home.number("SELECT COUNT(*) FROM t") == 2);
}

TEST_CASE("a transaction that waits too long for a lock is unavailable and changes nothing")
{
    auto const kind = GENERATE(engine::mysql, engine::sqlite);
    INFO(to_string(kind));
    store home(kind);
    make_table(home);
    home.exec("INSERT INTO t VALUES (1, '')");
    auto const holder = home.open({.sessions = 1});
    auto const waiter = home.open({.sessions = 1, .lock_wait_s = 1});

    std::promise<void> held;
    std::promise<void> over;
    auto const hold = [&](soci::session& sql) {
        statement(sql, "UPDATE t SET v = 'held' WHERE id = 1").execute();
        held.set_value();
        over.get_future().wait();
    };
    std::thread other([&] { wait_for(holder->transact(hold)); });
    held.get_future().wait();
    auto const take = [](soci::session& sql) {
        insert(sql, 2, "x");
        statement(sql, "UPDATE t SET v = 'taken' WHERE id = 1").execute();
    };
    CHECK_THROWS_AS(wait_for(waiter->transact(take)), unavailable);
    over.set_value();
    other.join();
    CHECK(home.text("SELECT v FROM t WHERE id = 1") == "held");
    CHECK(home.number("SELECT COUNT(*) FROM t") == 1);
}

TEST_CASE("another program that locks the SQLite file for a second only delays a call")
{
    store home(engine::sqlite);
    make_table(home);
    auto const database = home.open({.sessions = 1});
    auto const foreign = home.open({.sessions = 1});

    std::promise<void> held;
    std::promise<void> over;
    auto const hold = [&](soci::session& sql) {
        insert(sql, 1, "foreign");
        held.set_value();
        over.get_future().wait_for(std::chrono::seconds{1});
    };
    std::thread other([&] { wait_for(foreign->transact(hold)); });
    held.get_future().wait();
    auto const work = [](soci::session& sql) { insert(sql, 2, "ours"); };
    CHECK_NOTHROW(wait_for(database->transact(work)));
    other.join();
    CHECK(home.number("SELECT COUNT(*) FROM t") == 2);
}

TEST_CASE("cancelling the caller neither interrupts a database call nor undoes it")
{
    store home(engine::sqlite);
    make_table(home);
    auto const database = home.open({.sessions = 1});

    asio::io_context loop;
    asio::cancellation_signal cancel;
    std::promise<void> inside;
    std::promise<void> go_on;
    bool returned = false;
    bool went_past = false;
    auto const work = [&](soci::session& sql) {
        inside.set_value();
        go_on.get_future().wait();
        insert(sql, 1, "x");
    };
    auto const caller = [&]() -> awaitable<void> {
        co_await database->transact(work);
        returned = true;
        co_await database->run(work); // is refused: the cancellation is delivered here
        went_past = true;
    };
    auto const failed = std::make_shared<std::exception_ptr>();
    asio::co_spawn(loop, caller(),
                   asio::bind_cancellation_slot(cancel.slot(), [failed](std::exception_ptr how) { *failed = how; }));
    std::thread other([&] {
        inside.get_future().wait();
        asio::post(loop, [&] {
            cancel.emit(asio::cancellation_type::terminal);
            CHECK_FALSE(returned);
            go_on.set_value();
        });
    });
    loop.run();
    other.join();
    CHECK(returned);
    CHECK_FALSE(went_past);
    CHECK_THROWS_AS(std::rethrow_exception(*failed), boost::system::system_error);
    CHECK(home.number("SELECT COUNT(*) FROM t") == 1);
}

TEST_CASE("calls beyond the queue limit are refused at once")
{
    store home(engine::sqlite);
    make_table(home);
    auto const database = home.open({.sessions = 1, .queue_limit = 2});
    asio::io_context loop;
    std::promise<void> inside;
    std::promise<void> go_on;
    auto const block = [&](soci::session&) {
        inside.set_value();
        go_on.get_future().wait();
    };
    auto const nothing = [](soci::session&) {};
    int ok = 0;
    int refused = 0;
    auto const count = [&](std::exception_ptr failure) {
        if (!failure)
            ++ok;
        else if (++refused == 3)
            go_on.set_value();
    };
    asio::co_spawn(loop, database->run(block), count);
    loop.poll();
    inside.get_future().wait();
    for (int i = 0; i < 5; ++i)
        asio::co_spawn(loop, database->run(nothing), count);
    loop.restart();
    loop.run();
    CHECK(ok == 3);
    CHECK(refused == 3);
}

TEST_CASE("calls fail while the server is dead and succeed again once it is back")
{
    private_mysql server;
    system_time time;
    auto const where = storage::parse_location(server.url() + "/mysql");
    auto const database = storage::open_database(where, {.sessions = 1, .connect_limit_s = 1, .read_limit_s = 1}, time);
    auto const work = [](soci::session& sql) { return storage::read_now(sql); };
    CHECK(wait_for(database->run(work)) > 0);
    server.kill();
    CHECK_THROWS_AS(wait_for(database->run(work)), unavailable);
    CHECK_THROWS_AS(wait_for(database->transact(work)), unavailable);
    server.start();
    CHECK(wait_for(database->run(work)) > 0);
}

TEST_CASE("a transaction on a session that the server closed while idle runs on a new session")
{
    store home(engine::mysql);
    auto const database = home.open({.sessions = 1});
    auto const who = [](soci::session& sql) {
        std::int64_t id = 0;
        statement(sql).select("CONNECTION_ID()").each([&](row& cells) { id = cells.number(); });
        return id;
    };
    auto const before = wait_for(database->transact(who));
    home.exec("KILL " + std::to_string(before));
    auto const after = wait_for(database->transact(who));
    CHECK(after != before);
}

TEST_CASE("a session that must not be replaced stays ended once it is lost")
{
    store home(engine::mysql);
    auto const database = home.open({.sessions = 1, .reconnect = false});
    auto const who = [](soci::session& sql) { return storage::dialect_of(sql).session_number(sql); };
    auto const ask = [](soci::session& sql) { return storage::read_now(sql); };
    auto const session = wait_for(database->run(who));
    home.exec("KILL " + std::to_string(session));
    CHECK_THROWS_AS(wait_for(database->run(ask)), unavailable);
    CHECK_THROWS_AS(wait_for(database->run(ask)), storage::session_ended);
    CHECK_THROWS_AS(wait_for(database->transact(ask)), storage::session_ended);
}

TEST_CASE("a call to a server that hangs fails within the time limit")
{
    private_mysql server;
    system_time time;
    auto const where = storage::parse_location(server.url() + "/mysql");
    auto const database = storage::open_database(where, {.sessions = 1, .connect_limit_s = 1, .read_limit_s = 1}, time);
    auto const work = [](soci::session& sql) { return storage::read_now(sql); };
    wait_for(database->run(work));
    server.suspend();
    auto const before = time.now();
    CHECK_THROWS_AS(wait_for(database->run(work)), unavailable);
    CHECK(time.now() - before < 3s);
    server.resume();
    CHECK(wait_for(database->run(work)) > 0);
}

} // namespace database_faults_test
