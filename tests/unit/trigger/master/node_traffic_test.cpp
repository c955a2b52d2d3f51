#include "trigger/master/node_traffic.hpp"

#include <catch2/catch.hpp>

namespace node_traffic_test {

using namespace baton;
using namespace baton::trigger;

namespace {
protocol::service_key const shop{"default", "shop"};
protocol::service_key const bank{"default", "bank"};
constexpr instant now{100s};
}

TEST_CASE("assignments have numbers that rise over the whole term")
{
    node_traffic traffic;
    CHECK(traffic.next_number() == 1);
    CHECK(traffic.number("a").number == 1);
    CHECK(traffic.number("a").number == 2);
    CHECK(traffic.number("b").number == 3);
    CHECK(traffic.next_number() == 4);
}

TEST_CASE("an assignment names the lower numbers whose requests have not ended, and no others")
{
    node_traffic traffic;
    for (int i = 0; i < 3; ++i)
        traffic.began("a", traffic.number("a").number);
    traffic.ended("a", 2);
    CHECK(traffic.number("a").open == std::vector<std::int64_t>{1, 3});
    CHECK(traffic.number("b").open.empty());
    traffic.ended("a", 1);
    traffic.ended("a", 3);
    CHECK(traffic.number("a").open.empty());
}

TEST_CASE("a node is busy while it owes as many answers as it may, and another node is not")
{
    node_traffic traffic;
    for (std::size_t i = 0; i < node_traffic::most_open; ++i) {
        CHECK_FALSE(traffic.busy("a"));
        traffic.began("a", traffic.number("a").number);
    }
    CHECK(traffic.busy("a"));
    CHECK_FALSE(traffic.busy("b"));
    traffic.ended("a", 4);
    CHECK_FALSE(traffic.busy("a"));
}

TEST_CASE("the services that waited for a node are told once, and those of another node are not")
{
    node_traffic traffic;
    traffic.stall("a", shop);
    traffic.stall("a", shop);
    traffic.stall("a", bank);
    traffic.stall("b", shop);
    CHECK(traffic.unstall("a").size() == 2);
    CHECK(traffic.unstall("a").empty());
    CHECK(traffic.unstall("b").size() == 1);
}

TEST_CASE("a node is avoided until its time has come, which a further failure moves")
{
    node_traffic traffic;
    CHECK_FALSE(traffic.avoided("a", now));
    traffic.avoid("a", now + 1s);
    CHECK(traffic.avoided("a", now + 999ms));
    CHECK_FALSE(traffic.avoided("b", now));
    traffic.avoid("a", now + 2s);
    CHECK(traffic.avoided("a", now + 1s));
    CHECK_FALSE(traffic.avoided("a", now + 2s));
}

} // namespace node_traffic_test
