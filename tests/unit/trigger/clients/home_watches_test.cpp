#include "trigger/clients/home_watches.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

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

TEST_CASE("nodes that know each other's numbers become even and then stay so")
{
    std::vector<std::size_t> nodes{1'000, 0, 300, 20};
    int rounds = 0;
    for (bool moving = true; moving && rounds < 100; ++rounds) {
        moving = false;
        auto const before = nodes;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            auto elsewhere = before;
            elsewhere.erase(elsewhere.begin() + static_cast<std::ptrdiff_t>(i));
            auto const moved = clients_to_move(before[i], elsewhere);
            moving = moving || moved != 0;
            nodes[i] -= moved;
            *std::min_element(nodes.begin(), nodes.end()) += moved;
        }
    }
    CHECK(rounds < 60);
    auto const [least, most] = std::minmax_element(nodes.begin(), nodes.end());
    CHECK(static_cast<double>(*most) <= 1.2 * static_cast<double>(*least));
    CHECK(std::accumulate(nodes.begin(), nodes.end(), 0U) == 1'320);
}

} // namespace home_watches_test
