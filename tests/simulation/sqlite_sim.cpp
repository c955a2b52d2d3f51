// The election of several processes of one machine over SQLite: a lease by the clock since boot, and a lock on a file.

#include "tests/simulation/seeds.hpp"
#include "tests/simulation/sqlite_world.hpp"

#include <catch2/catch.hpp>

using namespace baton;
using namespace baton::simulation;

namespace {

constexpr std::size_t enough = 40; // seeds, for what holds on the whole

// What is wrong with a play; nothing when all is well.
std::string wrong_with(file_report const& seen)
{
    std::string wrong;
    auto const add = [&](bool violated, char const* what) {
        if (violated)
            wrong += std::string(wrong.empty() ? "" : ", ") + what;
    };
    add(seen.two_masters != 0, "two masters");
    add(seen.epoch_went_back != 0, "an epoch that went back");
    add(seen.late_deeds != 0, "an act that was committed after those of a newer master");
    add(!seen.led_in_time, "nobody led in time after the healing");
    add(!seen.kept_leading, "nobody led for some time of peace");
    add(!seen.replaced_in_time, "a killed master was not replaced in time");
    return wrong;
}

// Plays the seeds until the flaw shows; as what.
std::string found_as(file_flaw what)
{
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        sqlite_world world(seed, what);
        auto const seen = world.play(2min);
        if (auto const wrong = wrong_with(seen); !wrong.empty())
            return wrong + " in seed " + std::to_string(seed);
    }
    return "nothing";
}

// All three use the file's lock.
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

    // How long it takes until another acts under the next epoch.
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

TEST_CASE("never two masters on one machine, whatever befalls its processes, files and clocks, and always one at last")
{
    duration led{};
    int succeeded = 0;
    auto const seeds = simulation_seeds(500);
    for (auto const seed : seeds) {
        sqlite_world world(seed);
        auto const seen = world.play(2min);
        INFO("BATON_SEED=" << seed << "\n" << seen.tail);
        REQUIRE(wrong_with(seen).empty());
        REQUIRE(seen.faults >= 3);
        REQUIRE(seen.terms > 0);
        REQUIRE(seen.deeds > 0);
        led += seen.led;
        succeeded += seen.succeeded;
    }
    auto const share = static_cast<double>(led.count()) / static_cast<double>((2min * seeds.size()) / 1us);
    CAPTURE(share, succeeded);
    if (seeds.size() >= enough) {
        CHECK(share > 0.5);
        CHECK(succeeded > 0);
    }
}

TEST_CASE("the same seed replays the same election on SQLite")
{
    auto const play = [](std::uint64_t seed) {
        sqlite_world world(seed);
        return world.play(1min).hash;
    };
    auto const first = play(4711);
    CHECK(play(4711) == first);
    CHECK(play(4712) != first);
}

TEST_CASE("an elector on SQLite that is wrong is found out")
{
    struct flawed {
        file_flaw what;
        char const* shows_as;
    };
    auto const [what, shows_as] = GENERATE(
        flawed{file_flaw::wall_clock, "nobody led"}, flawed{file_flaw::ignores_boot, "nobody led"},
        flawed{file_flaw::deadline_from_reply, "two masters"}, flawed{file_flaw::no_deadline, "two masters"},
        flawed{file_flaw::seizes_by_version, "two masters"}, flawed{file_flaw::trusts_any_lock, "two masters"},
        flawed{file_flaw::ignores_the_file, "two masters"}, flawed{file_flaw::lets_go_after_failure, "two masters"},
        flawed{file_flaw::acts_without_fence, "an act that was committed"});
    CAPTURE(static_cast<int>(what));
    CHECK_THAT(found_as(what), Catch::Contains(shows_as));
}

TEST_CASE("a master on SQLite whose process is killed is succeeded at once")
{
    scene s;
    s.world.end_process(*s.first);
    CHECK(s.until_succeeded() < 40ms);
}

TEST_CASE("a master on SQLite that stops cleanly is succeeded at once")
{
    scene s;
    s.world.end_process(*s.first, true);
    CHECK(s.until_succeeded() < 40ms);
}

TEST_CASE("a stopped process keeps its file's lock, is replaced when its lease expires, and knows it when it wakes")
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

TEST_CASE("a process that is stopped for less than its lease goes on under its epoch")
{
    scene s;
    s.first->host().freeze_for(1500ms);
    s.world.pass(1400ms);
    CHECK(s.first->believes());
    s.world.pass(10s);
    CHECK(s.world.master() == s.first);
    CHECK(s.first->epoch() == s.epoch);
}

TEST_CASE("after a start of the machine somebody leads as soon as a lease has been watched for its time")
{
    scene s;
    s.world.reboot();
    CHECK(s.world.master() == nullptr);
    s.world.pass(100ms);
    CHECK(s.until_succeeded() < 8s + 3s + 1s);
}

TEST_CASE("a master whose lock file was removed leads on, and is replaced when its lease expires")
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

TEST_CASE("a step of the wall clock changes nothing on SQLite")
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
