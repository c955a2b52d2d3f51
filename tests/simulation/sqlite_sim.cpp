// The election of several processes of one machine on SQLite, with a lease by the boot clock and a lock on a file.

#include "tests/simulation/seeds.hpp"
#include "tests/simulation/sqlite_world.hpp"

#include <catch2/catch.hpp>

using namespace baton;
using namespace baton::simulation;

namespace {

constexpr std::size_t enough_for_averages = 40; // seeds

// The problems of a run; empty if there are none.
std::string problems(file_report const& seen)
{
    std::string wrong;
    auto const add = [&](bool violated, char const* problem) {
        if (violated)
            wrong += std::string(wrong.empty() ? "" : ", ") + problem;
    };
    add(seen.two_masters != 0, "two masters");
    add(seen.epoch_went_back != 0, "an epoch that went back");
    add(seen.late_writes != 0, "an act that was committed after those of a newer master");
    add(!seen.led_in_time, "no master led in time after the faults");
    add(!seen.kept_leading, "no master led for some time without faults");
    add(!seen.replaced_in_time, "a killed master was not replaced in time");
    return wrong;
}

// Tries seeds until the flaw causes problems. Returns these.
std::string problems_caused_by(file_flaw planted)
{
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        sqlite_world world(seed, planted);
        auto const seen = world.play(2min);
        if (auto const wrong = problems(seen); !wrong.empty())
            return wrong + " in seed " + std::to_string(seed);
    }
    return "nothing";
}

// All three processes use the lock on the file.
struct scene {
    sqlite_world world{3};
    process* first = nullptr;
    std::int64_t epoch = 0;

    scene()
    {
        world.pass(7s); // elected, and armed
        first = world.master();
        REQUIRE(first != nullptr);
        REQUIRE(first->guarded());
        epoch = first->epoch();
    }

    // The time until another process acts under the next epoch.
    duration until_succeeded()
    {
        auto const from = world.stage().time.now();
        REQUIRE(world.stage().time.run_until(
            [this] {
                auto* const now = world.master();
                return now != nullptr && now->epoch() == epoch + 1;
            },
            20s));
        CHECK(world.seen().two_masters == 0);
        return world.stage().time.now() - from;
    }
};

} // namespace

TEST_CASE(
    "under faults of processes, files and clocks there are never two masters on a machine, and one leads afterwards")
{
    duration led{};
    int succeeded = 0;
    auto const seeds = simulation_seeds(50);
    for (auto const seed : seeds) {
        sqlite_world world(seed);
        auto const seen = world.play(2min);
        INFO("BATON_SEED=" << seed << "\n" << seen.tail);
        REQUIRE(problems(seen).empty());
        REQUIRE(seen.faults >= 3);
        REQUIRE(seen.terms > 0);
        REQUIRE(seen.writes > 0);
        led += seen.led;
        succeeded += seen.succeeded;
    }
    auto const share = static_cast<double>(led.count()) / static_cast<double>((2min * seeds.size()) / 1us);
    CAPTURE(share, succeeded);
    if (seeds.size() >= enough_for_averages) {
        CHECK(share > 0.5);
        CHECK(succeeded > 0);
    }
}

TEST_CASE("the same seed replays the same election simulation on SQLite")
{
    auto const play = [](std::uint64_t seed) {
        sqlite_world world(seed);
        return world.play(1min).hash;
    };
    auto const first = play(4711);
    CHECK(play(4711) == first);
    CHECK(play(4712) != first);
}

TEST_CASE("the simulation detects every flaw planted into the elector on SQLite", "[planted]")
{
    struct flawed {
        file_flaw planted;
        char const* shows_as;
    };
    auto const [planted, shows_as] = GENERATE(
        flawed{file_flaw::wall_clock, "no master led"}, flawed{file_flaw::ignores_boot, "no master led"},
        flawed{file_flaw::deadline_from_reply, "two masters"}, flawed{file_flaw::no_deadline, "two masters"},
        flawed{file_flaw::seizes_by_version, "two masters"}, flawed{file_flaw::trusts_any_lock, "two masters"},
        flawed{file_flaw::ignores_the_file, "two masters"}, flawed{file_flaw::lets_go_after_failure, "two masters"},
        flawed{file_flaw::acts_without_fence, "an act that was committed"});
    CAPTURE(static_cast<int>(planted));
    CHECK_THAT(problems_caused_by(planted), Catch::Contains(shows_as));
}

TEST_CASE("a killed master on SQLite is replaced at once")
{
    scene s;
    s.world.end_process(*s.first);
    CHECK(s.until_succeeded() < 40ms);
}

TEST_CASE("a master on SQLite that stops cleanly is replaced at once")
{
    scene s;
    s.world.end_process(*s.first, true);
    CHECK(s.until_succeeded() < 40ms);
}

TEST_CASE("a frozen master keeps the file's lock, is replaced when its lease expires, and steps down when it continues")
{
    scene s;
    s.first->host().freeze_for(10s);
    auto const gap = s.until_succeeded();
    CHECK(gap > 2s);
    CHECK(gap < 4s);
    s.world.pass(15s);
    CHECK(s.world.master() != s.first);
    CHECK(s.first->epoch() == 0);
    CHECK(s.world.seen().two_masters == 0);
}

TEST_CASE("a master that is frozen for less than its lease continues under its epoch")
{
    scene s;
    s.first->host().freeze_for(1500ms);
    s.world.pass(1400ms);
    CHECK(s.first->may_act());
    s.world.pass(10s);
    CHECK(s.world.master() == s.first);
    CHECK(s.first->epoch() == s.epoch);
}

TEST_CASE("after a reboot a process leads as soon as it has watched the old lease for its ttl")
{
    scene s;
    s.world.reboot();
    CHECK(s.world.master() == nullptr);
    s.world.pass(100ms);
    CHECK(s.until_succeeded() < 8s + 3s + 1s);
}

TEST_CASE("a master whose lock file was removed stays master, and is replaced when its lease expires")
{
    scene s;
    s.world.computer().leader.remove();
    s.world.pass(10s);
    REQUIRE(s.world.master() == s.first);
    CHECK(s.first->epoch() == s.epoch);
    s.world.end_process(*s.first);
    auto const gap = s.until_succeeded();
    CHECK(gap > 2s);
    CHECK(gap < 4s);
}

TEST_CASE("a step of the wall clock does not affect the election on SQLite")
{
    auto const by = GENERATE(duration(-1h), duration(1h));
    scene s;
    s.world.step_wall(by);
    s.world.pass(30s);
    CHECK(s.world.master() == s.first);
    CHECK(s.first->epoch() == s.epoch);
    s.world.end_process(*s.first);
    CHECK(s.until_succeeded() < 40ms);
}
