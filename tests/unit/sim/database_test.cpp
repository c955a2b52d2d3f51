#include "libs/sim/sim.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <catch2/catch.hpp>
#include <soci/soci.h>

#include <optional>

namespace database_test {

using namespace baton;

namespace {

// A counter in the database, calls that add to it, and the times at which they were answered.
struct fixture {
    sim::stage stage{7};
    sim::host& host = stage.add_host("a");
    std::unique_ptr<storage::database> database;
    int done = 0;
    int failed = 0;
    instant ended{};

    explicit fixture(sim::connection settings = {.sessions = 1, .read_limit = 1s})
    {
        stage.database.inspect([](soci::session& sql) {
            sql << "CREATE TABLE entry (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, word TEXT NOT NULL)";
        });
        stage.database.faults.min_latency = stage.database.faults.max_latency = 1ms;
        database = stage.database.connect(host, settings);
    }
    ~fixture() { stage.end(); }

    awaitable<void> add(std::string word, bool in_transaction)
    {
        auto insert = [&](soci::session& sql) {
            sql << "INSERT INTO entry (at, word) VALUES (baton_now_us(), :word)", soci::use(word);
        };
        try {
            if (in_transaction)
                co_await database->transact(insert);
            else
                co_await database->run(insert);
            ++done;
        } catch (unavailable const&) {
            ++failed;
        }
        ended = stage.time.now();
    }
    void start(std::string word, bool in_transaction = false) { host.spawn(add(std::move(word), in_transaction)); }

    int entries()
    {
        int count = 0;
        stage.database.inspect([&](soci::session& sql) { sql << "SELECT COUNT(*) FROM entry", soci::into(count); });
        return count;
    }
    utc_time last_at()
    {
        long long at = 0;
        stage.database.inspect([&](soci::session& sql) { sql << "SELECT MAX(at) FROM entry", soci::into(at); });
        return from_micros(at);
    }
};

} // namespace

TEST_CASE("a call takes one latency to the server and one back, and takes effect in between")
{
    fixture f;
    auto const begin = f.stage.time.now();
    auto const utc = f.stage.time.utc();
    f.start("x");
    f.stage.time.run_for(1s);
    CHECK(f.done == 1);
    CHECK(f.ended - begin == 2ms);
    CHECK(f.last_at() - utc == 1ms);
}

TEST_CASE("a call whose reply is lost takes effect, and its caller fails at the read limit")
{
    fixture f;
    auto const begin = f.stage.time.now();
    f.stage.database.faults.lose_reply = 1;
    f.start("x");
    f.stage.time.run_for(500ms);
    CHECK(f.entries() == 1);
    CHECK(f.failed == 0);
    f.stage.time.run_for(1s);
    CHECK(f.failed == 1);
    CHECK(f.ended - begin == 1s);
    CHECK(f.entries() == 1);
}

TEST_CASE("a lost request has no effect")
{
    fixture f;
    f.stage.database.faults.lose_request = 1;
    f.start("x");
    f.stage.time.run_for(1min);
    CHECK(f.failed == 1);
    CHECK(f.entries() == 0);
}

TEST_CASE("a host that is partitioned from the database gets no answer")
{
    fixture f;
    f.stage.database.partition("a");
    f.start("x");
    f.stage.time.run_for(2s);
    CHECK(f.failed == 1);
    CHECK(f.entries() == 0);
    f.stage.database.heal("a");
    f.start("y");
    f.stage.time.run_for(2s);
    CHECK(f.done == 1);
}

TEST_CASE("a statement sees the server's time at its start, even if it stalls before it executes")
{
    fixture f;
    f.stage.database.faults.stall = 1;
    f.stage.database.faults.stall_max = 800ms;
    auto const utc = f.stage.time.utc();
    f.start("x");
    REQUIRE(f.stage.time.run_until([&] { return f.entries() == 1; }, 5s));
    CHECK(f.last_at() - utc == 1ms);
    CHECK(f.stage.time.utc() - utc > 2ms);
}

TEST_CASE("a statement whose caller has given up still executes later")
{
    fixture f;
    auto const begin = f.stage.time.now();
    f.stage.time.run_for(1ms);
    f.stage.database.freeze_for(5s);
    f.start("x");
    f.stage.time.run_for(2s);
    CHECK(f.failed == 1);
    CHECK(f.entries() == 0);
    REQUIRE(f.stage.time.run_until([&] { return f.entries() == 1; }, 1min));
    CHECK(f.stage.time.now() - begin == 5001ms);
    CHECK(f.stage.database.orphaned_statements() == 1);
    f.stage.time.run_for(1min);
    CHECK(f.entries() == 1);
}

TEST_CASE(
    "the call of a frozen process executes, and the process gets the answer when it continues, even after its limit")
{
    fixture f;
    auto const begin = f.stage.time.now();
    f.start("x");
    f.stage.time.run_for(500us);
    f.host.freeze_for(5s);
    f.stage.time.run_for(1s);
    CHECK(f.entries() == 1);
    CHECK(f.done + f.failed == 0);
    f.stage.time.run_for(10s);
    CHECK(f.done == 1);
    CHECK(f.ended - begin == 5000ms + 500us);
}

TEST_CASE("a process that was frozen past its limit gives up at once when it continues without an answer")
{
    fixture f;
    auto const begin = f.stage.time.now();
    f.stage.database.faults.lose_reply = 1;
    f.start("x");
    f.stage.time.run_for(500us);
    f.host.freeze_for(5s);
    f.stage.time.run_for(10s);
    CHECK(f.failed == 1);
    CHECK(f.ended - begin == 5000ms + 500us);
}

TEST_CASE("an orphaned statement sees the state at its execution, not the state when it was sent")
{
    fixture f;
    f.start("old");
    f.stage.time.run_for(1s);
    std::optional<int> count;
    auto rename = [&]() -> awaitable<void> {
        auto work = [](soci::session& sql) { sql << "UPDATE entry SET word = 'late' WHERE word = 'old'"; };
        try {
            co_await f.database->run(work);
        } catch (unavailable const&) {
            count = 0;
        }
    };
    f.stage.database.freeze_for(3s);
    f.host.spawn(rename());
    f.stage.time.run_for(2s);
    REQUIRE(count);
    f.stage.database.inspect([](soci::session& sql) { sql << "UPDATE entry SET word = 'new'"; });
    f.stage.time.run_for(10s);
    std::string word;
    f.stage.database.inspect([&](soci::session& sql) { sql << "SELECT word FROM entry", soci::into(word); });
    CHECK(word == "new");
    CHECK(f.stage.database.orphaned_statements() == 1);
}

TEST_CASE("a statement under way executes although its process has been killed")
{
    fixture f;
    f.start("x");
    f.stage.time.run_for(500us);
    f.host.kill();
    f.stage.time.settle();
    CHECK(f.host.running() == 0);
    CHECK(f.entries() == 0);
    f.stage.time.run_for(1s);
    CHECK(f.entries() == 1);
    CHECK(f.done + f.failed == 0);
}

TEST_CASE("a dead process sends no statements")
{
    fixture f;
    f.host.kill();
    f.start("x");
    f.stage.time.run_for(10s);
    CHECK(f.entries() == 0);
    CHECK(f.done + f.failed == 0);
}

TEST_CASE("a transaction whose caller gave up before it began is rolled back")
{
    fixture f;
    f.stage.database.freeze_for(5s);
    f.start("x", true);
    f.stage.time.run_for(1min);
    CHECK(f.failed == 1);
    CHECK(f.entries() == 0);
}

TEST_CASE("a transaction that ends in a deadlock runs twice and takes effect once")
{
    fixture f;
    f.stage.database.faults.deadlock = 1;
    int runs = 0;
    auto twice = [&]() -> awaitable<void> {
        auto work = [&](soci::session& sql) {
            ++runs;
            sql << "INSERT INTO entry (at, word) VALUES (1, 'x')";
        };
        co_await f.database->transact(work);
    };
    f.host.spawn(twice());
    f.stage.time.run_for(1s);
    CHECK(runs == 2);
    CHECK(f.entries() == 1);
}

TEST_CASE("a crashed server refuses connections, and its running statements have no effect")
{
    fixture f;
    f.stage.database.faults.stall = 1;
    f.stage.database.faults.stall_max = 900ms;
    f.start("in progress");
    f.stage.time.run_for(2ms);
    REQUIRE(f.entries() == 0);
    f.stage.database.crash_for(5s);
    f.stage.time.run_for(1s);
    CHECK(f.failed == 1);
    f.start("refused");
    f.stage.time.run_for(4ms);
    CHECK(f.failed == 2);
    f.stage.time.run_for(5s);
    CHECK(f.entries() == 0);
    f.start("after");
    f.stage.time.run_for(2s);
    CHECK(f.done == 1);
}

TEST_CASE("calls wait for a free session in order of arrival")
{
    fixture f({.sessions = 2, .read_limit = 1s});
    auto const begin = f.stage.time.now();
    for (int i = 0; i < 5; ++i)
        f.start(std::to_string(i));
    f.stage.time.run_for(1s);
    CHECK(f.done == 5);
    CHECK(f.ended - begin == 6ms);
    std::string words;
    f.stage.database.inspect([&](soci::session& sql) {
        sql << "SELECT GROUP_CONCAT(word, '') FROM (SELECT word FROM entry ORDER BY id)", soci::into(words);
    });
    CHECK(words == "01234");
}

TEST_CASE("a call cannot be cancelled: the cancellation is delivered after it returns")
{
    fixture f;
    auto const begin = f.stage.time.now();
    bool returned = false;
    bool went_on = false;
    auto call = [&]() -> awaitable<void> {
        co_await f.add("x", false);
        returned = true;
        co_await f.stage.time.sleep_for(1s);
        went_on = true;
    };
    asio::cancellation_signal stop;
    auto ended = [](std::exception_ptr) {};
    asio::co_spawn(f.stage.loop, call(), asio::bind_cancellation_slot(stop.slot(), ended));
    f.stage.time.run_for(500us);
    stop.emit(asio::cancellation_type::terminal);
    f.stage.time.run_for(1min);
    CHECK(returned);
    CHECK(f.ended - begin == 2ms);
    CHECK_FALSE(went_on);
}

TEST_CASE("the server's clock can step without affecting the simulated time")
{
    fixture f;
    auto const utc = f.stage.time.utc();
    f.stage.database.step_clock(-1h);
    f.start("x");
    f.stage.time.run_for(1s);
    CHECK(f.last_at() - utc == 1ms - 1h);
    CHECK(f.stage.time.utc() - utc == 1s);
}

} // namespace database_test
