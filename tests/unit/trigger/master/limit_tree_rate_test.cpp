#include "tests/unit/trigger/master/limit_tree_bench.hpp"

#include <catch2/catch.hpp>

namespace limit_tree_test {

TEST_CASE("a rate of a task lets the others of its service go on")
{
    bench b;
    rate_limit const rate{1, 1s, 1};
    b.tree.set_limits({limited("stock", 100)}, b.now);
    for (int id = 1; id <= 3; ++id)
        b.enter(id, 1, "stock", rate);
    b.enter(4, 2);
    CHECK(b.wake_and_start() == numbers({1, 4}));
    CHECK(b.tree.blocker_of(execution_id{2}, b.now) == blocker::task_rate);
    CHECK(*b.tree.next() == b.now + 1s);
    b.now += 1s;
    CHECK(b.wake_and_start() == numbers({2}));
    b.now += 1s;
    CHECK(b.wake_and_start() == numbers({3}));
}

TEST_CASE("a further attempt takes a token and no second place, and goes before those that wait for a place")
{
    bench b;
    b.tree.set_limits({limited("stock", 1, {1, 1s, 2})}, b.now);
    b.enter(1);
    b.enter(2);
    CHECK(b.wake_and_start() == numbers({1}));
    b.enter(1); // its second attempt
    CHECK(b.wake_and_start() == numbers({1}));
    b.enter(1);
    CHECK(b.wake().empty());
    CHECK(b.tree.blocker_of(execution_id{1}, b.now) == blocker::service_rate);
    b.now += 1s;
    CHECK(b.wake_and_start() == numbers({1}));
    b.end(1);
    b.now += 1s;
    CHECK(b.wake_and_start() == numbers({2}));
}

TEST_CASE("a token is taken when an execution is sent, and not when it is promised")
{
    bench b;
    rate_limit const rate{1, 1s, 2};
    for (int id = 1; id <= 5; ++id)
        b.enter(id, 1, "stock", rate);
    CHECK(b.wake() == numbers({1, 2}));
    b.now += 10s; // no client took them meanwhile
    CHECK(b.wake().empty());
    b.start(1);
    b.start(2);
    CHECK(b.wake().empty());
    CHECK(*b.tree.next() == b.now + 1s);
}

TEST_CASE("a broadcast counts for its task, its shards for the service and the project")
{
    bench b;
    rate_limit const rate{1, 60s, 1};
    b.tree.set_limits({limited("stock", 1)}, b.now);
    auto parent = b.member(1, 1, "stock", rate);
    parent.broadcast = true;
    b.tree.enter(parent, b.now);
    CHECK(b.wake_and_start() == numbers({1}));
    for (int id = 2; id <= 3; ++id) {
        auto shard = b.member(id, 1, "stock", rate);
        shard.shard = true;
        b.tree.enter(shard, b.now);
    }
    CHECK(b.wake_and_start() == numbers({2}));
    b.end(2);
    CHECK(b.wake_and_start() == numbers({3}));
    auto next = b.member(4, 1, "stock", rate);
    next.broadcast = true;
    b.tree.enter(next, b.now);
    CHECK(b.wake().empty());
    CHECK(b.tree.blocker_of(execution_id{4}, b.now) == blocker::task_rate);
}

TEST_CASE("a fast rate begins a term without tokens, a slow one as it was recorded")
{
    limit_tree tree;
    rate_limit const fast{10, 1s, 3};
    rate_limit const slow{1, 60s, 2};
    tree.begin(noon, {{task_id{2}, {}, noon + 90s}});
    auto const enter = [&](int id, int task, rate_limit const& rate) {
        tree.enter({execution_id{id}, task_id{task}, 1, rate, {"shop", "stock"}, noon}, noon);
    };
    enter(1, 1, fast);
    enter(2, 2, slow);
    enter(3, 3, slow); // its tokens are all there
    CHECK(tree.wake(noon, 10) == numbers({3}));
    CHECK(tree.wake(noon + 99ms, 10).empty());
    CHECK(tree.wake(noon + 100ms, 10) == numbers({1}));
    CHECK(tree.wake(noon + 29s, 10).empty());
    CHECK(tree.wake(noon + 30s, 10) == numbers({2}));
}

TEST_CASE("a recorded state keeps no token back for longer than the present rate does")
{
    limit_tree tree;
    rate_limit const edited{1, 60s, 2};
    tree.begin(noon, {{task_id{1}, {}, noon + 24h}}); // of a rate of one a day
    tree.enter({execution_id{1}, task_id{1}, 2, edited, {"shop", "stock"}, noon}, noon);
    CHECK(tree.wake(noon + 59s, 10).empty());
    CHECK(tree.wake(noon + 60s, 10) == numbers({1}));
}

TEST_CASE("settings of others that change do not delay the next token of a slow rate")
{
    bench b;
    rate_limit const hourly{1, 1h, 1};
    b.tree.set_limits({limited("stock", 0, hourly)}, b.now);
    b.enter(1);
    b.enter(2);
    CHECK(b.wake_and_start() == numbers({1}));
    b.now += 59min;
    b.tree.set_limits({limited("stock", 0, hourly), limited("mail", 1)}, b.now);
    b.now += 1min;
    CHECK(b.wake_and_start() == numbers({2}));
}

TEST_CASE("a slow rate is recorded before its tokens are taken, a second ahead")
{
    bench b;
    rate_limit const slow{1, 60s, 2};
    b.enter(1, 1, "stock", slow);
    b.enter(2, 1, "stock", slow);
    auto const both = b.wake();
    REQUIRE(both == numbers({1, 2}));
    CHECK(b.tree.must_record(execution_id{1}, b.now));
    auto const states = b.tree.states_to_record(both, b.now);
    REQUIRE(states.size() == 1);
    CHECK(states[0].task == task_id{1});
    CHECK(states[0].full_at == b.now + 121s);
    CHECK(b.tree.must_record(execution_id{1}, b.now)); // the write may have failed
    b.tree.recorded(states);
    b.tree.start(execution_id{1}, b.now + 1s);
    CHECK_FALSE(b.tree.must_record(execution_id{2}, b.now + 1s));
    CHECK(b.tree.must_record(execution_id{2}, b.now + 62s));

    rate_limit const fast{1, 1s, 1};
    b.enter(3, 2, "stock", fast);
    CHECK(b.wake() == numbers({3}));
    CHECK_FALSE(b.tree.must_record(execution_id{3}, b.now));
}

TEST_CASE("an execution that was sent and did not begin puts back the token that it took, once")
{
    bench b;
    rate_limit const rate{1, 60s, 3};
    b.tree.hold(b.member(1, 1, "stock", rate), b.now); // under way before this term: it took no token here
    for (int id = 2; id <= 5; ++id)
        b.enter(id, 1, "stock", rate);
    CHECK(b.wake_and_start() == numbers({2, 3, 4}));
    b.tree.put_back_tokens(execution_id{1}, b.now);
    CHECK(b.wake().empty());
    b.tree.put_back_tokens(execution_id{2}, b.now);
    b.tree.put_back_tokens(execution_id{2}, b.now);
    b.enter(2, 1, "stock", rate);
    CHECK(b.wake_and_start() == numbers({2})); // before the fifth: it has its place
    CHECK(b.wake().empty());
}

TEST_CASE("what was recorded for an execution that found no client covers its next try")
{
    bench b;
    rate_limit const slow{1, 60s, 1};
    b.enter(1, 1, "stock", slow);
    REQUIRE(b.wake() == numbers({1}));
    b.tree.recorded(b.tree.states_to_record(numbers({1}), b.now));
    b.tree.step_back(execution_id{1}, b.now + 100ms);
    b.enter(1, 1, "stock", slow);
    REQUIRE(b.wake() == numbers({1}));
    CHECK_FALSE(b.tree.must_record(execution_id{1}, b.now + 1s));
}

TEST_CASE("a state that was recorded in vain covers a longer time at each try, up to that of a token")
{
    bench b;
    rate_limit const slow{1, 5s, 1};
    auto const recorded = [&] {
        auto const states = b.tree.states_to_record(numbers({1}), b.now);
        REQUIRE(states.size() == 1);
        b.tree.recorded(states);
        auto const covers = states[0].full_at - b.now - 5s;
        b.now += covers + 1ms;
        return covers;
    };
    b.enter(1, 1, "stock", slow);
    REQUIRE(b.wake() == numbers({1}));
    CHECK(recorded() == 1s);
    CHECK(recorded() == 2s);
    CHECK(recorded() == 4s);
    CHECK(recorded() == 5s);
    CHECK(recorded() == 5s);
    b.tree.start(execution_id{1}, b.now);
    b.end(1);
    b.now += 5s;
    b.enter(1, 1, "stock", slow);
    REQUIRE(b.wake() == numbers({1}));
    CHECK(recorded() == 1s);
}

TEST_CASE("a task whose executions become broadcasts keeps one rate, and one record of it")
{
    bench b;
    rate_limit const slow{1, 60s, 2};
    auto const now_broadcast = [&](int id) {
        auto which = b.member(id, 1, "stock", slow);
        which.broadcast = true;
        which.version = 2;
        return which;
    };
    b.enter(1, 1, "stock", slow);
    b.enter(2, 1, "stock", slow);
    CHECK(b.wake_and_start() == numbers({1, 2}));
    b.tree.enter(now_broadcast(3), b.now);
    CHECK(b.wake().empty());
    b.now += 60s;
    CHECK(b.wake() == numbers({3}));
    auto const states = b.tree.states_to_record(numbers({3}), b.now);
    REQUIRE(states.size() == 1);
    CHECK(states[0].full_at == b.now + 120s);
}

TEST_CASE("a task whose rate an edit takes away and gives again has only the tokens that have come back")
{
    bench b;
    rate_limit const slow{1, 60s, 2};
    b.enter(1, 1, "stock", slow);
    b.enter(2, 1, "stock", slow);
    CHECK(b.wake_and_start() == numbers({1, 2}));
    b.end(1);
    auto without = b.member(2);
    without.version = 2;
    b.tree.hold(without, b.now);
    b.end(2);
    auto again = b.member(3, 1, "stock", slow);
    again.version = 3;
    b.tree.enter(again, b.now);
    CHECK(b.wake().empty());
    b.now += 60s;
    CHECK(b.wake() == numbers({3}));
}

TEST_CASE("a rate that an edit changes or takes away holds at once for those that wait")
{
    bench b;
    rate_limit const hourly{1, 1h, 1};
    for (int id = 1; id <= 6; ++id)
        b.enter(id, 1, "stock", hourly);
    CHECK(b.wake_and_start() == numbers({1}));
    b.tree.edit(task_id{1}, 2, {1, 10s, 1}, b.now);
    b.tree.edit(task_id{7}, 2, {1, 10s, 1}, b.now); // has no execution that waits
    CHECK(b.wake_and_start().empty());
    b.now += 10s;
    CHECK(b.wake_and_start() == numbers({2}));
    b.tree.edit(task_id{1}, 4, none, b.now);
    CHECK(b.wake_and_start() == numbers({3, 4, 5, 6}));
    b.tree.edit(task_id{1}, 3, hourly, b.now); // seen late
    b.enter(7, 1, "stock", hourly);            // a firing of an earlier version
    CHECK(b.wake_and_start() == numbers({7}));
    CHECK(b.tree.knows(task_id{1}));
    CHECK_FALSE(b.tree.knows(task_id{2}));
}

TEST_CASE("a task is forgotten when it has all its tokens again, and not before")
{
    bench b;
    rate_limit const rate{1, 1s, 1};
    b.enter(1, 1, "stock", rate);
    CHECK(b.wake_and_start() == numbers({1}));
    b.end(1);
    CHECK(b.tree.tasks() == 1);
    b.enter(2, 1, "stock", rate);
    CHECK(b.wake().empty());
    b.end(2);
    b.now += 1s;
    CHECK(b.wake().empty());
    CHECK(b.tree.tasks() == 0);
}

} // namespace limit_tree_test
