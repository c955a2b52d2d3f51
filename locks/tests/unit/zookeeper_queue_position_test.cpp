// Which nodes of a queue hold the lock, and which nodes the others wait for.

#include "locks/zookeeper/queue_position.hpp"

#include <catch2/catch.hpp>

using namespace baton::lock;

namespace {

using names = std::vector<std::string>;

std::string node(std::string const& unique, lock_share const& of, int place)
{
    std::string digits = std::to_string(place);
    return zoo_tag(unique, of) + "-lock-" + std::string(10 - digits.size(), '0') + digits;
}

zoo_queue_position position_of(names const& nodes, std::string const& unique, lock_share const& of)
{
    return zoo_queue_position_of(nodes, zoo_tag(unique, of));
}

constexpr lock_share alone{};
constexpr lock_share permit{1, 2};

} // namespace

TEST_CASE("a node's name has the share, unless the lock is exclusive")
{
    CHECK(zoo_tag("tag", alone) == "tag");
    CHECK(zoo_tag("tag", {1, 3}) == "tag-1of3");
    CHECK(zoo_share("0ab-1f-1of3-lock-0000000017").capacity == 3);
    CHECK(zoo_share("0ab-1f-lock-0000000017").capacity == 1);
    CHECK(zoo_share("of-lock-0000000017").capacity == 1);
    CHECK(zoo_share("tag-4of3-lock-0000000017").capacity == 1);
}

TEST_CASE("the first node of an exclusive lock holds it, and each other waits for the node before it")
{
    names const nodes{"z-lock-0000000007", "a-lock-0000000012", "m-lock-0000000009", "stranger", "b-lock-0000000008"};
    CHECK(position_of(nodes, "z", alone).held);
    CHECK_FALSE(position_of(nodes, "z", alone).must_notify_next);
    CHECK(position_of(nodes, "m", alone).own == "m-lock-0000000009");
    CHECK(position_of(nodes, "m", alone).until_gone == "b-lock-0000000008");
    CHECK(position_of(nodes, "a", alone).until_gone == "m-lock-0000000009");
    CHECK(position_of(nodes, "x", alone).own.empty());
}

TEST_CASE("a reader waits for the nearest writer before it, and a writer for the node before it")
{
    names const nodes{node("a", reader_share, 1), node("b", reader_share, 2), node("c", writer_share, 3),
                      node("d", writer_share, 4), node("e", reader_share, 5), node("f", reader_share, 6)};
    CHECK(position_of(nodes, "a", reader_share).held);
    CHECK(position_of(nodes, "b", reader_share).held);
    CHECK(position_of(nodes, "c", writer_share).until_gone == node("b", reader_share, 2));
    CHECK(position_of(nodes, "d", writer_share).until_gone == node("c", writer_share, 3));
    CHECK(position_of(nodes, "e", reader_share).until_gone == node("d", writer_share, 4));
    CHECK(position_of(nodes, "f", reader_share).until_gone == node("d", writer_share, 4));
    CHECK_FALSE(position_of(nodes, "b", reader_share).must_notify_next);
}

TEST_CASE(
    "the first nodes hold the permits, the next waits for any of them, and the others for the grant of the node before")
{
    names const nodes{node("a", permit, 1), node("b", permit, 2), node("c", permit, 3), node("d", permit, 4)};
    CHECK(position_of(nodes, "a", permit).held);
    auto const last = position_of(nodes, "b", permit);
    CHECK(last.held);
    CHECK(last.must_notify_next); // so that the next learns that it is the first waiter now
    auto const first = position_of(nodes, "c", permit);
    CHECK_FALSE(first.held);
    CHECK(first.until_any_gone == names{node("a", permit, 1), node("b", permit, 2)});
    auto const second = position_of(nodes, "d", permit);
    CHECK(second.until_granted == node("c", permit, 3));
    CHECK(second.until_any_gone.empty());
}

TEST_CASE("a node that is granted a permit notifies the next, even if that can hold a permit too")
{
    names const nodes{node("c", permit, 3), node("d", permit, 4)};
    CHECK(position_of(nodes, "c", permit).held);
    CHECK(position_of(nodes, "c", permit).must_notify_next); // the next looked while this one was waiting
    CHECK(position_of(nodes, "d", permit).held);
    CHECK_FALSE(position_of(nodes, "d", permit).must_notify_next);
}

TEST_CASE("a node with another permit count is refused, and the nodes behind wait until it is gone")
{
    names const nodes{node("a", permit, 1), node("x", {1, 3}, 2), node("b", permit, 3)};
    CHECK(position_of(nodes, "a", permit).held);
    auto const wrong = position_of(nodes, "x", {1, 3});
    CHECK_FALSE(wrong.held);
    CHECK(wrong.disagreed == 2);
    auto const behind = position_of(nodes, "b", permit);
    CHECK(behind.disagreed == 0);
    CHECK_FALSE(behind.held); // it might be the first by now, and hold the lock
    CHECK(behind.until_gone == node("x", {1, 3}, 2));
}
