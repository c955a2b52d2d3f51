#include "trigger/master/served_demands.hpp"

#include <catch2/catch.hpp>

#include <deque>
#include <string>

namespace served_demands_test {

using namespace baton;
using namespace baton::trigger;

namespace {

protocol::service_key const shop{"default", "s"};
protocol::service_key const other{"default", "other"};

struct fixture {
    handler_set plain{nullptr, {"h"}};
    handler_set tagged{nullptr, {"/gpu", "h", "x"}};
    std::deque<listed_client> all;
    std::vector<listed_client const*> of_shop;
    served_demands demands;

    listed_client& add(handler_set const& handlers, protocol::service_key const& service = shop, bool takes_work = true,
                       bool draining = false)
    {
        auto& one = all.emplace_back();
        one.service = &service;
        one.handlers = &handlers;
        one.takes_work = takes_work;
        one.draining = draining;
        if (service == shop)
            of_shop.push_back(&one);
        demands.joined(one);
        return one;
    }
    std::pair<std::size_t, std::size_t> count(std::string const& demand)
    {
        auto const found = demands.of(shop, demand, of_shop);
        return {found.staying, found.working};
    }
};

using counts = std::pair<std::size_t, std::size_t>;

} // namespace

TEST_CASE("the clients that meet a demand are counted, those that drain and those that take no work apart")
{
    fixture f;
    CHECK(f.count("h") == counts{0, 0});
    f.add(f.plain);
    f.add(f.tagged);
    CHECK(f.count("h") == counts{2, 2});
    CHECK(f.count("h/gpu") == counts{1, 1});
    CHECK(f.count("none") == counts{0, 0});
    auto& unreachable = f.add(f.plain, shop, false);
    f.add(f.tagged, shop, false, true);
    f.add(f.tagged, other);
    CHECK(f.count("h") == counts{3, 2});
    CHECK(f.count("h/gpu") == counts{1, 1});
    f.demands.left(unreachable);
    CHECK(f.count("h") == counts{2, 2});
}

TEST_CASE("a question looks at the clients once, and later ones at none, however many clients come and go")
{
    fixture f;
    for (int i = 0; i < 20'000; ++i)
        f.add(f.plain);
    CHECK(f.count("none") == counts{0, 0});
    CHECK(f.demands.looks() == 20'000);
    for (int i = 0; i < 1'000; ++i) {
        f.count("none");
        f.demands.left(f.all.front());
        f.demands.joined(f.all.front());
        f.add(f.plain, other);
    }
    CHECK(f.demands.looks() == 20'000 + 2'000);
    f.add(f.tagged);
    CHECK(f.count("none") == counts{0, 0});
    CHECK(f.count("x") == counts{1, 1});
}

} // namespace served_demands_test
