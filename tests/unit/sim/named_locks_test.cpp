#include "libs/sim/sim.hpp"

#include <catch2/catch.hpp>
#include <soci/soci.h>

#include <map>
#include <optional>

using namespace baton;

namespace {

constexpr int null = -1;

// Hosts with a session each, which ask for numbers, and when the answers came. A way takes a millisecond.
struct fixture {
    struct node {
        sim::host& host;
        std::unique_ptr<storage::database> database;
    };
    struct answer {
        std::optional<long long> value{}; // -1 for NULL; none yet, or a failure
        std::string failure{};
        instant at{};
    };
    sim::stage stage{7};
    std::map<std::string, node> nodes;
    std::map<std::string, answer> answers; // by what was asked, or who asked

    fixture()
    {
        stage.database.inspect([](soci::session& sql) { sql << "CREATE TABLE entry (word TEXT NOT NULL)"; });
        stage.database.faults.quickest = stage.database.faults.slowest = 1ms;
        stage.database.faults.ghost = 0;
        for (std::string const name : {"a", "b", "c"})
            start(name, {.sessions = 1, .read_limit = 10s});
    }
    ~fixture() { stage.end(); }

    void start(std::string const& name, sim::connection how)
    {
        auto& host = stage.add_host(name);
        nodes.erase(name);
        nodes.emplace(name, node{host, stage.database.connect(host, how)});
    }

    awaitable<void> call(std::string who, std::string sql, bool in_transaction)
    {
        auto const work = [&](soci::session& session) {
            long long value = null;
            soci::indicator state = soci::i_ok;
            session << sql, soci::into(value, state);
            return state == soci::i_ok ? value : null;
        };
        auto& database = *nodes.at(who).database;
        answer mine;
        try {
            if (in_transaction)
                mine.value = co_await database.transact(work);
            else
                mine.value = co_await database.run(work);
        } catch (unavailable const& failure) {
            mine.failure = failure.what();
        }
        mine.at = stage.time.now();
        answers[who] = mine;
    }

    // Begins a call of a node, whose answer will be under the node's name.
    void begin(std::string const& who, std::string const& sql, bool in_transaction = false)
    {
        answers[who] = {};
        nodes.at(who).host.spawn(call(who, sql, in_transaction));
    }
    void begin_get(std::string const& who, std::string const& seconds = "5")
    {
        begin(who, "SELECT baton_get_lock('x', " + seconds + ")");
    }
    // The same and waits for the answer; -1 for NULL, -2 for a failure.
    long long ask(std::string const& who, std::string const& sql)
    {
        begin(who, sql);
        stage.time.run_until([&] { return done(who); }, 1min);
        return answers[who].value.value_or(-2);
    }
    long long get(std::string const& who) { return ask(who, "SELECT baton_get_lock('x', 0)"); }
    long long id(std::string const& who) { return ask(who, "SELECT baton_connection_id()"); }

    bool done(std::string const& who) { return answers[who].at != instant{}; }
    long long got(std::string const& who) { return answers[who].value.value_or(-2); }
    long long look(std::string const& sql)
    {
        long long value = null;
        stage.database.inspect([&](soci::session& session) {
            soci::indicator state = soci::i_ok;
            session << sql, soci::into(value, state);
            if (state != soci::i_ok)
                value = null;
        });
        return value;
    }
    long long holder() { return look("SELECT baton_lock_holder('x')"); }
    void pass(duration span) { stage.time.run_for(span); }
    duration freed_within(duration limit)
    {
        auto const begin = stage.time.now();
        stage.time.run_until([&] { return holder() == null; }, limit);
        return holder() == null ? stage.time.now() - begin : duration::max();
    }
};

} // namespace

TEST_CASE("each session of a server has an id of its own, and keeps it from call to call")
{
    fixture f;
    auto const first = f.id("a");
    CHECK(f.id("a") == first);
    CHECK(f.id("b") != first);
}

TEST_CASE("a call that waits for a lock goes on when the lock is released, and holds it then")
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

TEST_CASE("a call waits for a lock as long as it says, in fractions of a second")
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

TEST_CASE("who waits longest gets the lock first")
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

TEST_CASE("a lock that a session got repeatedly is free when it has released it as often")
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

TEST_CASE("the server's now is that of the start of the statement, however long it waited for a lock")
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

TEST_CASE("while a call waits for a lock, others are served")
{
    fixture f;
    REQUIRE(f.get("a") == 1);
    f.begin_get("b");
    f.pass(1s);
    CHECK(f.ask("c", "SELECT 5") == 5);
    CHECK_FALSE(f.done("b"));
}

TEST_CASE("a waiting call whose statement is killed gets NULL, and its session lives on")
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

TEST_CASE("a statement that is killed while it stalls fails and has no effect")
{
    fixture f;
    auto const b = f.id("b");
    f.stage.database.faults.stall = 1;
    f.stage.database.faults.stall_least = f.stage.database.faults.stall_most = 1s;
    f.begin("b", "INSERT INTO entry VALUES ('x')");
    f.pass(500ms);
    f.look("SELECT baton_kill_query(" + std::to_string(b) + ")");
    f.pass(1s);
    CHECK(f.answers["b"].failure == "database: query execution was interrupted");
    CHECK(f.look("SELECT COUNT(*) FROM entry") == 0);
    f.stage.database.faults.stall = 0;
    CHECK(f.id("b") == b);
}

TEST_CASE("to kill the statement of an idle session does nothing to its next one")
{
    fixture f;
    auto const b = f.id("b");
    f.look("SELECT baton_kill_query(" + std::to_string(b) + ")");
    CHECK(f.id("b") == b);
}

TEST_CASE("to kill what is not there is refused")
{
    fixture f;
    CHECK(f.ask("a", "SELECT baton_kill(77)") == -2);
    CHECK(f.answers["a"].failure.find("Unknown thread id: 77") != std::string::npos);
}

TEST_CASE("a killed session loses its locks to who waits; its client hears of it from its next call, and gets another")
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

TEST_CASE("a waiting call whose session is killed fails at once")
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

TEST_CASE("a transaction on a session that has ended goes to a new one, and so does a call after five idle seconds")
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

TEST_CASE("a server has a name, which a test may change")
{
    fixture f;
    CHECK(f.ask("a", "SELECT baton_server_id() = 'simulated'") == 1);
    f.stage.database.set_server_id("another");
    CHECK(f.ask("a", "SELECT baton_server_id() = 'another'") == 1);
}

TEST_CASE("a call that would wait for a lock after it has written is a mistake of the test")
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
