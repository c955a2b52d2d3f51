#include "tests/simulation/cluster_verdict.hpp"
#include "tests/simulation/seeds.hpp"

#include <catch2/catch.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <numeric>
#include <vector>

using namespace baton;
using namespace baton::simulation;

// How soon clients have another home, and what that costs firings: when a node dies, stops or joins.

namespace {

constexpr duration new_home = 200ms;      // after the death of the old home
constexpr duration longest_break = 350ms; // for a service whose only client has lost its home
constexpr duration on_time = 50ms;

std::size_t heard(cluster_world& world)
{
    auto const homes = world.clients_of_nodes();
    return std::accumulate(homes.begin(), homes.end(), std::size_t{0});
}

std::size_t number_of(std::string const& node)
{
    return std::stoul(node.substr(1));
}

// A node that hears clients and does not lead.
std::size_t follower_with_clients(cluster_world& world)
{
    auto const homes = world.clients_of_nodes();
    for (std::size_t i = 0; i < homes.size(); ++i)
        if (homes[i] != 0 && static_cast<int>(i) != world.master())
            return i;
    throw std::logic_error("only the master hears clients");
}

duration drawn(cluster_world& world, duration most)
{
    return world.stage().random_between(0us, most);
}

// Firings from `since` on that began later than `most` after their instant, or not in their first attempt.
std::string late_firings(cluster_world& world, expectation const& task, utc_time since, duration most)
{
    std::string wrong;
    for (auto const& row : world.firings(task.task)) {
        auto const late = row.started_at - row.scheduled_at;
        if (row.scheduled_at >= to_micros(since) && (late > most.count() || row.attempt != 1))
            wrong += describe(task.name, row, fmt::format("began {} us after its time", late));
    }
    return wrong;
}

expectation add_often(cluster_world& world, utc_time from, utc_time until, std::string const& project = "default")
{
    auto task = often("often", "work", from, until);
    task.project = project;
    auto const id = world.add(task).task.id;
    return {id, task.name, instants_of(100ms, from, until)};
}

std::string homeless_after_a_death(std::uint64_t seed)
{
    cluster_world world(seed, 3, 6, 20);
    world.pass(8s + drawn(world, 5s)); // at any moment between two heartbeats
    auto const all = heard(world);
    auto const victim = follower_with_clients(world);
    auto const killed = world.stage().time.now();
    world.kill_node(victim, 60s);
    world.pass(1ms); // it is gone, and its clients with it
    auto const left = heard(world);
    world.stage().time.run_until([&] { return heard(world) == all; }, 10s);
    auto const took = world.stage().time.now() - killed;
    std::string wrong;
    if (all != 6 || left == all)
        wrong += fmt::format("{} of 6 clients had a home, {} after the death of one\n", all, left);
    if (took > new_home)
        wrong += fmt::format("the clients of the dead node had homes after {} ms\n", took / 1ms);
    return wrong;
}

// Services with one client each, of which one is judged whose home is not the master.
std::string only_client_loses_its_home(std::uint64_t seed)
{
    constexpr std::size_t services = 6;
    cluster_world world(seed, 3, 0, 200);
    for (std::size_t i = 0; i < services; ++i) {
        client_place place;
        place.project = fmt::format("p{}", i);
        place.fetches = seed % 2 == 0;
        world.add_client(std::move(place));
    }
    world.pass(8s);
    std::size_t judged = 0;
    auto const home = [&] { return number_of(home_of(world, judged)); };
    while (static_cast<int>(home()) == world.master())
        ++judged;
    auto const from = begin_of(world);
    auto const task = add_often(world, from, from + 10s, fmt::format("p{}", judged));
    world.pass(from - world.stage().time.utc() + 3s + drawn(world, 1s));
    auto const killed = world.stage().time.utc();
    world.kill_node(home(), 60s);
    world.pass(15s);
    world.settle();
    return problems(world, {task}) + late_firings(world, task, killed, longest_break);
}

std::string clean_stop_of_a_home(std::uint64_t seed)
{
    cluster_world world(seed, 3, 6, 200);
    world.pass(8s);
    auto const from = begin_of(world);
    auto const task = add_often(world, from, from + 10s);
    world.pass(from - world.stage().time.utc() + 3s + drawn(world, 1s));
    auto const stops = follower_with_clients(world);
    auto const all = heard(world);
    bool const ended = world.stop_node(stops, 30s);
    world.pass(1ms);
    std::string wrong;
    if (!ended)
        wrong += "the node did not end\n";
    if (heard(world) != all)
        wrong += fmt::format("{} of {} clients had another home when the node ended\n", heard(world), all);
    world.pass(15s);
    world.settle();
    return wrong + problems(world, {task}) + late_firings(world, task, from, on_time);
}

std::string a_node_joins(std::uint64_t seed)
{
    constexpr std::size_t clients = 31;
    cluster_world world(seed, 3, clients, 20);
    world.pass(4s);
    auto const joins = (static_cast<std::size_t>(world.master()) + 1) % 3;
    world.kill_node(joins, 30s); // it joins when it is started again
    world.pass(20s);
    auto const from = begin_of(world);
    auto const until = from + 40s;
    auto const task = add_often(world, from, until);
    world.pass(until - world.stage().time.utc());
    auto const homes = world.clients_of_nodes();
    world.settle();
    auto wrong = problems(world, {task}) + late_firings(world, task, from, on_time);
    auto const [least, most] = std::minmax_element(homes.begin(), homes.end());
    auto const share = clients / 3;
    if (homes.size() != 3 || std::accumulate(homes.begin(), homes.end(), std::size_t{0}) != clients)
        return wrong + "some clients have no home\n";
    if (*most - *least > std::max<std::size_t>(share / 5, 1))
        wrong += fmt::format("between {} and {} clients of a node\n", *least, *most);
    return wrong;
}

} // namespace

TEST_CASE("when a node dies, its clients have another home within 200 ms")
{
    check_seeds(5, homeless_after_a_death);
}

TEST_CASE("when the home of a service's only client dies, later firings begin within 350 ms")
{
    check_seeds(3, only_client_loses_its_home);
}

TEST_CASE("a node that stops cleanly sends its clients on first, and no firing is 50 ms late")
{
    check_seeds(4, clean_stop_of_a_home);
}

TEST_CASE("after a node has joined, homes become even, and no firing is missed, doubled or 50 ms late for that",
          "[large]")
{
    check_seeds(2, a_node_joins);
}
