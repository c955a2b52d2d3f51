#include "client-sdk/src/known_terms.hpp"

#include <catch2/catch.hpp>

namespace known_terms_test {

using namespace baton::client;
using baton::protocol::term_id;

TEST_CASE("the highest epoch of a namespace is remembered and lower ones are refused", "[client]")
{
    known_terms known;
    CHECK(known.observe({1, 7}));
    CHECK(known.observe({1, 7}));
    CHECK_FALSE(known.observe({1, 6}));
    CHECK(known.of(1) == term_id{1, 7});
    CHECK(known.observe({1, 9}));
    CHECK(known.all() == std::vector<term_id>{{1, 9}});
}

TEST_CASE("the epochs of one namespace refuse nothing of another", "[client]")
{
    known_terms known;
    CHECK(known.observe({1, 900}));
    CHECK(known.observe({2, 3}));
    CHECK(known.observe({1, 900}));
    CHECK_FALSE(known.observe({1, 899}));
    CHECK_FALSE(known.observe({2, 2}));
    CHECK(known.of(1) == term_id{1, 900});
    CHECK(known.of(2) == term_id{2, 3});
    CHECK(known.of(3) == term_id{3, 0});
}

TEST_CASE("a sender that knows no epoch yet is heard, and nothing is remembered of it", "[client]")
{
    known_terms known;
    CHECK(known.observe({1, 0}));
    CHECK(known.all().empty());
    CHECK_FALSE(known.observe({1, -1}));
    CHECK(known.observe({1, 1}));
    CHECK_FALSE(known.observe({1, 0}));
}

TEST_CASE("beyond the bound the namespace that was heard of longest ago is forgotten", "[client]")
{
    known_terms known;
    auto const most = static_cast<std::int64_t>(known_terms::most);
    for (std::int64_t name_space = 1; name_space <= most; ++name_space)
        REQUIRE(known.observe({name_space, 10}));
    CHECK(known.observe({1, 10}));      // heard of again, so 2 is the oldest
    CHECK_FALSE(known.observe({2, 9})); // a refused sender does not make it younger
    CHECK(known.observe({most + 1, 10}));
    CHECK(known.all().size() == known_terms::most);
    CHECK(known.of(2).epoch == 0);
    CHECK(known.of(1).epoch == 10);
    CHECK(known.of(3).epoch == 10);
}

} // namespace known_terms_test
