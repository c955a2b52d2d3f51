// The database stands still while the clients of one node send heartbeats and others join. By default 3,000 clients and
// 1,000 more that join meanwhile; BATON_STORM="30000 10000" plays another size.

#include "libs/base/process.hpp"
#include "tests/simulation/cluster_verdict.hpp"

#include <catch2/catch.hpp>
#include <soci/soci.h>
#include <spdlog/fmt/fmt.h>

#include <cstdlib>
#include <ctime>
#include <iostream>
#include <map>
#include <numeric>
#include <sstream>

using namespace baton;
using namespace baton::simulation;

namespace {

struct storm_size {
    std::size_t clients = 3'000;
    std::size_t joiners = 1'000;
};

storm_size chosen_size()
{
    storm_size chosen;
    if (char const* const given = std::getenv("BATON_STORM"); given != nullptr)
        std::istringstream(given) >> chosen.clients >> chosen.joiners;
    return chosen;
}

// Calls of the database and requests since the last look.
class meter {
public:
    explicit meter(cluster_world& world) : world_(world), calls_(world.stage().database.calls())
    {
        world.stage().net.on_request = [this](http::url const& to, http::request const& message) {
            ++requests_[message.target];
            ++by_node_[message.target][to.text()];
        };
    }
    ~meter() { world_.stage().net.on_request = {}; }

    std::uint64_t calls() const { return world_.stage().database.calls() - calls_; }
    std::uint64_t to(std::string const& path) { return requests_[path]; }
    std::uint64_t most_to_one(std::string const& path) // host
    {
        std::uint64_t most = 0;
        for (auto const& [to, count] : by_node_[path])
            most = std::max(most, count);
        return most;
    }
    void print_and_reset(char const* what)
    {
        std::cout << what << ": " << calls() << " calls of the database";
        for (auto const& [path, count] : requests_)
            std::cout << ", " << path << ' ' << count << " (" << most_to_one(path) << ')';
        std::cout << std::endl;
        requests_.clear();
        by_node_.clear();
        calls_ = world_.stage().database.calls();
    }

private:
    cluster_world& world_;
    std::map<std::string, std::uint64_t> requests_;
    std::map<std::string, std::map<std::string, std::uint64_t>> by_node_;
    std::uint64_t calls_;
};

duration processor_time()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds{now.tv_sec} +
           std::chrono::duration_cast<duration>(std::chrono::nanoseconds{now.tv_nsec});
}

// The longest step of the simulation's loop; the database's own work is part of it.
class step_meter {
public:
    explicit step_meter(sim::virtual_time& time) : time_(time), last_(processor_time())
    {
        time_.observe([this] {
            auto const now = processor_time();
            longest_ = std::max(longest_, now - last_);
            last_ = now;
        });
    }
    ~step_meter() { time_.observe({}); }
    duration longest() const { return longest_; }

private:
    sim::virtual_time& time_;
    duration last_;
    duration longest_{};
};

std::size_t heard(cluster_world& world)
{
    auto const homes = world.clients_of_nodes();
    return std::accumulate(homes.begin(), homes.end(), std::size_t{0});
}

int rows(cluster_world& world, std::string const& condition)
{
    int count = 0;
    world.stage().database.inspect(
        [&](soci::session& sql) { sql << "SELECT COUNT(*) FROM client WHERE " + condition, soci::into(count); });
    return count;
}

} // namespace

TEST_CASE("the database stands still for 10 s, and afterwards nothing is written but who has joined")
{
    auto const size = chosen_size();
    cluster_world world(Catch::rngSeed(), 1, size.clients, 1);
    meter seen(world);
    auto const began = world.stage().time.now();
    REQUIRE(world.stage().time.run_until([&] { return heard(world) == size.clients; }, 60s));
    std::cout << size.clients << " clients registered within " << (world.stage().time.now() - began) / 1ms << " ms"
              << std::endl;
    seen.print_and_reset("the first registrations");
    world.pass(10s);
    seen.print_and_reset("settling");
    world.pass(10s);
    auto const quiet = seen.calls();
    seen.print_and_reset("10 s of quiet");
    auto const statements_of_quiet = [&](duration span) { return quiet * static_cast<std::uint64_t>(span / 1s) / 10; };

    auto const groups_of = [](duration span) { return static_cast<std::uint64_t>(span / 10ms) + 1; };

    constexpr std::uint64_t new_term = 200; // the master has lost its lease meanwhile
    step_meter steps(world.stage().time);
    auto const still_since = to_micros(world.stage().database.utc());
    world.stage().database.freeze_for(10s);
    for (int second = 0; second < 10; ++second) {
        for (std::size_t i = 0; i < size.joiners / 10; ++i)
            world.add_client("default");
        world.pass(1s);
    }
    CHECK(seen.calls() <= statements_of_quiet(10s) + 10);
    // At most four a second of each joiner, which begins with short pauses; the others wait as long as they are asked.
    CHECK(seen.to("/client/v1/register") <= size.joiners * 12);
    CHECK(seen.to("/client/v1/heartbeat") <= size.clients * 8);
    seen.print_and_reset("10 s of standstill");

    auto const all = size.clients + size.joiners / 10 * 10;
    auto const thawed = world.stage().time.now();
    bool const done = world.stage().time.run_until([&] { return heard(world) == all; }, 30s);
    auto const took = world.stage().time.now() - thawed;
    CHECK(done);
    CHECK(took <= 8s); // the pauses of clients grow to 5 s
    auto const calls = seen.calls();
    CHECK(calls <= statements_of_quiet(took + 1s) + groups_of(took) + new_term);
    std::cout << "all had registered " << took / 1ms << " ms after the standstill" << std::endl;
    seen.print_and_reset("until all had registered");
    world.pass(20s);
    auto const for_term = seen.to("/internal/v1/epoch") > 0 ? new_term : 0; // it may begin as late as now
    CHECK(seen.calls() <= statements_of_quiet(20s) * 11 / 10 + for_term);
    seen.print_and_reset("20 s afterwards");

    CHECK(heard(world) == all);
    CHECK(rows(world, "state = 'gone'") == 0);
    CHECK(rows(world, fmt::format("changed_at >= {}", still_since)) == static_cast<int>(size.joiners / 10 * 10));
    CHECK(world.terms().size() <= 2);
    std::cout << "the longest step: " << steps.longest() / 1us << " us" << std::endl;
    CHECK(steps.longest() < 500ms); // with room for sanitizers
}

TEST_CASE("ten of a hundred nodes are gone in one second, each other node hears of it once, and the master stays",
          "[large]")
{
    constexpr std::size_t nodes = 100;
    constexpr std::size_t clients = 300;
    cluster_world world(Catch::rngSeed(), nodes, clients, 4);
    meter seen(world);
    world.pass(10s);
    REQUIRE(world.master() >= 0);
    auto const from = begin_of(world);
    auto const until = from + 60s;
    std::vector<expectation> expected;
    for (int i = 0; i < 10; ++i) {
        auto often = make_task("often " + std::to_string(i), from, until);
        often.schedule.kind = protocol::schedule_kind::fixed_rate;
        often.schedule.every = 100ms;
        expected.push_back({world.add(often).task.id, often.name, instants_of(100ms, from, until)});
    }
    world.pass(10s);
    seen.print_and_reset("before");
    world.pass(10s);
    auto const quiet = seen.calls();
    auto const moves = seen.to("/internal/v1/departed"); // clients move until homes are even
    seen.print_and_reset("10 s of quiet");

    auto const master = static_cast<std::size_t>(world.master());
    for (std::size_t i = 0; i < nodes / 10; ++i) {
        world.kill_node((master + 1 + i * 7) % nodes, 10min);
        world.pass(100ms);
    }
    world.pass(9s);
    auto const registered = seen.to(protocol::path_register); // clients of the dead nodes
    CHECK(seen.calls() <= quiet * 11 / 10 + 100 + 5 * registered);
    CHECK(seen.most_to_one("/internal/v1/ask") <= 2);
    CHECK(seen.most_to_one("/internal/v1/epoch") == 0);
    CHECK(seen.to("/internal/v1/departed") <= moves + clients / 10 * 2);
    seen.print_and_reset("the 10 s of the deaths");
    world.pass(20s);
    CHECK(seen.calls() <= quiet * 22 / 10);
    seen.print_and_reset("20 s afterwards");
    world.pass(40s);
    CHECK(world.terms().size() == 1);
    CHECK(heard(world) == clients);
    CHECK(world.gone_clients() == 0);
    for (auto const& one : expected)
        CHECK(firing_problems(world, one) == "");
    CHECK(world.seen().doubled == 0);
}
