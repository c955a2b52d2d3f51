#include "libs/base/random.hpp"
#include "trigger/clients/home_watches.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace home_watches_test {

using namespace baton::trigger;

TEST_CASE("no client moves while all nodes have the same number, within a tenth or one client")
{
    CHECK(clients_to_move(5, {}) == 0);
    CHECK(clients_to_move(3, {2, 2}) == 0);
    CHECK(clients_to_move(2, {1, 0}) == 0);
    CHECK(clients_to_move(105, {100, 95}) == 0);
    CHECK(clients_to_move(10, {30, 20}) == 0); // the others have too many
}

TEST_CASE("a node that joins gets its share, a part of the excess at a time")
{
    CHECK(clients_to_move(3, {3, 0}) == 1);
    CHECK(clients_to_move(300, {0, 0}) == 50);
    CHECK(clients_to_move(30'000, {0}) == 200);
}

namespace {

struct round_of_moves {
    std::vector<std::size_t> nodes;
    std::size_t moved = 0;
};

// Each node decides by what it knew of the others a while ago, and by its own number now.
round_of_moves move_once(std::vector<std::size_t> const& nodes, std::vector<std::size_t> const& known)
{
    round_of_moves after{nodes};
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        auto elsewhere = known;
        elsewhere.erase(elsewhere.begin() + static_cast<std::ptrdiff_t>(i));
        for (auto const home : next_homes(nodes[i], elsewhere, i, false)) {
            --after.nodes[i];
            ++after.nodes[home < i ? home : home + 1];
            ++after.moved;
        }
    }
    return after;
}

std::size_t surplus_of(std::vector<std::size_t> const& nodes)
{
    auto const share = std::accumulate(nodes.begin(), nodes.end(), std::size_t{0}) / nodes.size();
    std::size_t all = 0;
    for (auto const each : nodes)
        all += each - std::min(each, share);
    return all;
}

} // namespace

TEST_CASE("nodes that know each other's numbers become even, by few moves, and then stay so")
{
    std::vector<std::size_t> nodes{1'000, 0, 300, 20};
    auto const needed = surplus_of(nodes);
    std::size_t moved = 0;
    int rounds = 0;
    for (bool moving = true; moving && rounds < 100; ++rounds) {
        auto after = move_once(nodes, nodes);
        moving = after.moved != 0;
        moved += after.moved;
        nodes = std::move(after.nodes);
    }
    CHECK(rounds < 60);
    CHECK(moved <= needed);
    auto const [least, most] = std::minmax_element(nodes.begin(), nodes.end());
    CHECK(static_cast<double>(*most) <= 1.2 * static_cast<double>(*least));
    CHECK(std::accumulate(nodes.begin(), nodes.end(), 0U) == 1'320);
}

TEST_CASE("a hundred nodes with a few clients too many do not all send them to the same node")
{
    std::vector<std::size_t> nodes(100);
    baton::seeded_random random{5};
    for (int i = 0; i < 2'000; ++i)
        ++nodes[random.below(100)];
    auto const needed = surplus_of(nodes);
    auto known = nodes; // two rounds old
    auto newer = nodes;
    std::size_t moved = 0;
    for (int round = 0; round < 40; ++round) {
        auto after = move_once(nodes, known);
        known = std::exchange(newer, after.nodes);
        nodes = std::move(after.nodes);
        moved += after.moved;
    }
    auto const [least, most] = std::minmax_element(nodes.begin(), nodes.end());
    CHECK(*least >= 16);
    CHECK(*most <= 24);
    CHECK(moved <= 2 * needed); // 4 times that if each chose the node with the fewest
}

TEST_CASE("a node that drains spreads its clients over the places that the others have")
{
    std::vector<std::size_t> others{50, 0, 10};
    for (std::size_t here = 60; here > 0;) {
        auto const homes = next_homes(here, others, 1, true);
        REQUIRE(homes.size() == here); // below 200
        for (auto const home : homes)
            ++others[home];
        here -= homes.size();
    }
    CHECK(others == std::vector<std::size_t>{50, 30, 40}); // ten places are for the surplus of the first
    CHECK(next_homes(5'000, {0, 0}, 0, true).size() == 200);
    CHECK(next_homes(10, {}, 0, true).empty());
}

} // namespace home_watches_test
