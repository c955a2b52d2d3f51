#include "libs/protocol/revision.hpp"
#include "libs/sim/sim.hpp"
#include "trigger/membership/membership.hpp"

#include <catch2/catch.hpp>

namespace membership_test {

using namespace baton;
using namespace baton::trigger;

namespace {

constexpr membership_settings defaults; // a heartbeat a second, gone after four

// Nodes that do nothing but beat and look at one another.
struct fixture {
    sim::stage stage{5};
    std::unique_ptr<storage::database> direct;

    struct process {
        sim::host& host;
        std::unique_ptr<storage::database> database;
        std::unique_ptr<membership> view;
    };
    std::vector<std::unique_ptr<process>> all;

    fixture() { stage.make_tables(); }
    ~fixture() { stage.end(); }

    process& start(std::string const& name, int revision = protocol::wire_revision, std::string const& address = "")
    {
        auto& host = stage.add_host(name);
        auto database = stage.database.connect(host, {.sessions = 1, .read_limit = 10s});
        storage::node_record row;
        row.incarnation = row.name = name;
        row.address = address.empty() ? name : address;
        row.started_at = host.time().utc();
        row.revision = revision;
        auto const idle = [] { return membership::status{"slave", 0, 0}; };
        auto view = std::make_unique<membership>(defaults, row, *database, host.time(), idle);
        host.spawn(join(*view));
        all.push_back(std::make_unique<process>(process{host, std::move(database), std::move(view)}));
        return *all.back();
    }

    static awaitable<void> join(membership& view)
    {
        co_await view.await_one_release();
        co_await view.run();
    }

    void pass(duration span) { stage.time.run_for(span); }

    // The time until `node` counts as gone; `most` if it does not within that time.
    duration until_gone(process const& by, std::string const& node, duration most)
    {
        auto const began = stage.time.now();
        stage.time.run_until([&] { return by.view->gone(node); }, most);
        return stage.time.now() - began;
    }
};

} // namespace

TEST_CASE("a node that dies counts as gone when its row is as old as its ttl")
{
    fixture f;
    auto const& a = f.start("a");
    auto& b = f.start("b");
    f.pass(10s);
    CHECK_FALSE(a.view->gone("b"));
    b.host.kill();
    auto const took = f.until_gone(a, "b", 1min);
    CHECK(took > defaults.ttl - defaults.heartbeat - 50ms);
    CHECK(took < defaults.ttl + defaults.heartbeat + 50ms);
}

TEST_CASE("after an outage of the database no live node counts as gone, although all rows are old")
{
    fixture f;
    auto const& a = f.start("a");
    f.pass(300ms); // so that one beats before the other
    auto const& b = f.start("b");
    f.pass(10s);
    auto const kind = GENERATE(0, 1);
    auto const span = GENERATE(3s, 5s, 20s, 100s);
    CAPTURE(kind, span / 1s);
    if (kind == 0)
        f.stage.database.crash_for(span); // refuses connections
    else
        f.stage.database.freeze_for(span); // lets everybody wait
    bool gone = false;
    f.stage.time.observe([&] { gone = gone || a.view->gone("b") || b.view->gone("a"); });
    f.pass(span + 30s);
    f.stage.time.observe({});
    CHECK_FALSE(gone);
    CHECK(a.view->alive("b"));
}

TEST_CASE("a node that died during an outage counts as gone when the others have read for as long as its ttl")
{
    fixture f;
    auto const& a = f.start("a");
    auto& b = f.start("b");
    f.pass(10s);
    f.stage.database.crash_for(20s);
    f.pass(5s);
    b.host.kill();
    f.pass(15s);
    CHECK_FALSE(a.view->alive("b"));
    auto const took = f.until_gone(a, "b", 1min);
    CHECK(took > defaults.ttl);
    CHECK(took < defaults.ttl + 3 * defaults.heartbeat);
}

TEST_CASE("an outage that is too short to silence a live node delays nothing")
{
    fixture f;
    auto const& a = f.start("a");
    auto& b = f.start("b");
    f.pass(10s);
    b.host.kill();
    f.pass(2s);
    f.stage.database.crash_for(500ms);
    CHECK(f.until_gone(a, "b", 1min) < defaults.ttl - 2s + defaults.heartbeat + 100ms);
}

TEST_CASE("a process that has just begun to read counts no node as gone for the age of its row alone")
{
    fixture f;
    auto& b = f.start("b");
    f.pass(10s);
    b.host.kill();
    f.pass(1min);
    auto const& a = f.start("a");
    f.pass(1s);
    CHECK_FALSE(a.view->alive("b"));
    CHECK_FALSE(a.view->gone("b")); // it may be about to beat, if the database is just back
    CHECK(f.until_gone(a, "b", 1min) < defaults.ttl + defaults.heartbeat);
}

TEST_CASE("a node that was killed is replaced when the node that has its address by now has beaten for a while")
{
    fixture f;
    auto const& a = f.start("a");
    auto& killed = f.start("b");
    f.pass(10s);
    killed.host.kill();
    f.start("b again", protocol::wire_revision, "b");
    f.stage.time.run_until([&] { return a.view->find("b again") != nullptr; }, 10s);
    CHECK_FALSE(a.view->replaced("b"));
    f.pass(4s);
    CHECK(a.view->replaced("b"));
    CHECK_FALSE(a.view->replaced("b again"));
    CHECK_FALSE(a.view->replaced("a"));
}

TEST_CASE("a node that has just begun to read knows which killed node another one has replaced")
{
    fixture f;
    auto& killed = f.start("b");
    f.pass(10s);
    killed.host.kill();
    f.pass(5s);
    f.start("b again", protocol::wire_revision, "b");
    f.pass(1s);
    auto const& a = f.start("a");
    f.pass(500ms);
    CHECK_FALSE(a.view->gone("b"));
    CHECK(a.view->replaced("b"));
}

TEST_CASE("after a step of the database's clock, live nodes do not count as gone and dead ones soon do")
{
    fixture f;
    auto const& a = f.start("a");
    f.pass(300ms);
    auto const& b = f.start("b");
    auto& dead = f.start("dead");
    f.pass(10s);
    auto const by = GENERATE(3600s, 10s, 3s, -3s, -10s, -3600s);
    CAPTURE(by / 1s);
    dead.host.kill();
    f.stage.database.step_clock(by);
    bool gone = false;
    f.stage.time.observe([&] { gone = gone || a.view->gone("b") || b.view->gone("a"); });
    CHECK(f.until_gone(a, "dead", 1min) < 2 * defaults.ttl + defaults.heartbeat);
    f.pass(30s);
    f.stage.time.observe({});
    CHECK_FALSE(gone);
}

TEST_CASE("a node without a row counts as gone")
{
    fixture f;
    auto const& a = f.start("a");
    auto const& b = f.start("b");
    f.pass(10s);
    f.stage.play(b.view->leave());
    // Its next beat would bring it back: it is read before.
    f.stage.play(a.view->refresh());
    CHECK(a.view->gone("b"));
    CHECK(a.view->gone("unknown"));
}

TEST_CASE("a node joins only when all nodes of another release have stopped")
{
    fixture f;
    auto& old = f.start("old", protocol::wire_revision + 1);
    f.pass(2s);
    auto const& fresh = f.start("fresh");
    f.pass(1min);
    CHECK(old.view->all().size() == 1);
    CHECK_FALSE(fresh.view->valid());
    SECTION("the node dies")
    {
        old.host.kill();
        f.pass(defaults.ttl + 3 * defaults.heartbeat);
        CHECK(fresh.view->valid());
    }
    SECTION("the database does not answer for a while when the node has died")
    {
        old.host.kill();
        f.stage.database.crash_for(20s);
        f.pass(15s);
        CHECK_FALSE(fresh.view->valid());
        f.pass(10s);
        CHECK(fresh.view->valid());
    }
}

TEST_CASE("a node has a peer while another one lives and does not drain")
{
    fixture f;
    auto const& a = f.start("a");
    f.pass(3s);
    CHECK_FALSE(a.view->has_peer());
    auto& b = f.start("b");
    f.pass(3s);
    CHECK(a.view->has_peer());
    SECTION("it drains")
    {
        auto drain = [&]() -> awaitable<void> { co_await b.view->drain(); };
        f.stage.play(drain());
        f.pass(2s);
        CHECK(a.view->alive("b"));
        CHECK_FALSE(a.view->has_peer());
    }
    SECTION("it dies")
    {
        b.host.kill();
        f.pass(10s);
        CHECK_FALSE(a.view->has_peer());
    }
}

TEST_CASE("a node delivers nothing from shortly before the others may count it as gone, and counts its lapses")
{
    fixture f;
    auto const& a = f.start("a");
    auto const& b = f.start("b");
    f.pass(10s);
    CHECK(b.view->valid());
    auto const before = b.view->lapses();
    f.stage.database.crash_for(20s);
    bool valid_while_gone = false;
    f.stage.time.observe([&] { valid_while_gone = valid_while_gone || (b.view->valid() && a.view->gone("b")); });
    f.pass(10s);
    CHECK_FALSE(b.view->valid());
    CHECK(b.view->lapsed());
    f.pass(20s);
    f.stage.time.observe({});
    CHECK(b.view->valid());
    CHECK(b.view->lapses() == before + 1);
    CHECK_FALSE(valid_while_gone);
}

TEST_CASE("a node that steps aside counts as gone once, then beats again, and has lapsed")
{
    fixture f;
    auto& a = f.start("a");
    auto const& b = f.start("b");
    f.pass(10s);
    a.view->step_aside();
    f.pass(defaults.heartbeat);
    a.view->step_aside(); // no effect while it lasts
    CHECK(f.until_gone(b, "a", 1min) < defaults.ttl + defaults.heartbeat);
    CHECK(a.view->lapsed());
    CHECK(f.stage.time.run_until([&] { return !b.view->gone("a"); }, defaults.ttl + 2 * defaults.heartbeat));
    CHECK(a.view->lapses() == 1);
    CHECK(f.until_gone(b, "a", 1min) >= 1min);
}

TEST_CASE("a node that steps back in time does not count as gone")
{
    fixture f;
    auto& a = f.start("a");
    auto const& b = f.start("b");
    f.pass(10s);
    a.view->step_aside();
    f.pass(defaults.heartbeat);
    a.view->step_back();
    CHECK(f.until_gone(b, "a", 1min) >= 1min);
    CHECK(a.view->lapses() == 0);
}

} // namespace membership_test
