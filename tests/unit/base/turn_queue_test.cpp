#include "libs/base/turn_queue.hpp"

#include <catch2/catch.hpp>

#include <vector>

namespace turn_queue_test {

using baton::turn_queue;

namespace {

std::vector<int> take_all(turn_queue<int>& queue)
{
    std::vector<int> taken;
    while (queue.next() != nullptr)
        taken.push_back(queue.take());
    return taken;
}

} // namespace

TEST_CASE("owners take turns, and the items of each keep their order")
{
    turn_queue<int> queue;
    for (int i = 10; i < 14; ++i)
        queue.put("a", i);
    queue.put("b", 20);
    queue.put("c", 30);
    queue.put("c", 31);
    CHECK(queue.size() == 7);
    CHECK(queue.size_of("a") == 4);
    CHECK(queue.owners() == 3);
    CHECK(take_all(queue) == std::vector{10, 20, 30, 11, 31, 12, 13});
    CHECK(queue.empty());
    CHECK(queue.owners() == 0);
}

TEST_CASE("an owner that comes back waits for its turn behind the others")
{
    turn_queue<int> queue;
    queue.put("a", 10);
    queue.put("b", 20);
    queue.put("b", 21);
    CHECK(queue.take() == 10);
    queue.put("a", 11);
    CHECK(take_all(queue) == std::vector{20, 11, 21});
}

TEST_CASE("an item is taken out of the middle, and the turn of an owner without items goes to the next")
{
    turn_queue<int> queue;
    auto const only = queue.put("a", 10);
    queue.put("b", 20);
    auto const middle = queue.put("b", 21);
    queue.put("b", 22);
    queue.erase(only);
    queue.erase(middle);
    CHECK(queue.size() == 2);
    CHECK(*queue.next() == 20);
    CHECK(queue.size_of("a") == 0);
    CHECK(take_all(queue) == std::vector{20, 22});
}

} // namespace turn_queue_test
