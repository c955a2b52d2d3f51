#include "trigger/clients/routing.hpp"

#include <catch2/catch.hpp>

#include <map>

using namespace baton;
using namespace baton::trigger;

namespace {

known_client make_client(std::string instance, std::set<std::string> handlers)
{
    known_client one;
    one.row.instance = std::move(instance);
    one.handlers = std::move(handlers);
    return one;
}

} // namespace

TEST_CASE("a candidate is up, serves the handler and is not to be avoided")
{
    auto good = make_client("a", {"h"});
    auto other = make_client("b", {"x"});
    auto draining = make_client("c", {"h"});
    draining.row.state = storage::client_state::draining;
    auto busy = make_client("d", {"h"});
    busy.avoid_until = instant{10s};
    std::vector<known_client*> const live{&good, &other, &draining, &busy};
    CHECK(candidates(live, "h", instant{9s}) == std::vector{&good});
    CHECK(candidates(live, "h", instant{10s}) == std::vector{&good, &busy});
    CHECK(candidates(live, "unserved", instant{10s}).empty());
}

TEST_CASE("round robin gives every client the same share, with a turn for each handler")
{
    seeded_random random(1);
    router_of_clients router(random);
    auto a = make_client("a", {});
    auto b = make_client("b", {});
    auto c = make_client("c", {});
    std::vector<known_client*> const all{&a, &b, &c};
    std::map<known_client*, int> share;
    for (int i = 0; i < 30; ++i) {
        ++share[router.choose(all, protocol::client_choice::round_robin, "s", "h")];
        router.choose(all, protocol::client_choice::round_robin, "s", "another");
    }
    CHECK(share == std::map<known_client*, int>{{&a, 10}, {&b, 10}, {&c, 10}});
}

TEST_CASE("failover stays with the first candidate, random reaches all, and without candidates no client is chosen")
{
    seeded_random random(1);
    router_of_clients router(random);
    auto a = make_client("a", {});
    auto b = make_client("b", {});
    std::vector<known_client*> const all{&a, &b};
    for (int i = 0; i < 5; ++i)
        CHECK(router.choose(all, protocol::client_choice::failover, "s", "h") == &a);
    std::set<known_client*> reached;
    for (int i = 0; i < 50; ++i)
        reached.insert(router.choose(all, protocol::client_choice::random, "s", "h"));
    CHECK(reached.size() == 2);
    CHECK(router.choose({}, protocol::client_choice::random, "s", "h") == nullptr);
}
