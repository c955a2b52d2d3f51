#include "tests/unit/trigger/master/limit_tree_bench.hpp"

#include <catch2/catch.hpp>

namespace limit_tree_test {

TEST_CASE("an execution that finds no client steps back, and its task lets others go before it for a while")
{
    bench b;
    b.tree.set_limits({limited("", 1)}, b.now);
    b.enter(1, 1, "stock");
    b.enter(2, 1, "stock");
    b.enter(3, 2, "mail");
    CHECK(b.wake() == numbers({1}));
    b.tree.step_back(execution_id{1}, b.now);
    CHECK(b.at(1) == stage::idle);
    CHECK(b.wake_and_start() == numbers({3}));
    b.end(3);
    CHECK(b.wake().empty());
    b.enter(1); // there is a client
    CHECK(b.wake_and_start() == numbers({1}));
    b.end(1);
    CHECK(b.wake() == numbers({2}));
    b.tree.step_back(execution_id{2}, b.now);
    b.enter(4, 1, "stock");
    CHECK(b.wake().empty());
    b.now = *b.tree.next();
    CHECK(b.now == noon + 1s);
    CHECK(b.wake() == numbers({4}));
}

namespace {

rate_limit const two{2, 10s, 2};

// They have tokens, and no client has room.
void promise_and_step_back(bench& b, std::initializer_list<int> all)
{
    REQUIRE(b.wake() == numbers(all));
    for (auto const id : all)
        b.tree.step_back(execution_id{id}, b.now);
}

} // namespace

TEST_CASE("an execution that stepped back and enters again lets no other overtake those that stepped back with it")
{
    bench b;
    for (int id = 1; id <= 3; ++id)
        b.enter(id, 1, "stock", two);
    promise_and_step_back(b, {1, 2});
    CHECK(b.wake().empty());
    b.enter(1, 1, "stock", two);
    CHECK(b.wake_and_start() == numbers({1}));
    b.enter(2, 1, "stock", two);
    CHECK(b.wake_and_start() == numbers({2}));
    b.now += 5s;
    CHECK(b.wake_and_start() == numbers({3}));
}

TEST_CASE("executions that stepped back go on in any order, and the others after the last of them")
{
    bench b;
    b.tree.set_limits({limited("stock", 3)}, b.now);
    for (int id = 1; id <= 5; ++id)
        b.enter(id);
    promise_and_step_back(b, {1, 2, 3});
    b.enter(3);
    CHECK(b.wake_and_start() == numbers({3}));
    b.end(3);
    b.enter(1);
    CHECK(b.wake_and_start() == numbers({1}));
    b.enter(2); // none is idle any more
    CHECK(b.wake_and_start() == numbers({2, 4}));
    b.end(1);
    CHECK(b.wake() == numbers({5}));
}

TEST_CASE("executions that stepped back and have ended, or are under way after all, keep no others back")
{
    bench b;
    b.tree.set_limits({limited("stock", 2)}, b.now);
    for (int id = 1; id <= 4; ++id)
        b.enter(id);
    promise_and_step_back(b, {1, 2});
    b.end(1);
    CHECK(b.wake().empty()); // still no client
    b.tree.hold(b.member(2), b.now);
    CHECK(b.wake_and_start() == numbers({3}));
}

TEST_CASE(
    "an execution that finds no client keeps the others back for at most a second after a client took one of its task")
{
    bench b;
    b.tree.set_limits({limited("stock", 2)}, b.now);
    for (int id = 1; id <= 2; ++id)
        b.enter(id);
    for (int i = 0; i < 10; ++i) { // both have the same place again and again
        promise_and_step_back(b, {1, 2});
        b.enter(1);
        b.enter(2);
    }
    promise_and_step_back(b, {1, 2});
    b.enter(3);
    b.enter(1);
    CHECK(b.wake_and_start() == numbers({1}));
    b.now += 999ms;
    CHECK(b.wake().empty());
    b.now += 1ms;
    CHECK(*b.tree.next() == b.now);
    CHECK(b.wake_and_start() == numbers({3}));
    CHECK(b.at(2) == stage::idle);
    b.end(1);
    b.enter(2);
    CHECK(b.wake_and_start() == numbers({2}));
}

TEST_CASE("a task without a client is tried again after a second, and twice as long each time, up to a minute")
{
    bench b;
    b.tree.set_limits({limited("stock", 3)}, b.now);
    b.enter(1'000); // always behind the others
    int id = 1;
    for (auto const pause : {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) {
        for (int i = 0; i < 3; ++i)
            b.enter(id + i);
        promise_and_step_back(b, {id, id + 1, id + 2}); // at the same time: one pause
        CHECK(b.wake().empty());
        CHECK(*b.tree.next() == b.now + pause);
        b.now += pause;
        id += 3;
    }
}

} // namespace limit_tree_test
