// Scripted tests of the election's guard on the simulated server. election_sim.cpp has the random ones.

#include "tests/simulation/election_world.hpp"

#include <catch2/catch.hpp>

using namespace baton;
using namespace baton::simulation;

namespace {

constexpr duration wait = 300ms; // the defaults
constexpr duration silence = 2s;

struct scene {
    election_world world;
    candidate* first = nullptr;
    std::int64_t epoch = 0;

    explicit scene(std::size_t nodes = 3) : world(1, flaw::none, nodes, guarding::on)
    {
        world.stage().database.faults.ghost = 0;
        world.stage().database.faults.notice_max = 0us;
        world.pass(7s); // elected, and armed; the slaves are in the middle of a wait
        first = world.master();
        REQUIRE(first != nullptr);
        REQUIRE(first->guarded());
        epoch = first->epoch();
    }

    // The time until another node acts under a higher epoch.
    duration until_succeeded()
    {
        auto const from = world.stage().time.now();
        REQUIRE(world.stage().time.run_until(
            [this] {
                auto* const now = world.master();
                return now != nullptr && now->epoch() > epoch;
            },
            10s));
        CHECK(world.seen().two_masters == 0);
        return world.stage().time.now() - from;
    }
};

} // namespace

TEST_CASE("a killed master is replaced as soon as its guard's wait has passed")
{
    scene s;
    s.first->host().kill();
    auto const gap = s.until_succeeded();
    CHECK(gap >= wait);
    CHECK(gap < wait + 20ms);
}

TEST_CASE("a master that stops cleanly is replaced at once")
{
    scene s;
    s.first->stop();
    CHECK(s.until_succeeded() < 20ms);
}

TEST_CASE("a partitioned master is replaced when the server ends its idle guard session, and has stepped down by then")
{
    scene s;
    s.world.stage().database.partition(s.first->host().name());
    s.world.pass(wait + 10ms);
    CHECK_FALSE(s.first->may_act());
    auto const gap = s.until_succeeded();
    CHECK(gap > silence - wait);
    CHECK(gap < silence + 100ms);
    s.world.stage().database.heal(s.first->host().name());
    s.world.pass(10s);
    CHECK(s.world.master() != s.first);
    CHECK(s.world.seen().two_masters == 0);
}

TEST_CASE("a database that hangs suspends the master, which resumes under its epoch when the database answers again")
{
    auto const span = GENERATE(200ms, 500ms, 1s, 1500ms);
    scene s;
    s.world.stage().database.freeze_for(span);
    s.world.pass(span);
    CHECK(s.first->may_act() == (span < wait - 80ms));
    s.world.pass(20ms);
    CHECK(s.first->may_act());
    s.world.pass(5s);
    CHECK(s.world.master() == s.first);
    CHECK(s.first->epoch() == s.epoch);
}

TEST_CASE("a restart of the database causes at most one change of master")
{
    scene s;
    s.world.stage().database.crash_for(1s);
    s.world.pass(1s);
    CHECK(s.world.led_within(wait + 600ms));
    s.world.pass(10s);
    REQUIRE(s.world.master() != nullptr);
    CHECK(s.world.master()->epoch() <= s.epoch + 1);
    CHECK(s.world.master()->guarded());
}

TEST_CASE("a master whose guard lock went to another node ends its term at once instead of waiting for its lease")
{
    scene s;
    s.world.kill_guard();
    CHECK(s.until_succeeded() < 150ms); // one ping, and one poll of the row by the waiting slave
    CHECK(s.world.master() != s.first); // its connection to the database may be the cause
    s.world.pass(5s);
    CHECK(s.world.master()->epoch() == s.epoch + 1);
}

TEST_CASE("a single node whose guard session ends arms a new one under the same epoch")
{
    scene s(1);
    s.world.kill_guard();
    s.world.pass(wait);
    CHECK(s.world.master() == s.first);
    CHECK(s.first->epoch() == s.epoch);
    CHECK(s.first->guarded());
}

TEST_CASE("without the guard of the same server, a killed master is replaced when its lease expires")
{
    scene s;
    s.world.stage().database.set_server_id("another");
    s.first->host().kill();
    auto const gap = s.until_succeeded();
    CHECK(gap > 2s);
    CHECK(gap < 4s);
}

TEST_CASE("a slave waits for the time that the master has written into the row, not for its own setting")
{
    trigger::guard_settings slow;
    slow.wait = 900ms;
    slow.ping = 200ms;
    election_world world(1, flaw::none, 1, guarding::on, slow);
    world.stage().database.faults.ghost = 0;
    world.pass(5s);
    auto* const first = world.master();
    REQUIRE(first != nullptr);
    world.set_guard({}); // for the node that starts now
    world.start_another();
    world.pass(3s);
    first->host().kill();
    world.pass(880ms);
    CHECK(world.master() == nullptr);
    CHECK(world.led_within(50ms));
}

TEST_CASE("a slave that is stopped while it waits for the guard's lock ends within 100 ms")
{
    scene s;
    for (auto* const one : s.world.nodes())
        if (one != s.first)
            one->stop();
    s.world.pass(100ms);
    for (auto* const one : s.world.nodes())
        CHECK(one->ended() == (one != s.first));
}

TEST_CASE("nodes with and without a guard take part in the same election")
{
    election_world world(1, flaw::none, 1, guarding::off);
    world.pass(5s);
    auto* const plain = world.master();
    REQUIRE(plain != nullptr);
    world.set_guarding(guarding::on);
    world.start_another();
    world.pass(10s);
    CHECK(world.master() == plain); // its lease depends on no guard
    CHECK(world.stage().database.calls() < 200);
    plain->host().kill();
    world.pass(10ms);
    REQUIRE(world.led_within(4s));
    world.pass(3s);
    CHECK(world.master()->guarded());
    CHECK(world.seen().two_masters == 0);
}

TEST_CASE("after an arming without an answer, the master may arm again only on the same server")
{
    auto const elsewhere = GENERATE(false, true);
    election_world world(1, flaw::none, 1, guarding::on);
    auto& server = world.stage().database;
    REQUIRE(world.led_within(2s));
    auto const first = world.master()->epoch();
    server.faults.lose_reply = 1;
    world.pass(100ms); // it arms
    server.faults.lose_reply = 0;
    if (elsewhere)
        server.set_server_id("another");
    world.pass(8s);
    REQUIRE(world.master() != nullptr);
    CHECK(world.master()->epoch() == (elsewhere ? first + 1 : first));
    CHECK(world.master()->guarded());
}
