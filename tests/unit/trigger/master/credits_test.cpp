#include "trigger/master/credits.hpp"

#include <catch2/catch.hpp>

#include <ctime>
#include <map>

namespace credits_test {

using namespace baton;
using namespace baton::trigger;

namespace {

constexpr instant now{100s};
protocol::service_key const shop{"default", "s"};

bool any(std::string const&)
{
    return true;
}

protocol::capacity_message word(std::int64_t number, int places, std::vector<std::string> handlers = {"h"})
{
    return {number, {{"default", "s", {{std::move(handlers), places, places}}}}};
}

protocol::capacity_message slots_and_places(int slots, int places)
{
    return {1, {{"default", "s", {{{"h"}, slots, places}}}}};
}

// Takes one credit; the node that it belongs to.
std::string take(credits& all, std::string const& handler = "h")
{
    auto const found = all.choose(shop, handler, 1, now, any);
    if (found.credit == nullptr)
        return {};
    credits::use(*found.credit);
    return *found.credit->node;
}

} // namespace

TEST_CASE("a node gets no more executions than it has places, and one that has ended makes room")
{
    credits all;
    CHECK(take(all).empty());
    all.hear("n", word(1, 2));
    CHECK(take(all) == "n");
    CHECK(take(all) == "n");
    CHECK(take(all).empty());
    credits::release(*all.at("n", shop, "h"));
    CHECK(take(all) == "n");
}

TEST_CASE("a demand with a tag counts only the credit of clients with the tag")
{
    credits all;
    all.hear("n", word(1, 2));
    all.hear("m", word(1, 1, {"/gpu", "h"}));
    CHECK(take(all, "h/gpu") == "m");
    CHECK(take(all, "h/gpu").empty());
    CHECK(take(all, "h") == "n");
}

TEST_CASE("a word is a level: it does not add to the last one, and an older one does not count")
{
    credits all;
    all.hear("n", word(2, 3));
    CHECK(take(all) == "n");
    all.hear("n", word(3, 2)); // one of them is used
    CHECK(take(all) == "n");
    CHECK(take(all).empty());
    CHECK(all.hear("n", word(1, 100)).empty());
    CHECK(take(all).empty());
    all.hear("n", {4, {{"default", "s", {}}}});
    CHECK(all.at("n", shop, "h") == nullptr);
}

TEST_CASE("only credits for clients that serve the handler are used")
{
    credits all;
    all.hear("old", word(1, 1));
    all.hear("new", word(1, 1, {"h", "extra"}));
    CHECK(take(all, "extra") == "new");
    CHECK(take(all, "extra").empty());
    CHECK(take(all, "h") == "old");
    CHECK(take(all, "none").empty());
}

TEST_CASE("a single request takes no more executions than the node has places, however many wait")
{
    credits all;
    all.hear("n", word(1, 5));
    auto const first = all.choose(shop, "h", 1'000, now, any);
    REQUIRE(first.credit != nullptr);
    CHECK(first.room == 5);
    credits::use(*first.credit, 3);
    CHECK(all.choose(shop, "h", 1'000, now, any).room == 2);
}

TEST_CASE("a choice does not look through the credits for other handlers")
{
    credits all;
    protocol::capacity_message told{1, {{"default", "s", {}}}};
    for (int i = 0; i < 3'000; ++i)
        told.services[0].classes.push_back({{"h" + std::to_string(i)}, 1'000'000, 1'000'000});
    all.hear("n", told);
    auto const before = std::clock();
    int taken = 0;
    for (int i = 0; i < 20'000; ++i)
        taken += take(all, "h7") == "n" ? 1 : 0;
    CHECK(taken == 20'000);
    CHECK(std::clock() - before < CLOCKS_PER_SEC); // of processor time; it would be many
}

TEST_CASE("nodes take turns in proportion to their places")
{
    credits all;
    all.hear("large", word(1, 300));
    all.hear("small", word(1, 100));
    int large = 0;
    for (int i = 0; i < 40; ++i)
        large += take(all) == "large" ? 1 : 0;
    CHECK(large == 30);
}

TEST_CASE("the places of queues are used only when no slot is free anywhere")
{
    credits all;
    all.hear("hung", slots_and_places(1, 100));
    all.hear("good", slots_and_places(3, 100));
    std::map<std::string, int> taken;
    for (int i = 0; i < 4; ++i)
        ++taken[take(all)];
    CHECK(taken == std::map<std::string, int>{{"good", 3}, {"hung", 1}});
    credits::release(*all.at("good", shop, "h"));
    CHECK(take(all) == "good");
    CHECK_FALSE(take(all).empty());
}

TEST_CASE("a few executions go to one node, many are spread over all")
{
    credits all;
    all.hear("a", word(1, 10'000));
    all.hear("b", word(1, 10'000));
    CHECK(all.choose(shop, "h", 50, now, any).room == 50);
    auto const part = all.choose(shop, "h", 1'000, now, any).room;
    CHECK(part > 450);
    CHECK(part < 550);
}

TEST_CASE("a closed credit or an unusable node is passed over, and the choice says when to look again")
{
    credits all;
    all.hear("a", word(1, 5));
    all.hear("b", word(1, 5));
    all.at("a", shop, "h")->closed_until = now + 50ms;
    CHECK(*all.choose(shop, "h", 1, now, any).credit->node == "b");
    auto const none = all.choose(shop, "h", 1, now, [](std::string const& node) { return node != "b"; });
    CHECK(none.credit == nullptr);
    CHECK(none.again == now + 50ms);
    all.hear("a", word(2, 5)); // a new word opens it
    CHECK(*all.choose(shop, "h", 1, now, [](std::string const& node) { return node != "b"; }).credit->node == "a");
    all.forget("a");
    all.forget("b");
    auto const gone = all.choose(shop, "h", 1, now, any);
    CHECK(gone.credit == nullptr);
    CHECK_FALSE(gone.again); // only a word helps
    CHECK(all.times_forgotten("a") == 1);
    CHECK(all.times_forgotten("c") == 0);
}

TEST_CASE("two projects with a service of the same name have credits of their own")
{
    credits all;
    protocol::service_key const theirs{"theirs", "s"};
    CHECK(all.hear("n", {1, {{"theirs", "s", {{{"h"}, 5, 5}}}}}) == std::vector{theirs});
    CHECK(take(all).empty());
    CHECK(all.at("n", shop, "h") == nullptr);
    auto const found = all.choose(theirs, "h", 1, now, any);
    REQUIRE(found.credit != nullptr);
    CHECK(*found.credit->service == theirs);
    all.hear("n", {2, {{"default", "s", {{{"h"}, 1, 1}}}}}); // says nothing of theirs
    CHECK(take(all) == "n");
    CHECK(take(all).empty());
    CHECK(all.choose(theirs, "h", 1, now, any).credit != nullptr);
}

TEST_CASE("what nodes leave behind when they are gone, or serve other handlers, is dropped unless an execution uses it")
{
    credits all;
    all.hear("n0", word(1, 5));
    auto* used = all.choose(shop, "h", 1, now, any).credit;
    REQUIRE(used != nullptr);
    credits::use(*used);
    for (int i = 1; i <= 100; ++i) {
        all.forget("n" + std::to_string(i - 1));
        all.hear("n" + std::to_string(i), word(1, 5));
        all.hear("n" + std::to_string(i), word(2, 5, {"h", "new"}));
    }
    CHECK(all.size() == 2);
    CHECK(used->used == 1);
    credits::release(*used);
    all.hear("n100", word(3, 5));
    CHECK(all.size() == 1);
    all.hear("n100", {4, {{"default", "s", {}}}});
    CHECK(all.size() == 1); // with the number of its last word
    CHECK(all.hear("n100", word(3, 5)).empty());
}

} // namespace credits_test
