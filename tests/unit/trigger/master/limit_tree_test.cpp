#include "tests/unit/trigger/master/limit_tree_bench.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace limit_tree_test {

TEST_CASE("a tree without limits concerns nothing")
{
    bench b;
    CHECK_FALSE(b.tree.concerns(b.member(1)));
    CHECK_FALSE(b.tree.any_service_limited());
    b.tree.set_limits({limited("mail", 1)}, b.now);
    CHECK_FALSE(b.tree.concerns(b.member(1)));
    CHECK(b.tree.concerns(b.member(1, 1, "mail")));
    CHECK(b.tree.concerns(b.member(1, 1, "stock", {1, 1s, 1})));
    b.tree.set_limits({limited("", 1)}, b.now);
    CHECK(b.tree.concerns(b.member(1)));
}

TEST_CASE("executions of a service go on in order, as many at a time as it lets")
{
    bench b;
    b.tree.set_limits({limited("stock", 2)}, b.now);
    for (int const id : {3, 1, 2, 4})
        b.enter(id, id); // of different tasks
    CHECK(b.wake_and_start() == numbers({1, 2}));
    CHECK(b.wake().empty());
    CHECK(b.tree.blocker_of(execution_id{3}, b.now) == blocker::service_concurrency);
    b.end(1);
    CHECK(b.wake_and_start() == numbers({3}));
    b.end(4); // while it waits
    b.end(2);
    b.end(3);
    CHECK(b.wake().empty());
    CHECK(b.tree.size() == 0);
    CHECK(b.tree.tasks() == 0);
}

TEST_CASE("a project limits its services together, and an execution that its service keeps back takes nothing from it")
{
    bench b;
    b.tree.set_limits({limited("", 2), limited("stock", 1)}, b.now);
    b.enter(1, 1, "stock");
    b.enter(2, 1, "stock");
    b.enter(3, 2, "mail");
    b.enter(4, 2, "mail");
    CHECK(b.wake_and_start() == numbers({1, 3}));
    CHECK(b.tree.blocker_of(execution_id{2}, b.now) == blocker::service_concurrency);
    CHECK(b.tree.blocker_of(execution_id{4}, b.now) == blocker::project_concurrency);
    b.end(3);
    CHECK(b.wake_and_start() == numbers({4}));
    b.end(1);
    CHECK(b.wake_and_start() == numbers({2}));
}

TEST_CASE("a wake looks at as many as the limits free, however many wait")
{
    bench b;
    b.tree.set_limits({limited("stock", 0, {10, 1s, 5})}, b.now);
    for (int id = 1; id <= 10'000; ++id)
        b.enter(id, id % 100);
    CHECK(b.wake_and_start().size() == 5);
    std::size_t all = 5;
    for (int i = 0; i < 100; ++i) {
        b.now = *b.tree.next();
        auto const granted = b.wake_and_start();
        CHECK(granted.size() == 1);
        all += granted.size();
    }
    CHECK(b.now == noon + 10s);
    CHECK(all == 105);
}

TEST_CASE("what was under way before counts, also beyond the limit, and gives way when nobody has it")
{
    bench b;
    b.tree.set_limits({limited("stock", 1)}, b.now);
    b.tree.hold(b.member(1), b.now);
    b.tree.hold(b.member(2), b.now);
    b.enter(3);
    CHECK(b.wake().empty());
    b.tree.release_if_over(execution_id{1}, b.now);
    CHECK(b.at(1) == stage::unknown);
    b.tree.release_if_over(execution_id{2}, b.now);
    CHECK(b.at(2) == stage::sent);
    b.end(2);
    CHECK(b.wake() == numbers({3}));
}

TEST_CASE("what has not begun and is not under way after all waits in its place in line")
{
    bench b;
    b.tree.set_limits({limited("stock", 1)}, b.now);
    for (int const id : {2, 3})
        b.tree.hold(b.member(id), b.now);
    b.enter(1);
    b.tree.give_back(b.member(2), b.now);
    CHECK(b.wake().empty());
    b.tree.give_back(b.member(3), b.now);
    CHECK(b.wake_and_start() == numbers({1}));
    b.end(1);
    CHECK(b.wake_and_start() == numbers({2}));
    CHECK(b.at(3) == stage::waits);
}

TEST_CASE("limits that change hold at once, for those that wait too")
{
    bench b;
    b.tree.set_limits({limited("stock", 1)}, b.now);
    for (int id = 1; id <= 6; ++id)
        b.enter(id);
    CHECK(b.wake_and_start() == numbers({1}));
    b.tree.set_limits({limited("stock", 3)}, b.now);
    CHECK(b.wake_and_start() == numbers({2, 3}));
    b.tree.set_limits({limited("stock", 2)}, b.now);
    b.end(1);
    CHECK(b.wake().empty());
    b.tree.set_limits({}, b.now);
    CHECK(b.wake_and_start() == numbers({4, 5, 6}));
}

TEST_CASE("executions of a task that moves to another service count for the service that each was sent to")
{
    bench b;
    b.tree.set_limits({limited("stock", 1), limited("mail", 1)}, b.now);
    b.enter(1, 1, "stock");
    b.enter(2, 1, "stock");
    b.enter(3, 2, "stock");
    CHECK(b.wake_and_start() == numbers({1}));
    auto moved = b.member(4, 1, "mail");
    moved.version = 2;
    b.tree.enter(moved, b.now);
    CHECK(b.wake_and_start() == numbers({4}));
    CHECK(b.tree.blocker_of(execution_id{3}, b.now) == blocker::service_concurrency);
    b.end(1);
    CHECK(b.wake_and_start() == numbers({2}));
    b.end(2);
    CHECK(b.wake_and_start() == numbers({3}));
    b.end(3);
    b.end(4);
    CHECK(b.tree.tasks() == 0);
}

// Each step does something at random; the limits are checked by counting.
TEST_CASE("no limit is ever exceeded, and nothing waits without one")
{
    auto const seed = GENERATE(range(0u, 20u));
    bench b;
    rate_limit const rate{20, 1s, 3};
    b.tree.set_limits({limited("", 6, {50, 1s, 5}), limited("stock", 4), limited("mail", 0, {30, 1s, 4})}, b.now);
    std::uint32_t state = seed * 2'654'435'761u + 1;
    auto const draw = [&](std::uint32_t below) {
        state = state * 1'664'525u + 1'013'904'223u;
        return (state >> 8) % below;
    };
    std::map<int, char const*> under_way; // by id
    std::vector<utc_time> of_project, of_mail, of_task;
    int next = 1;
    auto const in_last_second = [&](std::vector<utc_time> const& all) {
        return std::ranges::count_if(all, [&](utc_time at) { return at > b.now - 1s; });
    };
    std::map<int, std::pair<int, char const*>> waiting;
    for (int i = 0; i < 3'000; ++i) {
        b.now += draw(20) * 1ms;
        if (draw(2) == 0) {
            int const task = static_cast<int>(draw(4));
            auto const* service = task < 2 ? "stock" : "mail";
            waiting[next] = {task, service};
            b.enter(next++, task, service, task == 0 ? rate : none);
        } else if (!under_way.empty() && draw(3) != 0) {
            b.end(under_way.begin()->first);
            under_way.erase(under_way.begin());
        }
        for (auto const id : b.wake_and_start()) {
            auto const number = static_cast<int>(id.value());
            auto const [task, service] = waiting.at(number);
            waiting.erase(number);
            under_way[number] = service;
            of_project.push_back(b.now);
            if (std::string(service) == "mail")
                of_mail.push_back(b.now);
            if (task == 0)
                of_task.push_back(b.now);
        }
        auto const of_stock =
            std::ranges::count_if(under_way, [](auto const& each) { return std::string(each.second) == "stock"; });
        REQUIRE(under_way.size() <= 6);
        REQUIRE(of_stock <= 4);
        REQUIRE(in_last_second(of_project) <= 55);
        REQUIRE(in_last_second(of_mail) <= 34);
        REQUIRE(in_last_second(of_task) <= 23);
    }
    while (!waiting.empty() || !under_way.empty()) {
        for (auto const& [id, service] : std::exchange(under_way, {}))
            b.end(id);
        b.now += 1s;
        for (auto const id : b.wake_and_start()) {
            under_way[static_cast<int>(id.value())] = "";
            waiting.erase(static_cast<int>(id.value()));
        }
        REQUIRE((under_way.size() != 0 || waiting.empty()));
    }
    CHECK(b.tree.size() == 0);
}

} // namespace limit_tree_test
