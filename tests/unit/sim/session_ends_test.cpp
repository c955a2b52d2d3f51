// How a session of the simulated server ends, and its locks with it: by death, silence, a caller who
// gives up, a crash.

#include "tests/unit/sim/session_fixture.hpp"

#include <catch2/catch.hpp>

using namespace baton;
using baton::test::null;
using fixture = baton::test::session_fixture;

TEST_CASE("the locks of a process that dies are free within a way")
{
    fixture f;
    REQUIRE(f.get("a") == 1);
    f.nodes.at("a").host.kill();
    CHECK(f.freed_within(1min) == 1ms);
    CHECK(f.stage.database.sessions() == 0);
}

TEST_CASE("who waits has the lock a way after the death of its holder")
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

TEST_CASE("a dead waiter leaves the queue within a second, and is granted nothing after that")
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

TEST_CASE("a dead waiter may be granted the lock, and holds it for a moment or up to a second")
{
    auto const lingers = GENERATE(false, true);
    fixture f;
    f.stage.database.faults.ghost = lingers ? 1 : 0;
    f.stage.database.faults.notice_most = 1h;
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

TEST_CASE("a waiter that dies in the instant in which it is granted the lock does not keep it")
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

TEST_CASE("a session that is silent for its idle limit ends, and its locks are free")
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

TEST_CASE("a session that waits for a lock is not silent, nor is one whose statement stalls")
{
    fixture f;
    f.start("b", {.sessions = 1, .read_limit = 10s, .idle_limit = 1s});
    REQUIRE(f.get("a") == 1);
    f.begin_get("b", "6");
    f.pass(8s);
    CHECK(f.got("b") == 0);
    f.start("b", {.sessions = 1, .read_limit = 10s, .idle_limit = 1s});
    f.stage.database.faults.stall = 1;
    f.stage.database.faults.stall_least = f.stage.database.faults.stall_most = 4s;
    CHECK(f.ask("b", "SELECT 1") == 1);
}

TEST_CASE("nothing reaches the server from a dead host that is cut off: its ghost holds the lock for the idle limit")
{
    fixture f;
    f.start("a", {.sessions = 1, .read_limit = 10s, .idle_limit = 2s});
    REQUIRE(f.get("a") == 1);
    f.stage.database.part("a");
    f.nodes.at("a").host.kill();
    CHECK(f.freed_within(1min) == 2s - 1ms);
}

TEST_CASE("a ghost without an idle limit holds the lock until the way is mended")
{
    fixture f;
    REQUIRE(f.get("a") == 1);
    f.stage.database.part("a");
    f.nodes.at("a").host.kill();
    f.pass(1h);
    CHECK(f.holder() != null);
    f.stage.database.mend("a");
    CHECK(f.freed_within(1min) == 1ms);
}

TEST_CASE("a session of a host that was cut off for a while goes on as if nothing had been")
{
    fixture f;
    f.start("a", {.sessions = 1, .read_limit = 10s, .idle_limit = 2s});
    auto const a = f.id("a");
    REQUIRE(f.get("a") == 1);
    f.stage.database.part("a");
    f.pass(1s);
    f.stage.database.mend("a");
    CHECK(f.id("a") == a);
    CHECK(f.holder() == a);
}

TEST_CASE("a waiter that is cut off may be granted the lock for nobody, and holds it for the idle limit")
{
    fixture f;
    f.start("b", {.sessions = 1, .read_limit = 10s, .idle_limit = 2s});
    auto const b = f.id("b");
    REQUIRE(f.get("a") == 1);
    f.begin_get("b", "60");
    f.pass(1s);
    f.stage.database.part("b");
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

TEST_CASE("a caller who gives up closes its session, and a new one has another id")
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

TEST_CASE("a caller who gives up while it waits for a lock leaves a waiter that goes within a second")
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

TEST_CASE("a call for a lock that arrives for nobody takes nothing with it")
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

TEST_CASE("a statement that executes for nobody does so in the name of its session, which ends only then")
{
    fixture f;
    f.start("a", {.sessions = 1, .read_limit = 1s});
    auto const a = f.id("a");
    REQUIRE(f.get("a") == 1);
    f.stage.database.faults.stall = 1;
    f.stage.database.faults.stall_least = f.stage.database.faults.stall_most = 3s;
    f.ask("a", "INSERT INTO entry SELECT baton_connection_id() WHERE baton_lock_holder('x') = baton_connection_id()");
    f.pass(500ms);
    CHECK(f.holder() == a);
    f.pass(1501ms);
    CHECK(f.holder() == null);
    CHECK(f.look("SELECT COUNT(*) FROM entry WHERE word = " + std::to_string(a)) == 1);
    CHECK(f.stage.database.left_behind() == 1);
}

TEST_CASE("a lock is released also by a statement whose caller has gone, and a session killed")
{
    fixture f;
    auto const a = f.id("a");
    f.start("b", {.sessions = 1, .read_limit = 1s});
    f.id("b");
    f.stage.database.faults.stall = 1;
    f.stage.database.faults.stall_least = f.stage.database.faults.stall_most = 3s;
    f.ask("b", "SELECT baton_kill(" + std::to_string(a) + ")");
    CHECK(f.stage.database.sessions() == 2);
    f.pass(3s);
    CHECK(f.stage.database.sessions() == 0);
}

TEST_CASE("a frozen server grants nothing, and ends no session whose request waits for it")
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

TEST_CASE("a crash ends all sessions and frees all locks, and ids begin anew")
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

TEST_CASE("a process that closes its database closes its sessions")
{
    fixture f;
    REQUIRE(f.get("a") == 1);
    f.nodes.at("a").database.reset();
    CHECK(f.freed_within(1min) == 1ms);
}
