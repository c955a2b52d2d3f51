// Whose turn it is in a queue of nodes, and what the others wait for.

#include "locks/zookeeper/turn.hpp"

#include <catch2/catch.hpp>

using namespace baton::lock;

namespace {

using names = std::vector<std::string>;

std::string node(std::string const& unique, lock_share const& of, int place)
{
    std::string digits = std::to_string(place);
    return zoo_tag(unique, of) + "-lock-" + std::string(10 - digits.size(), '0') + digits;
}

zoo_turn turn_of(names const& nodes, std::string const& unique, lock_share const& of)
{
    return zoo_turn_of(nodes, zoo_tag(unique, of));
}

constexpr lock_share alone{};
constexpr lock_share permit{1, 2};

} // namespace

TEST_CASE("a node's name says what it takes, and nothing where it takes all")
{
    CHECK(zoo_tag("tag", alone) == "tag");
    CHECK(zoo_tag("tag", {1, 3}) == "tag-1of3");
    CHECK(zoo_share("0ab-1f-1of3-lock-0000000017").capacity == 3);
    CHECK(zoo_share("0ab-1f-lock-0000000017").capacity == 1);
    CHECK(zoo_share("of-lock-0000000017").capacity == 1);
    CHECK(zoo_share("tag-4of3-lock-0000000017").capacity == 1);
}

TEST_CASE("of plain locks the first holds it, and each other waits for the end of the one before, by number")
{
    names const nodes{"z-lock-0000000007", "a-lock-0000000012", "m-lock-0000000009", "stranger", "b-lock-0000000008"};
    CHECK(turn_of(nodes, "z", alone).held);
    CHECK_FALSE(turn_of(nodes, "z", alone).tells);
    CHECK(turn_of(nodes, "m", alone).own == "m-lock-0000000009");
    CHECK(turn_of(nodes, "m", alone).until_gone == "b-lock-0000000008");
    CHECK(turn_of(nodes, "a", alone).until_gone == "m-lock-0000000009");
    CHECK(turn_of(nodes, "x", alone).own.empty());
}

TEST_CASE("readers wait for the nearest writer before them, and writers for whoever is next before them")
{
    names const nodes{node("a", reader_share, 1), node("b", reader_share, 2), node("c", writer_share, 3),
                      node("d", writer_share, 4), node("e", reader_share, 5), node("f", reader_share, 6)};
    CHECK(turn_of(nodes, "a", reader_share).held);
    CHECK(turn_of(nodes, "b", reader_share).held);
    CHECK(turn_of(nodes, "c", writer_share).until_gone == node("b", reader_share, 2));
    CHECK(turn_of(nodes, "d", writer_share).until_gone == node("c", writer_share, 3));
    CHECK(turn_of(nodes, "e", reader_share).until_gone == node("d", writer_share, 4));
    CHECK(turn_of(nodes, "f", reader_share).until_gone == node("d", writer_share, 4));
    CHECK_FALSE(turn_of(nodes, "b", reader_share).tells);
}

TEST_CASE("the first hold permits; the next waits for any of them, and those behind for the one before to be granted")
{
    names const nodes{node("a", permit, 1), node("b", permit, 2), node("c", permit, 3), node("d", permit, 4)};
    CHECK(turn_of(nodes, "a", permit).held);
    auto const last = turn_of(nodes, "b", permit);
    CHECK(last.held);
    CHECK(last.tells); // or who waited for it to be granted would not know that it is the first to wait now
    auto const first = turn_of(nodes, "c", permit);
    CHECK_FALSE(first.held);
    CHECK(first.until_any_gone == names{node("a", permit, 1), node("b", permit, 2)});
    auto const second = turn_of(nodes, "d", permit);
    CHECK(second.until_granted == node("c", permit, 3));
    CHECK(second.until_any_gone.empty());
}

TEST_CASE("who is granted a permit tells the next also where several went at once, and both have one now")
{
    names const nodes{node("c", permit, 3), node("d", permit, 4)};
    CHECK(turn_of(nodes, "c", permit).held);
    CHECK(turn_of(nodes, "c", permit).tells); // the next has looked when this one waited
    CHECK(turn_of(nodes, "d", permit).held);
    CHECK_FALSE(turn_of(nodes, "d", permit).tells);
}

TEST_CASE("who counts otherwise than the first gets nothing, and holds up those behind until it is gone")
{
    names const nodes{node("a", permit, 1), node("x", {1, 3}, 2), node("b", permit, 3)};
    CHECK(turn_of(nodes, "a", permit).held);
    auto const wrong = turn_of(nodes, "x", {1, 3});
    CHECK_FALSE(wrong.held);
    CHECK(wrong.disagreed == 2);
    auto const behind = turn_of(nodes, "b", permit);
    CHECK(behind.disagreed == 0);
    CHECK_FALSE(behind.held); // it might be the first by now, and hold it
    CHECK(behind.until_gone == node("x", {1, 3}, 2));
}
