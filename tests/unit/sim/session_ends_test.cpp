// The ends of sessions on the simulated server and the release of their locks: by the death of the client, the idle
// limit, a caller that gives up, or a crash of the server.

#include "tests/unit/sim/session_fixture.hpp"

#include <catch2/catch.hpp>

namespace session_ends_test {

using namespace baton;
using baton::test::null;
using fixture = baton::test::session_fixture;

TEST_CASE("the locks of a dead process are free after one latency")
{
    fixture f;
    REQUIRE(f.get("a") == 1);
    f.nodes.at("a").host.kill();
    CHECK(f.freed_within(1min) == 1ms);
    CHECK(f.stage.database.sessions() == 0);
}

TEST_CASE("a waiter gets the lock one latency after the death of its holder")
{
    fixture f;
    REQUIRE(f.get("a") == 1);
    f.begin_get("b");
    f.pass(1s);
    auto const killed = f.stage.time.now();
    f.nodes.at("a").host.kill();
    f.pass(1s);
    CHECK(f.got("b") == 1);
    CHECK(f.answers["b"].at - killed == 2ms);
}

TEST_CASE("a dead waiter leaves the queue within a second and is not granted the lock after that")
{
    fixture f;
    REQUIRE(f.get("a") == 1);
    f.begin_get("b", "60");
    f.pass(100ms);
    f.nodes.at("b").host.kill();
    f.pass(1002ms);
    CHECK(f.stage.database.sessions() == 1);
    f.ask("a", "SELECT baton_release_lock('x')");
    CHECK(f.holder() == null);
}

TEST_CASE("a dead waiter may be granted the lock before it leaves the queue, and holds it for up to a second")
{
    auto const lingers = GENERATE(false, true);
    fixture f;
    f.stage.database.faults.ghost = lingers ? 1 : 0;
    f.stage.database.faults.notice_max = 1h;
    REQUIRE(f.get("a") == 1);
    f.begin_get("b", "60");
    f.pass(100ms);
    f.begin_get("c", "60");
    f.pass(100ms);
    f.nodes.at("b").host.kill();
    f.pass(10ms);
    auto const begin = f.stage.time.now();
    f.nodes.at("a").host.kill();
    f.pass(1ms);
    CHECK(f.holder() != null);
    CHECK_FALSE(f.done("c"));
    f.pass(2s);
    REQUIRE(f.got("c") == 1);
    auto const span = f.answers["c"].at - begin;
    if (lingers)
        CHECK((span > 3ms && span <= 1003ms));
    else
        CHECK(span == 3ms);
}

TEST_CASE("a waiter that dies at the instant of its grant does not keep the lock")
{
    fixture f;
    auto const a = f.id("a");
    REQUIRE(f.get("a") == 1);
    f.begin_get("b");
    f.pass(1s);
    bool const dies_first = GENERATE(false, true);
    if (dies_first)
        f.nodes.at("b").host.kill();
    f.look("SELECT baton_kill(" + std::to_string(a) + ")");
    f.nodes.at("b").host.kill();
    CHECK(f.holder() != null);
    CHECK(f.freed_within(1min) == 1ms);
}

TEST_CASE("a session that is idle for its idle limit ends and releases its locks")
{
    fixture f;
    f.start("a", {.sessions = 1, .read_limit = 10s, .idle_limit = 2s});
    auto const a = f.id("a");
    REQUIRE(f.get("a") == 1);
    for (int i = 0; i < 10; ++i) {
        f.pass(1s);
        REQUIRE(f.holder() == a);
        f.ask("a", "SELECT 1");
    }
    CHECK(f.freed_within(1min) == 2s - 1ms);
    CHECK(f.ask("a", "SELECT 1") == -2);
    CHECK(f.id("a") > a);
}

TEST_CASE("a session is not idle while it waits for a lock or while its statement stalls")
{
    fixture f;
    f.start("b", {.sessions = 1, .read_limit = 10s, .idle_limit = 1s});
    REQUIRE(f.get("a") == 1);
    f.begin_get("b", "6");
    f.pass(8s);
    CHECK(f.got("b") == 0);
    f.start("b", {.sessions = 1, .read_limit = 10s, .idle_limit = 1s});
    f.stage.database.faults.stall = 1;
    f.stage.database.faults.stall_min = f.stage.database.faults.stall_max = 4s;
    CHECK(f.ask("b", "SELECT 1") == 1);
}

TEST_CASE("the session of a host that dies during a partition keeps its lock until the idle limit")
{
    fixture f;
    f.start("a", {.sessions = 1, .read_limit = 10s, .idle_limit = 2s});
    REQUIRE(f.get("a") == 1);
    f.stage.database.partition("a");
    f.nodes.at("a").host.kill();
    CHECK(f.freed_within(1min) == 2s - 1ms);
}

TEST_CASE("without an idle limit, the session of a host that died during a partition keeps its lock until it heals")
{
    fixture f;
    REQUIRE(f.get("a") == 1);
    f.stage.database.partition("a");
    f.nodes.at("a").host.kill();
    f.pass(1h);
    CHECK(f.holder() != null);
    f.stage.database.heal("a");
    CHECK(f.freed_within(1min) == 1ms);
}

TEST_CASE("a session survives a partition that heals before its idle limit")
{
    fixture f;
    f.start("a", {.sessions = 1, .read_limit = 10s, .idle_limit = 2s});
    auto const a = f.id("a");
    REQUIRE(f.get("a") == 1);
    f.stage.database.partition("a");
    f.pass(1s);
    f.stage.database.heal("a");
    CHECK(f.id("a") == a);
    CHECK(f.holder() == a);
}

TEST_CASE("a waiter behind a partition may be granted the lock, and then holds it until the idle limit")
{
    fixture f;
    f.start("b", {.sessions = 1, .read_limit = 10s, .idle_limit = 2s});
    auto const b = f.id("b");
    REQUIRE(f.get("a") == 1);
    f.begin_get("b", "60");
    f.pass(1s);
    f.stage.database.partition("b");
    auto const dies = GENERATE(false, true);
    if (dies)
        f.nodes.at("b").host.kill();
    f.pass(5s);
    f.ask("a", "SELECT baton_release_lock('x')");
    CHECK(f.holder() == b);
    CHECK(f.freed_within(1min) == 2s - 1ms);
    f.pass(1min);
    CHECK(f.got("b") == -2);
}

TEST_CASE("a caller that gives up closes its session, and its next call gets a new session id")
{
    fixture f;
    f.start("a", {.sessions = 1, .read_limit = 1s});
    auto const a = f.id("a");
    REQUIRE(f.get("a") == 1);
    f.stage.database.faults.lose_reply = 1;
    CHECK(f.ask("a", "SELECT 1") == -2);
    f.stage.database.faults.lose_reply = 0;
    CHECK(f.holder() == a);
    CHECK(f.freed_within(1min) == 1ms);
    CHECK(f.id("a") != a);
}

TEST_CASE("the wait of a caller that gives up while it waits for a lock ends within a second")
{
    fixture f;
    f.start("b", {.sessions = 1, .read_limit = 1s});
    REQUIRE(f.get("a") == 1);
    f.begin_get("b", "60");
    f.pass(1s);
    CHECK(f.done("b"));
    CHECK(f.stage.database.sessions() == 2);
    f.pass(1001ms);
    CHECK(f.stage.database.sessions() == 1);
}

TEST_CASE("a request for a lock that arrives after its caller has gone leaves no lock held")
{
    fixture f;
    bool const held = GENERATE(false, true);
    if (held)
        REQUIRE(f.get("c") == 1);
    f.begin_get("a", "60");
    f.pass(500us);
    f.nodes.at("a").host.kill();
    f.pass(2s);
    CHECK(f.stage.database.sessions() == (held ? 1u : 0u));
    if (held)
        f.ask("c", "SELECT baton_release_lock('x')");
    CHECK(f.holder() == null);
}

TEST_CASE("an orphaned statement runs in its session, which ends only after it")
{
    fixture f;
    f.start("a", {.sessions = 1, .read_limit = 1s});
    auto const a = f.id("a");
    REQUIRE(f.get("a") == 1);
    f.stage.database.faults.stall = 1;
    f.stage.database.faults.stall_min = f.stage.database.faults.stall_max = 3s;
    f.ask("a", "INSERT INTO entry SELECT baton_connection_id() WHERE baton_lock_holder('x') = baton_connection_id()");
    f.pass(500ms);
    CHECK(f.holder() == a);
    f.pass(1501ms);
    CHECK(f.holder() == null);
    CHECK(f.look("SELECT COUNT(*) FROM entry WHERE word = " + std::to_string(a)) == 1);
    CHECK(f.stage.database.orphaned_statements() == 1);
}

TEST_CASE("an orphaned statement can release a lock, and can kill a session")
{
    fixture f;
    auto const a = f.id("a");
    f.start("b", {.sessions = 1, .read_limit = 1s});
    f.id("b");
    f.stage.database.faults.stall = 1;
    f.stage.database.faults.stall_min = f.stage.database.faults.stall_max = 3s;
    f.ask("b", "SELECT baton_kill(" + std::to_string(a) + ")");
    CHECK(f.stage.database.sessions() == 2);
    f.pass(3s);
    CHECK(f.stage.database.sessions() == 0);
}

TEST_CASE("a frozen server grants no lock, and does not end a session whose request has arrived")
{
    fixture f;
    f.start("a", {.sessions = 1, .read_limit = 10s, .idle_limit = 1s});
    auto const a = f.id("a");
    REQUIRE(f.get("a") == 1);
    f.begin_get("b", "10");
    f.pass(10ms);
    f.stage.database.freeze_for(3s);
    f.begin("a", "SELECT 1");
    f.nodes.at("c").host.kill();
    f.pass(3100ms);
    CHECK(f.got("a") == 1);
    CHECK(f.holder() == a);
    f.stage.database.freeze_for(3s);
    f.nodes.at("a").host.kill();
    f.pass(2999ms);
    CHECK(f.holder() == a);
    f.pass(2ms);
    CHECK(f.got("b") == 1);
    CHECK(f.holder() == f.id("b"));
}

TEST_CASE("a crash ends all sessions and releases all locks, and session ids start again at 1")
{
    fixture f;
    REQUIRE(f.get("a") == 1);
    f.begin_get("b", "10");
    f.pass(1s);
    f.stage.database.crash_for(1s);
    f.pass(1ms);
    CHECK(f.answers["b"].failure == "database: lost connection during query");
    CHECK(f.holder() == null);
    CHECK(f.stage.database.sessions() == 0);
    f.pass(1s);
    CHECK(f.get("b") == 1);
    CHECK(f.holder() == 1);
    CHECK(f.ask("a", "SELECT 1") == -2);
    CHECK(f.id("a") == 2);
}

TEST_CASE("closing a database connection closes its sessions on the server")
{
    fixture f;
    REQUIRE(f.get("a") == 1);
    f.nodes.at("a").database.reset();
    CHECK(f.freed_within(1min) == 1ms);
}

} // namespace session_ends_test
