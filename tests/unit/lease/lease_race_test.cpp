#include "libs/lease/lease.hpp"
#include "tests/support/stores.hpp"

#include <catch2/catch.hpp>

#include <thread>

namespace lease_race_test {

using namespace baton;
using namespace baton::test;
using storage::engine;

namespace {

constexpr int contenders = 6;

// Each contender with a session and a thread of its own, as processes would have.
struct contender {
    contender(store& home, time_source& time)
        : own(home.open({.sessions = 1})),
          lease(home.where().engine == engine::mysql ? lease::make_clocked_lease(*own, "master")
                                                     : lease::make_boot_lease(*own, "master", time, "boot"))
    {}
    std::unique_ptr<storage::database> own;
    std::unique_ptr<lease::lease_store> lease;
};

} // namespace

TEST_CASE("of concurrent seizures one succeeds, so each epoch has one holder and epochs only rise")
{
    auto const kind = GENERATE(engine::mysql, engine::sqlite);
    INFO(to_string(kind));
    store home(kind);
    home.migrated(kind == engine::mysql ? storage::scheduler_tables() : storage::lease_tables());
    system_time time;
    std::vector<contender> all;
    for (int i = 0; i < contenders; ++i)
        all.emplace_back(home, time);
    wait_for(all[0].lease->ensure());

    std::int64_t epoch = 1;
    for (int round = 0; round < 20; ++round) {
        auto const seen = wait_for(all[0].lease->poll());
        CHECK(seen.epoch == epoch);
        std::vector<int> won(contenders, 0);
        std::vector<std::thread> threads;
        for (int i = 0; i < contenders; ++i)
            threads.emplace_back([&, i] {
                auto const n = static_cast<std::size_t>(i);
                lease::seizure const bid{
                    "node-" + std::to_string(i), "", 3s, seen.epoch, seen.renew_seq, seen.epoch + 1};
                won[n] = wait_for(all[n].lease->seize(bid)) ? 1 : 0;
            });
        for (auto& thread : threads)
            thread.join();
        REQUIRE(std::count(won.begin(), won.end(), 1) == 1);
        auto const winner = static_cast<std::size_t>(std::find(won.begin(), won.end(), 1) - won.begin());
        ++epoch;
        CHECK(wait_for(all[0].lease->poll()).owner == "node-" + std::to_string(winner));
        for (std::size_t i = 0; i < contenders; ++i) {
            auto const name = "node-" + std::to_string(i);
            CHECK(wait_for(all[i].lease->renew(name, epoch)) == (i == winner));
        }
        CHECK(wait_for(all[winner].lease->release("node-" + std::to_string(winner), epoch)));
    }
}

TEST_CASE("the lock row is inserted once, however many nodes start at once")
{
    auto const kind = GENERATE(engine::mysql, engine::sqlite);
    INFO(to_string(kind));
    store home(kind);
    home.migrated(kind == engine::mysql ? storage::scheduler_tables() : storage::lease_tables());
    system_time time;
    std::vector<contender> all;
    for (int i = 0; i < contenders; ++i)
        all.emplace_back(home, time);
    std::vector<std::thread> threads;
    std::atomic<int> failed{0};
    for (auto& each : all)
        threads.emplace_back([&] {
            try {
                wait_for(each.lease->ensure());
            } catch (std::exception const&) {
                ++failed;
            }
        });
    for (auto& thread : threads)
        thread.join();
    CHECK(failed == 0);
    CHECK(home.number("SELECT COUNT(*) FROM `lock`") == 1);
    CHECK(home.number("SELECT version FROM `lock`") == 1);
}

TEST_CASE("a lease whose database does not answer is unavailable, neither held nor lost")
{
    system_time time;
    auto const where = storage::parse_location("mysql://me@127.0.0.1:1/none"); // no server listens on port 1
    auto const own = storage::open_database(where, {.sessions = 1, .connect_limit_s = 1}, time);
    auto const lease = lease::make_clocked_lease(*own, "master");
    lease::seizure const bid{"me", "", 3s, 1, 0, 2};
    CHECK_THROWS_AS(wait_for(lease->ensure()), unavailable);
    CHECK_THROWS_AS(wait_for(lease->poll()), unavailable);
    CHECK_THROWS_AS(wait_for(lease->seize(bid)), unavailable);
    CHECK_THROWS_AS(wait_for(lease->renew("me", 2)), unavailable);
    CHECK_THROWS_AS(wait_for(lease->release("me", 2)), unavailable);
}

} // namespace lease_race_test
