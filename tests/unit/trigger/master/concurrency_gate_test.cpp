#include "libs/base/random.hpp"
#include "trigger/master/concurrency_gate.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

namespace concurrency_gate_test {

using namespace baton;
using namespace baton::trigger;
using protocol::when_full;
using verdict = concurrency_gate::verdict;

namespace {

concurrency_gate::place const here{task_id{1}, 0};

protocol::concurrency_policy policy(int limit, when_full how = when_full::wait, int queue = 0)
{
    return {limit, how, queue, {}};
}

concurrency_gate::candidate at(int id, bool may_skip = true)
{
    return {execution_id{id}, utc_time{std::chrono::seconds{id}}, may_skip};
}

std::vector<execution_id> ids(std::initializer_list<int> numbers)
{
    std::vector<execution_id> out;
    for (auto const id : numbers)
        out.push_back(execution_id{id});
    return out;
}

} // namespace

TEST_CASE("executions are admitted up to the limit, and the others in order of time as the first ones end", "[trigger]")
{
    concurrency_gate gate;
    auto const two = policy(2);
    CHECK(gate.enter(here, two, at(1)).what == verdict::admitted);
    CHECK(gate.enter(here, two, at(2)).what == verdict::admitted);
    CHECK(gate.enter(here, two, at(4)).what == verdict::waits);
    CHECK(gate.enter(here, two, at(3)).what == verdict::waits);
    CHECK(gate.enter(here, two, at(3)).what == verdict::waits); // asked again
    CHECK(gate.enter(here, two, at(1)).what == verdict::admitted);
    CHECK(gate.leave(execution_id{2}) == ids({3}));
    CHECK(gate.leave(execution_id{4}).empty()); // it was cancelled while it waited
    CHECK(gate.leave(execution_id{1}).empty());
    CHECK(gate.leave(execution_id{3}).empty());
    CHECK(gate.places() == 0);
}

TEST_CASE("a limit that the next execution finds raised admits those that wait before it", "[trigger]")
{
    concurrency_gate gate;
    gate.enter(here, policy(1), at(1));
    gate.enter(here, policy(1), at(3));
    auto const next = gate.enter(here, policy(2), at(2));
    CHECK(next.what == verdict::waits);
    CHECK(next.admitted == ids({3}));
    auto const last = gate.enter(here, policy(4), at(4));
    CHECK(last.what == verdict::admitted);
    CHECK(last.admitted == ids({2}));
}

TEST_CASE("when the policy is to skip, or the queue is full, an execution is skipped unless it was sent before",
          "[trigger]")
{
    concurrency_gate gate;
    gate.enter(here, policy(1, when_full::skip), at(1));
    CHECK(gate.enter(here, policy(1, when_full::skip), at(2)).what == verdict::skipped);
    CHECK(gate.enter(here, policy(1, when_full::skip), at(3, false)).what == verdict::waits);
    CHECK(gate.leave(execution_id{1}) == ids({3}));

    concurrency_gate queue;
    queue.enter(here, policy(1, when_full::wait, 1), at(1));
    CHECK(queue.enter(here, policy(1, when_full::wait, 1), at(2)).what == verdict::waits);
    CHECK(queue.enter(here, policy(1, when_full::wait, 1), at(3)).what == verdict::skipped);
}

TEST_CASE("when the policy is to replace, the newest waits alone and the oldest under way is cancelled", "[trigger]")
{
    concurrency_gate gate;
    auto const two = policy(2, when_full::replace);
    gate.enter(here, two, at(1));
    gate.enter(here, two, at(2));
    auto const third = gate.enter(here, two, at(3));
    CHECK(third.what == verdict::waits);
    CHECK(third.skip.empty());
    CHECK(third.cancel == ids({1}));
    auto const fourth = gate.enter(here, two, at(4));
    CHECK(fourth.skip == ids({3}));
    CHECK_FALSE(gate.waits(execution_id{3}));
    CHECK(gate.leave(execution_id{1}) == ids({4}));
}

TEST_CASE("the newest replaces the oldest that is open and not forced", "[trigger]")
{
    concurrency_gate gate;
    auto const newest = policy(2, when_full::replace);
    SECTION("and not a forced execution that is older")
    {
        gate.enter(here, newest, {execution_id{1}, at(1).scheduled_at, true, true});
        gate.enter(here, newest, at(2));
        CHECK(gate.enter(here, newest, at(3)).cancel == ids({2}));
    }
    SECTION("and not an older handler whose execution has ended")
    {
        gate.enter(here, newest, at(1));
        gate.enter(here, newest, at(2));
        gate.runs_on(execution_id{1});
        CHECK(gate.enter(here, newest, at(3)).cancel == ids({2}));
    }
    SECTION("and waits if there is none")
    {
        gate.enter(here, newest, {execution_id{1}, at(1).scheduled_at, true, true});
        gate.enter(here, newest, at(2));
        gate.runs_on(execution_id{2});
        auto const third = gate.enter(here, newest, at(3));
        CHECK(third.what == verdict::waits);
        CHECK(third.cancel.empty());
        CHECK(gate.leave(execution_id{1}) == ids({3}));
    }
}

TEST_CASE("what may be under way counts beyond the limit, until it is known not to be", "[trigger]")
{
    concurrency_gate gate;
    gate.hold(here, policy(1), at(1));
    gate.hold(here, policy(1), at(2));
    gate.hold(here, policy(1), at(3));
    CHECK(gate.enter(here, policy(1), at(4)).what == verdict::waits);
    CHECK(gate.leave(execution_id{1}).empty());
    CHECK(gate.release_if_full(execution_id{3}).empty());
    CHECK_FALSE(gate.holds(execution_id{3}));
    CHECK(gate.release_if_full(execution_id{2}).empty()); // it is the only one, so it keeps its place
    CHECK(gate.holds(execution_id{2}));
    CHECK(gate.enter(here, policy(1), at(3, false)).what == verdict::waits);
    CHECK(gate.leave(execution_id{2}) == ids({3}));
}

TEST_CASE("of several that are not under way after all, the first in line goes on, however they become known",
          "[trigger]")
{
    concurrency_gate gate;
    for (int const id : {1, 2, 3})
        gate.hold(here, policy(1), at(id));
    auto const first = gate.give_back(policy(1), at(1, false));
    CHECK(first.admitted.empty());
    CHECK(gate.give_back(policy(1), at(2, false)).admitted.empty());
    CHECK(gate.give_back(policy(1), at(3, false)).admitted == ids({1}));
    CHECK(gate.waits(execution_id{3}));
    CHECK(gate.leave(execution_id{1}) == ids({2}));
}

TEST_CASE("one that is not under way after all waits behind those that were due before it", "[trigger]")
{
    concurrency_gate gate;
    gate.hold(here, policy(1), at(3));
    gate.enter(here, policy(1), at(2));
    CHECK(gate.give_back(policy(1), at(3, false)).admitted == ids({2}));
    CHECK(gate.waits(execution_id{3}));
}

TEST_CASE("an older execution does not take the place of a newer one, in whatever order they enter", "[trigger]")
{
    concurrency_gate gate;
    auto const newest = policy(1, when_full::replace);
    gate.hold(here, policy(1), at(5));
    auto const late = gate.enter(here, newest, at(3));
    CHECK(late.outdated);
    CHECK(late.cancel.empty());
    CHECK(gate.enter(here, newest, at(6)).cancel == ids({5}));
    CHECK(gate.enter(here, newest, at(4, false)).outdated);
    CHECK(gate.leave(execution_id{5}) == ids({6}));
}

TEST_CASE("of several that are not under way after all, the newest goes on where it replaces others", "[trigger]")
{
    concurrency_gate gate;
    auto const newest = policy(1, when_full::replace);
    for (int const id : {1, 2, 3})
        gate.hold(here, policy(1), at(id));
    CHECK(gate.give_back(newest, at(1, false)).outdated);
    CHECK(gate.give_back(newest, at(2, false)).outdated);
    CHECK(gate.give_back(newest, at(3, false)).admitted == ids({3}));
}

TEST_CASE("each key of a task has its own limit", "[trigger]")
{
    concurrency_gate gate;
    concurrency_gate::place const other{task_id{1}, 7};
    CHECK(gate.enter(here, policy(1), at(1)).what == verdict::admitted);
    CHECK(gate.enter(other, policy(1), at(2)).what == verdict::admitted);
    CHECK(gate.enter(other, policy(1), at(3)).what == verdict::waits);
    CHECK(gate.leave(execution_id{1}).empty());
}

TEST_CASE("in random orders of entering and ending no limit is exceeded, none is passed over, and none is lost",
          "[trigger]")
{
    auto const seed = Catch::rngSeed();
    INFO("seed " << seed);
    seeded_random random(seed);
    for (int round = 0; round < 200; ++round) {
        concurrency_gate gate;
        auto const limit = 1 + static_cast<int>(random.below(3));
        std::set<int> under_way;
        std::set<int> waiting;
        std::size_t admitted = 0;
        int next = 0;
        auto const admit = [&](std::vector<execution_id> const& all) {
            for (auto const id : all) {
                auto const number = static_cast<int>(id.value());
                REQUIRE(number == *waiting.begin());
                waiting.erase(number);
                under_way.insert(number);
                ++admitted;
            }
        };
        while (next < 50 || !under_way.empty()) {
            if (next < 50 && random.below(2) == 0) {
                auto const what = gate.enter(here, policy(limit), at(++next)).what;
                (what == verdict::admitted ? under_way : waiting).insert(next);
                admitted += what == verdict::admitted ? 1 : 0;
            } else if (!under_way.empty()) {
                auto gone = under_way.begin();
                std::advance(gone, static_cast<std::ptrdiff_t>(random.below(under_way.size())));
                auto const id = execution_id{*gone};
                under_way.erase(gone);
                admit(gate.leave(id));
            }
            REQUIRE(under_way.size() <= static_cast<std::size_t>(limit));
            REQUIRE((waiting.empty() || under_way.size() == static_cast<std::size_t>(limit)));
        }
        CHECK(admitted == 50);
        CHECK(gate.places() == 0);
    }
}

TEST_CASE("a forced execution is admitted beside others, and counts from then on", "[trigger]")
{
    concurrency_gate gate;
    auto const forced = [](int id) { return concurrency_gate::candidate{at(id).id, at(id).scheduled_at, true, true}; };
    auto const one = policy(1, when_full::skip);
    gate.enter(here, one, at(1));
    CHECK(gate.enter(here, one, forced(2)).what == verdict::admitted);
    CHECK(gate.leave(execution_id{1}).empty());
    CHECK(gate.enter(here, one, at(3)).what == verdict::skipped);
    gate.leave(execution_id{2});
    CHECK(gate.places() == 0);
}

TEST_CASE("a forced execution takes no place from one that is under way", "[trigger]")
{
    concurrency_gate gate;
    auto const forced = [](int id) { return concurrency_gate::candidate{at(id).id, at(id).scheduled_at, true, true}; };
    gate.enter(here, policy(1), at(1));
    gate.enter(here, policy(1), forced(2));
    CHECK(gate.release_if_full(execution_id{1}).empty());
    CHECK(gate.holds(execution_id{1}));
    gate.hold(here, policy(1), forced(3)); // which a former master may have sent
    gate.release_if_full(execution_id{1});
    CHECK(gate.holds(execution_id{1}));
    gate.hold(here, policy(1), at(4));
    gate.release_if_full(execution_id{4}); // two are under way without force
    CHECK_FALSE(gate.holds(execution_id{4}));
    gate.release_if_full(execution_id{3}); // it enters again, by force
    CHECK_FALSE(gate.holds(execution_id{3}));
}

TEST_CASE("one that takes over the place of a forced execution does not exceed the limit", "[trigger]")
{
    concurrency_gate gate;
    auto const forced = [](int id) { return concurrency_gate::candidate{at(id).id, at(id).scheduled_at, true, true}; };
    gate.enter(here, policy(1), at(1));
    gate.enter(here, policy(1), forced(2));
    gate.hand_over(execution_id{2}, at(3));
    CHECK_FALSE(gate.holds(execution_id{2}));
    CHECK_FALSE(gate.holds(execution_id{3}));
    gate.leave(execution_id{1});
    gate.enter(here, policy(1), forced(4));
    gate.hand_over(execution_id{4}, at(5));
    CHECK(gate.holds(execution_id{5}));
}

TEST_CASE("a forced execution replaces no older one that enters after it", "[trigger]")
{
    concurrency_gate gate;
    auto const newest = policy(1, when_full::replace);
    gate.enter(here, newest, {execution_id{2}, at(2).scheduled_at, true, true});
    auto const late = gate.enter(here, newest, at(1)); // planned late
    CHECK(late.what == verdict::waits);
    CHECK_FALSE(late.outdated);
    gate.leave(execution_id{2});
    CHECK(gate.holds(execution_id{1}));
}

TEST_CASE("a forced execution waits for a handler that runs on, and goes before all others then", "[trigger]")
{
    concurrency_gate gate;
    auto const forced = [](int id) { return concurrency_gate::candidate{at(id).id, at(id).scheduled_at, true, true}; };
    gate.enter(here, policy(1), at(1));
    gate.runs_on(execution_id{1});
    CHECK(gate.enter(here, policy(1), at(2)).what == verdict::waits);
    CHECK(gate.enter(here, policy(1), forced(3)).what == verdict::waits);
    CHECK(gate.enter(here, policy(1), forced(4)).what == verdict::waits);
    auto const newest = gate.enter(here, policy(1, when_full::replace), at(5));
    CHECK(newest.skip == ids({2})); // and not what is forced
    CHECK(gate.leave(execution_id{1}) == ids({3, 4}));
    CHECK(gate.leave(execution_id{3}).empty());
    CHECK(gate.leave(execution_id{4}) == ids({5}));
    gate.leave(execution_id{5});
    CHECK(gate.places() == 0);
}

TEST_CASE("what is forced and waits keeps no other back from a place that is free", "[trigger]")
{
    concurrency_gate gate;
    gate.enter(here, policy(2), at(1));
    gate.runs_on(execution_id{1});
    CHECK(gate.enter(here, policy(2), {execution_id{2}, at(2).scheduled_at, true, true}).what == verdict::waits);
    CHECK(gate.enter(here, policy(2), at(3)).what == verdict::admitted);
}

} // namespace concurrency_gate_test
