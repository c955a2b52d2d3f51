// Sessions and their named locks, on which the guard of the election relies: on a server and on the simulated one.

#include "tests/conformance/lock_bench.hpp"

#include <catch2/catch.hpp>

using namespace baton;
using namespace baton::test;

TEST_CASE("a named lock belongs to one session, which must release it as often as it got it")
{
    auto const server = make_bench(GENERATE(kind::mariadb, kind::simulated));
    auto const& s = *server;
    auto const a = server->open("a");
    auto const b = server->open("b");
    REQUIRE(a != b);
    struct {
        std::string what;
        std::string who;
        std::string sql;
        answer expected;
    } const rows[] = {
        {"a session keeps its id", "a", s.own_id(), a},
        {"nobody holds it", "b", s.holder("x"), null},
        {"release of what nobody holds", "a", s.release("x"), null},
        {"get", "a", s.get("x"), 1},
        {"get what another holds", "b", s.get("x"), 0},
        {"the holder's id", "b", s.holder("x"), a},
        {"the same to itself", "a", s.holder("x"), a},
        {"is it mine", "a", s.holder("x") + " = " + s.own_id().substr(7), 1},
        {"release of another's", "b", s.release("x"), 0},
        {"which changes nothing", "b", s.holder("x"), a},
        {"another name", "b", s.get("y"), 1},
        {"a session may hold several", "a", s.get("z"), 1},
        {"the first is still held", "b", s.holder("x"), a},
        {"get again", "a", s.get("x"), 1},
        {"get again, willing to wait", "a", s.get("x", 9), 1},
        {"release once", "a", s.release("x"), 1},
        {"release twice", "a", s.release("x"), 1},
        {"held for the third time", "b", s.get("x"), 0},
        {"release for the last time", "a", s.release("x"), 1},
        {"nothing is left to release", "a", s.release("x"), null},
        {"now another gets it", "b", s.get("x"), 1},
        {"it is the other's", "a", s.release("x"), 0},
        {"whose id is told", "a", s.holder("x"), b},
        {"kill whom there is not", "a", s.kill(999'999'999), failed},
        {"kill the statement of whom there is not", "a", s.kill_query(999'999'999), failed},
        {"the session lives on", "a", s.holder("z"), a},
        {"kill the statement of an idle session", "a", s.kill_query(b), 1},
        {"which does nothing to it", "b", s.own_id(), b},
        {"and leaves it its locks", "b", s.release("x"), 1},
    };
    for (auto const& row : rows) {
        INFO(row.what);
        CHECK(server->ask(row.who, row.sql) == row.expected);
    }
}

TEST_CASE(
    "a wait for a named lock ends when the lock is released, when the time is over, or when its statement is killed")
{
    auto const server = make_bench(GENERATE(kind::mariadb, kind::simulated));
    auto const a = server->open("a");
    auto const b = server->open("b");
    REQUIRE(server->ask("a", server->get("x")) == 1);
    CHECK(server->ask("b", server->get("x", 1)) == 0);
    CHECK(server->ask("b", server->holder("x")) == a);

    server->begin("b", server->get("x", 9));
    server->await_waiting("b", b);
    CHECK(server->ask("a", server->kill_query(b)) == 1);
    CHECK(server->heard("b") == server->interrupted());
    CHECK(server->ask("b", server->own_id()) == b);

    server->begin("b", server->get("x", 9));
    server->await_waiting("b", b);
    CHECK(server->ask("a", server->release("x")) == 1);
    CHECK(server->heard("b") == 1);
    CHECK(server->ask("a", server->holder("x")) == b);
}

TEST_CASE("the session that has waited longest gets the named lock first")
{
    auto const server = make_bench(GENERATE(kind::mariadb, kind::simulated));
    server->open("a");
    auto const b = server->open("b");
    auto const c = server->open("c");
    REQUIRE(server->ask("a", server->get("x")) == 1);
    server->begin("c", server->get("x", 9));
    server->await_waiting("c", c);
    server->begin("b", server->get("x", 9));
    server->await_waiting("b", b);
    server->ask("a", server->release("x"));
    CHECK(server->heard("c") == 1);
    CHECK(server->ask("a", server->holder("x")) == c);
    CHECK(server->waits("b"));
    server->ask("c", server->release("x"));
    CHECK(server->heard("b") == 1);
}

TEST_CASE("the end of a session, by its client or by KILL, passes its named locks to the waiting sessions")
{
    auto const server = make_bench(GENERATE(kind::mariadb, kind::simulated));
    bool const killed = GENERATE(false, true);
    auto const a = server->open("a");
    auto const b = server->open("b");
    server->open("c");
    REQUIRE(server->ask("a", server->get("x")) == 1);
    server->begin("b", server->get("x", 9));
    server->await_waiting("b", b);
    if (killed)
        REQUIRE(server->ask("c", server->kill(a)) == 1);
    else
        server->close("a");
    CHECK(server->heard("b") == 1);
    CHECK(server->ask("c", server->holder("x")) == b);
    if (!killed)
        return;
    // The client hears of it from its next call, and then has a new session.
    CHECK(server->ask("a", server->own_id()) == failed);
    auto const next = server->ask("a", server->own_id());
    CHECK(next > b);
}

TEST_CASE("a wait for a named lock fails without a grant when its session is killed")
{
    auto const server = make_bench(GENERATE(kind::mariadb, kind::simulated));
    server->open("a");
    auto const b = server->open("b");
    REQUIRE(server->ask("a", server->get("x")) == 1);
    server->begin("b", server->get("x", 9));
    server->await_waiting("b", b);
    CHECK(server->ask("a", server->kill(b)) == 1);
    CHECK(server->heard("b") == failed);
    CHECK(server->ask("a", server->release("x")) == 1);
    CHECK(server->ask("a", server->holder("x")) == null);
}

TEST_CASE("a session that is silent for its limit loses its named locks; a session that asks or waits is not silent")
{
    auto const server = make_bench(GENERATE(kind::mariadb, kind::simulated));
    auto const a = server->open("a", 1s);
    auto const b = server->open("b", 1s);
    server->open("c");
    REQUIRE(server->ask("a", server->get("x")) == 1);
    server->begin("b", server->get("x", 9));
    server->await_waiting("b", b);
    for (int i = 0; i < 10; ++i) {
        server->pass(300ms);
        REQUIRE(server->ask("a", server->own_id()) == a);
    }
    CHECK(server->waits("b"));
    server->pass(1500ms);
    CHECK(server->heard("b") == 1);
    CHECK(server->ask("b", server->holder("x")) == b);
    CHECK(server->ask("a", server->own_id()) == failed);
    CHECK(server->ask("a", server->own_id()) > b);
}

TEST_CASE("a session that is silent while the server is frozen ends, unless a request of it is waiting there")
{
    auto const server = make_bench(GENERATE(kind::mariadb, kind::simulated), true);
    auto const a = server->open("a", 1s);
    auto const b = server->open("b");
    REQUIRE(server->ask("a", server->get("x")) == 1);
    auto const ask = [&] { server->begin("a", server->own_id()); };
    server->freeze(1500ms, ask);
    CHECK(server->heard("a") == a);
    CHECK(server->ask("b", server->holder("x")) == a);

    server->begin("b", server->get("x", 9));
    server->await_waiting("b", b);
    auto const nothing = [] {};
    server->freeze(1500ms, nothing);
    CHECK(server->heard("b") == 1);
    CHECK(server->ask("a", server->own_id()) == failed);
}

TEST_CASE("a crash of the server frees all named locks, fails the waits, and restarts the session numbers")
{
    auto const server = make_bench(GENERATE(kind::mariadb, kind::simulated), true);
    server->open("a");
    for (int i = 0; i < 20; ++i)
        server->open("b");
    auto const b = server->open("b");
    REQUIRE(server->ask("a", server->get("x")) == 1);
    server->begin("b", server->get("x", 9));
    server->await_waiting("b", b);
    server->crash();
    CHECK(server->heard("b") == failed);
    CHECK(server->ask("b", server->get("x")) == 1);
    CHECK(server->ask("b", server->own_id()) < b);
    CHECK(server->ask("a", server->own_id()) == failed);
    CHECK(server->ask("a", server->holder("x")) == server->ask("b", server->own_id()));
}
