// The guard of the election in single scenes, over the simulated server; election_sim.cpp has the random ones.

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
        world.stage().database.faults.notice_most = 0us;
        world.pass(7s); // elected, and armed; the slaves are in the middle of a wait
        first = world.master();
        REQUIRE(first != nullptr);
        REQUIRE(first->guarded());
        epoch = first->epoch();
    }

    // How long it takes until another acts under a higher epoch.
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

TEST_CASE("a master whose process dies is succeeded as soon as it could not believe any more")
{
    scene s;
    s.first->host().kill();
    auto const gap = s.until_succeeded();
    CHECK(gap >= wait);
    CHECK(gap < wait + 20ms);
}

TEST_CASE("a master that stops cleanly is succeeded at once")
{
    scene s;
    s.first->stop();
    CHECK(s.until_succeeded() < 20ms);
}

TEST_CASE("a master that is cut off is succeeded when the server has missed it for long enough, and knows it by then")
{
    scene s;
    s.world.stage().database.part(s.first->host().name());
    s.world.pass(wait + 10ms);
    CHECK_FALSE(s.first->believes());
    auto const gap = s.until_succeeded();
    CHECK(gap > silence - wait);
    CHECK(gap < silence + 100ms);
    s.world.stage().database.mend(s.first->host().name());
    s.world.pass(10s);
    CHECK(s.world.master() != s.first);
    CHECK(s.world.seen().two_masters == 0);
}

TEST_CASE("a database that hangs for a while suspends the master, which goes on under its epoch as soon as it is back")
{
    auto const span = GENERATE(200ms, 500ms, 1s, 1500ms);
    scene s;
    s.world.stage().database.freeze_for(span);
    s.world.pass(span);
    CHECK(s.first->believes() == (span < wait - 80ms));
    s.world.pass(20ms);
    CHECK(s.first->believes());
    s.world.pass(5s);
    CHECK(s.world.master() == s.first);
    CHECK(s.first->epoch() == s.epoch);
}

TEST_CASE("a restart of the database costs at most one change of masters")
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

TEST_CASE("a master that loses only its guard's session to another gives its term up instead of sitting it out")
{
    scene s;
    s.world.kill_guard();
    CHECK(s.until_succeeded() < 150ms); // a ping, and a reading of the row by who waits
    CHECK(s.world.master() != s.first); // whose way to the database may be the reason
    s.world.pass(5s);
    CHECK(s.world.master()->epoch() == s.epoch + 1);
}

TEST_CASE("a master that is alone and loses its guard's session takes it again, under the same epoch")
{
    scene s(1);
    s.world.kill_guard();
    s.world.pass(wait);
    CHECK(s.world.master() == s.first);
    CHECK(s.first->epoch() == s.epoch);
    CHECK(s.first->guarded());
}

TEST_CASE("on a server that names itself otherwise than the row does, the lease decides")
{
    scene s;
    s.world.stage().database.set_server_id("another");
    s.first->host().kill();
    auto const gap = s.until_succeeded();
    CHECK(gap > 2s);
    CHECK(gap < 4s);
}

TEST_CASE("a slave waits for as long as the master wrote, not for as long as its own setting says")
{
    trigger::guard_settings slow;
    slow.wait = 900ms;
    slow.ping = 200ms;
    election_world world(1, flaw::none, 1, guarding::on, slow);
    world.stage().database.faults.ghost = 0;
    world.pass(5s);
    auto* const first = world.master();
    REQUIRE(first != nullptr);
    world.set_guard({}); // for those that start now
    world.start_another();
    world.pass(3s);
    first->host().kill();
    world.pass(880ms);
    CHECK(world.master() == nullptr);
    CHECK(world.led_within(50ms));
}

TEST_CASE("a slave that is told to stop while it waits for the lock ends within 100 ms")
{
    scene s;
    for (auto* const one : s.world.nodes())
        if (one != s.first)
            one->stop();
    s.world.pass(100ms);
    for (auto* const one : s.world.nodes())
        CHECK(one->ended() == (one != s.first));
}

TEST_CASE("nodes with a guard and nodes without elect one another")
{
    election_world world(1, flaw::none, 1, guarding::off);
    world.pass(5s);
    auto* const plain = world.master();
    REQUIRE(plain != nullptr);
    world.set_guarding(guarding::on);
    world.start_another();
    world.pass(10s);
    CHECK(world.master() == plain); // whose lease nothing binds
    CHECK(world.stage().database.calls() < 200);
    plain->host().kill();
    world.pass(10ms);
    REQUIRE(world.led_within(4s));
    world.pass(3s);
    CHECK(world.master()->guarded());
    CHECK(world.seen().two_masters == 0);
}

TEST_CASE("an arming that had no answer allows another one at the same server only")
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
