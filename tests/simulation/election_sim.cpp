#include "tests/simulation/election_world.hpp"
#include "tests/simulation/seeds.hpp"

#include <catch2/catch.hpp>

using namespace baton;
using namespace baton::simulation;

namespace {

constexpr std::size_t enough_for_averages = 40; // seeds

// Tries seeds until the flaw makes two masters. Returns that seed, or 0.
int seeds_until_found(flaw planted, guarding guarded = guarding::off)
{
    for (int seed = 1; seed <= 1'000; ++seed) {
        election_world world(static_cast<std::uint64_t>(seed), planted, 3, guarded);
        auto const seen = world.play(2min);
        if (seen.two_masters > 0)
            return seed;
    }
    return 0;
}

} // namespace

TEST_CASE("under database faults there are never two masters, and there is a master again after they heal")
{
    auto const guarded = GENERATE(guarding::off, guarding::on);
    duration led{};
    int succeeded = 0;
    auto const seeds = simulation_seeds(40);
    for (auto const seed : seeds) {
        election_world world(seed, flaw::none, 3, guarded);
        auto const seen = world.play(2min);
        INFO("BATON_SEED=" << seed << (guarded == guarding::on ? " with" : " without") << " a guard\n" << seen.tail);
        REQUIRE(seen.two_masters == 0);
        REQUIRE(seen.epoch_went_back == 0);
        REQUIRE(seen.served_outside_term == 0);
        REQUIRE(seen.faults >= 3);
        REQUIRE(seen.terms > 0);
        REQUIRE(seen.acts > 0);
        REQUIRE(seen.led_in_time);
        REQUIRE(seen.kept_leading);
        led += seen.led;
        succeeded += seen.succeeded;
    }
    auto const share = static_cast<double>(led.count()) / static_cast<double>((2min * seeds.size()) / 1us);
    CAPTURE(share, succeeded);
    if (seeds.size() >= enough_for_averages) {
        CHECK(share > 0.3);
        CHECK((succeeded > 0) == (guarded == guarding::on));
    }
}

TEST_CASE("a single node becomes master again after database faults")
{
    auto const guarded = GENERATE(guarding::off, guarding::on);
    duration led{};
    auto const seeds = simulation_seeds(10);
    for (auto const seed : seeds) {
        election_world world(seed, flaw::none, 1, guarded);
        auto const seen = world.play(2min);
        INFO("BATON_SEED=" << seed << "\n" << seen.tail);
        REQUIRE(seen.two_masters == 0);
        REQUIRE(seen.epoch_went_back == 0);
        REQUIRE(seen.led_in_time);
        REQUIRE(seen.kept_leading);
        led += seen.led;
    }
    auto const share = static_cast<double>(led.count()) / static_cast<double>((2min * seeds.size()) / 1us);
    CAPTURE(share);
    if (seeds.size() >= 20)
        CHECK(share > 0.2);
}

TEST_CASE("a single node that lost its lease seizes it again under a new epoch")
{
    election_world world(1, flaw::none, 1);
    world.pass(5s);
    REQUIRE(world.master() != nullptr);
    auto const first = world.master()->epoch();
    world.stage().database.freeze_for(6s);
    world.pass(6s);
    CHECK(world.master() == nullptr);
    REQUIRE(world.led_within(5s));
    CHECK(world.master()->epoch() == first + 1);
}

TEST_CASE("a term that has ended does not resume when the database's clock steps back")
{
    election_world world(1, flaw::none, 1);
    world.pass(5s);
    auto const first = world.master()->epoch();
    world.stage().database.step_clock(10s); // by this clock the renewal is too late
    world.pass(1500ms);
    REQUIRE(world.master() == nullptr);
    world.stage().database.step_clock(-10s);
    REQUIRE(world.led_within(15s));
    CHECK(world.master()->epoch() > first);
    CHECK(world.seen().epoch_went_back == 0);
}

TEST_CASE("a master that stops cleanly is replaced within one tick")
{
    election_world world(1, flaw::none);
    world.pass(5s);
    auto* const first = world.master();
    REQUIRE(first != nullptr);
    first->stop();
    world.pass(100ms);
    CHECK(first->ended());
    CHECK_FALSE(first->may_act());
    CHECK(world.led_within(1s));
    CHECK(world.seen().two_masters == 0);
}

TEST_CASE("a killed master is replaced within its lease and one tick")
{
    election_world world(1, flaw::none);
    world.pass(5s);
    auto* const first = world.master();
    REQUIRE(first != nullptr);
    first->host().kill();
    world.pass(100ms);
    CHECK(world.master() == nullptr);
    CHECK(world.led_within(4s));
}

TEST_CASE("the same seed replays the same election simulation")
{
    auto const play = [](std::uint64_t seed) {
        election_world world(seed, flaw::none);
        return world.play(1min).hash;
    };
    auto const first = play(4711);
    CHECK(play(4711) == first);
    CHECK(play(4712) != first);
}

TEST_CASE("the simulation detects a master that trusts its lease from the answer instead of from the request",
          "[planted]")
{
    CHECK(seeds_until_found(flaw::deadline_from_reply) > 0);
}

TEST_CASE("the simulation detects a master without a local deadline", "[planted]")
{
    CHECK(seeds_until_found(flaw::no_deadline) > 0);
}

TEST_CASE("the simulation detects a slave that seizes the lease as soon as the master's session has ended", "[planted]")
{
    CHECK(seeds_until_found(flaw::succeeds_at_once, guarding::on) > 0);
}

TEST_CASE("the simulation detects a master that trusts its lease although its guard is lost", "[planted]")
{
    CHECK(seeds_until_found(flaw::ignores_guard, guarding::on) > 0);
}

TEST_CASE("the simulation detects a master that trusts a guard ping from the answer instead of from the request",
          "[planted]")
{
    CHECK(seeds_until_found(flaw::guard_from_reply, guarding::on) > 0);
}

TEST_CASE("the simulation detects a slave that trusts the database's clock about an expiry", "[planted]")
{
    CHECK(seeds_until_found(flaw::trusts_database_clock) > 0);
}

namespace {

// Host a renews just before its lease expires, and the renewal stalls. Host b reads the row meanwhile and then tries to
// seize the lease.
struct late_renewal {
    sim::stage stage{1};
    sim::host& a = stage.add_host("a");
    sim::host& b = stage.add_host("b");
    std::unique_ptr<storage::database> of_a = stage.database.connect(a, {.sessions = 1, .read_limit = 1s});
    std::unique_ptr<storage::database> of_b = stage.database.connect(b, {.sessions = 1, .read_limit = 1s});
    std::unique_ptr<lease::lease_store> lease_of_a = lease::make_clocked_lease(*of_a, "master");
    std::unique_ptr<lease::lease_store> lease_of_b;
    bool renewed = false;
    bool seized = false;

    explicit late_renewal(flaw planted) : lease_of_b(make_flawed_lease(*of_b, "b", planted, [] {}))
    {
        stage.make_tables();
    }
    ~late_renewal() { stage.end(); }

    awaitable<void> hold()
    {
        lease::seizure bid;
        bid.owner = "a";
        bid.ttl = 3s;
        bid.seen_epoch = 1;
        bid.new_epoch = 2;
        co_await lease_of_a->ensure();
        co_await lease_of_a->seize(bid);
        co_await a.time().sleep_for(2900ms);
        stage.database.faults.stall = 1;
        stage.database.faults.stall_min = stage.database.faults.stall_max = 500ms;
        std::string const self = "a";
        renewed = co_await lease_of_a->renew(self, 2);
    }

    awaitable<void> take()
    {
        co_await b.time().sleep_for(3100ms);
        stage.database.faults = {};
        auto const row = co_await lease_of_b->poll();
        CHECK(row.expired);
        co_await b.time().sleep_for(500ms);
        CHECK(renewed);
        lease::seizure bid;
        bid.owner = "b";
        bid.ttl = 3s;
        bid.seen_epoch = row.epoch;
        bid.seen_seq = row.renew_seq;
        bid.new_epoch = row.epoch + 1;
        seized = co_await lease_of_b->seize(bid);
    }

    void play()
    {
        a.spawn(hold());
        b.spawn(take());
        stage.time.run_for(10s);
    }
};

} // namespace

TEST_CASE("a renewal that stalls until after the expiry and a seizure cannot both succeed")
{
    late_renewal right(flaw::none);
    right.play();
    CHECK(right.renewed);
    CHECK_FALSE(right.seized);
}

TEST_CASE("a seizure that compares only the version succeeds together with a stalled renewal")
{
    late_renewal wrong(flaw::seizes_by_version_only);
    wrong.play();
    CHECK(wrong.renewed);
    CHECK(wrong.seized);
}
