// Named locks of the simulated server: the order in which they are granted, timeouts, and the effect of KILL.

#include "tests/unit/sim/session_fixture.hpp"

#include <catch2/catch.hpp>
#include <soci/soci.h>

namespace named_locks_test {

using namespace baton;
using baton::test::null;
using fixture = baton::test::session_fixture;

TEST_CASE("each session of a server has its own id and keeps it between calls")
{
    fixture f;
    auto const first = f.id("a");
    CHECK(f.id("a") == first);
    CHECK(f.id("b") != first);
}

TEST_CASE("a call that waits for a lock gets it when the lock is released")
{
    fixture f;
    REQUIRE(f.get("a") == 1);
    f.begin_get("b");
    f.pass(2s);
    CHECK_FALSE(f.done("b"));
    auto const released = f.stage.time.now();
    REQUIRE(f.ask("a", "SELECT baton_release_lock('x')") == 1);
    f.pass(1s);
    REQUIRE(f.got("b") == 1);
    CHECK(f.answers["b"].at - released == 2ms);
    CHECK(f.holder() == f.id("b"));
    CHECK(f.ask("b", "SELECT baton_release_lock('x')") == 1);
    CHECK(f.holder() == null);
}

TEST_CASE("a wait for a lock ends at its timeout, which may be a fraction of a second")
{
    fixture f;
    REQUIRE(f.get("a") == 1);
    auto const begin = f.stage.time.now();
    f.begin_get("b", "0.25");
    f.pass(5s);
    CHECK(f.got("b") == 0);
    CHECK(f.answers["b"].at - begin == 252ms);
    CHECK(f.holder() == f.id("a"));
}

TEST_CASE("a released lock goes to the session that has waited longest")
{
    fixture f;
    REQUIRE(f.get("a") == 1);
    f.begin_get("c");
    f.pass(10ms);
    f.begin_get("b");
    f.pass(10ms);
    f.ask("a", "SELECT baton_release_lock('x')");
    f.pass(10ms);
    CHECK(f.got("c") == 1);
    CHECK_FALSE(f.done("b"));
    f.ask("c", "SELECT baton_release_lock('x')");
    f.pass(10ms);
    CHECK(f.got("b") == 1);
}

TEST_CASE("a lock that a session acquired several times is free after as many releases")
{
    fixture f;
    CHECK(f.get("a") == 1);
    CHECK(f.get("a") == 1);
    CHECK(f.get("b") == 0);
    CHECK(f.ask("b", "SELECT baton_release_lock('x')") == 0);
    CHECK(f.ask("a", "SELECT baton_release_lock('x')") == 1);
    CHECK(f.get("b") == 0);
    CHECK(f.ask("a", "SELECT baton_release_lock('x')") == 1);
    CHECK(f.ask("a", "SELECT baton_release_lock('x')") == null);
    CHECK(f.get("b") == 1);
}

TEST_CASE("a statement sees the server's time at its start, even if it waited for a lock")
{
    fixture f;
    REQUIRE(f.get("a") == 1);
    auto const utc = f.stage.time.utc();
    f.begin("b", "SELECT baton_now_us() + 0 * baton_get_lock('x', 5)");
    f.pass(3s);
    f.ask("a", "SELECT baton_release_lock('x')");
    f.pass(1s);
    CHECK(from_micros(f.got("b")) - utc == 1ms);
}

TEST_CASE("the server serves other calls while a call waits for a lock")
{
    fixture f;
    REQUIRE(f.get("a") == 1);
    f.begin_get("b");
    f.pass(1s);
    CHECK(f.ask("c", "SELECT 5") == 5);
    CHECK_FALSE(f.done("b"));
}

TEST_CASE("a lock wait whose statement is killed returns NULL, and its session continues")
{
    fixture f;
    auto const b = f.id("b");
    REQUIRE(f.get("a") == 1);
    f.begin_get("b");
    f.pass(1s);
    CHECK(f.ask("a", "SELECT baton_kill_query(" + std::to_string(b) + ")") == 1);
    f.pass(2ms);
    CHECK(f.got("b") == null);
    CHECK(f.id("b") == b);
    CHECK(f.holder() == f.id("a"));
}

TEST_CASE("a statement that is killed while it stalls fails without effect")
{
    fixture f;
    auto const b = f.id("b");
    f.stage.database.faults.stall = 1;
    f.stage.database.faults.stall_min = f.stage.database.faults.stall_max = 1s;
    f.begin("b", "INSERT INTO entry VALUES ('x')");
    f.pass(500ms);
    f.look("SELECT baton_kill_query(" + std::to_string(b) + ")");
    f.pass(1s);
    CHECK(f.answers["b"].failure == "database: query execution was interrupted");
    CHECK(f.look("SELECT COUNT(*) FROM entry") == 0);
    f.stage.database.faults.stall = 0;
    CHECK(f.id("b") == b);
}

TEST_CASE("killing the statement of an idle session does not affect its next statement")
{
    fixture f;
    auto const b = f.id("b");
    f.look("SELECT baton_kill_query(" + std::to_string(b) + ")");
    CHECK(f.id("b") == b);
}

TEST_CASE("killing an unknown session fails")
{
    fixture f;
    CHECK(f.ask("a", "SELECT baton_kill(77)") == -2);
    CHECK(f.answers["a"].failure.find("Unknown thread id: 77") != std::string::npos);
}

TEST_CASE("the locks of a killed session go to waiters, and its client notices at its next call and gets a new session")
{
    fixture f;
    auto const a = f.id("a");
    REQUIRE(f.get("a") == 1);
    f.begin_get("b");
    f.pass(1s);
    f.look("SELECT baton_kill(" + std::to_string(a) + ")");
    f.pass(1ms);
    CHECK(f.got("b") == 1);
    CHECK(f.id("a") == -2);
    CHECK(f.answers["a"].failure == "database: lost connection during query");
    CHECK(f.id("a") > a);
    CHECK(f.holder() == f.id("b"));
}

TEST_CASE("a lock wait whose session is killed fails at once")
{
    fixture f;
    auto const b = f.id("b");
    REQUIRE(f.get("a") == 1);
    f.begin_get("b");
    f.pass(1s);
    f.look("SELECT baton_kill(" + std::to_string(b) + ")");
    f.pass(1ms);
    CHECK(f.answers["b"].failure == "database: lost connection during query");
    f.ask("a", "SELECT baton_release_lock('x')");
    CHECK(f.holder() == null);
}

TEST_CASE("a transaction on an ended session moves to a new one, and so does a call after five idle seconds")
{
    fixture f;
    auto const a = f.id("a");
    f.look("SELECT baton_kill(" + std::to_string(a) + ")");
    f.begin("a", "SELECT baton_connection_id()", true);
    f.pass(1s);
    CHECK(f.got("a") > a);
    f.look("SELECT baton_kill(" + std::to_string(f.got("a")) + ")");
    f.pass(5s);
    CHECK(f.id("a") > a + 1);
}

TEST_CASE("a server has an id that a test can change")
{
    fixture f;
    CHECK(f.ask("a", "SELECT baton_server_id() = 'simulated'") == 1);
    f.stage.database.set_server_id("another");
    CHECK(f.ask("a", "SELECT baton_server_id() = 'another'") == 1);
}

TEST_CASE("a call that waits for a lock after a write is reported as a mistake of the test")
{
    fixture f;
    REQUIRE(f.get("a") == 1);
    auto wrong = [&]() -> awaitable<void> {
        auto const work = [](soci::session& sql) {
            sql << "INSERT INTO entry VALUES ('x')";
            sql << "SELECT baton_get_lock('x', 5)";
        };
        co_await f.nodes.at("b").database->run(work);
    };
    f.nodes.at("b").host.spawn(wrong());
    CHECK_THROWS_AS(f.pass(1s), std::logic_error);
}

} // namespace named_locks_test
