#include "trigger/master/limit_tree.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

namespace limit_tree_test {

using namespace baton;
using protocol::blocker;
using protocol::rate_limit;
using trigger::limit_tree;
using stage = trigger::limit_tree::stage;

namespace {

utc_time const noon = from_micros(1'700'000'000'000'000);
rate_limit const none;

using ids = std::vector<execution_id>;

ids numbers(std::initializer_list<int> all)
{
    ids out;
    for (auto const each : all)
        out.push_back(execution_id{each});
    return out;
}

protocol::scope_settings limited(std::string service, int concurrency, rate_limit rate = {})
{
    return {{"shop", std::move(service)}, 1, {{concurrency, rate}}};
}

struct bench {
    limit_tree tree;
    utc_time now = noon;

    bench() { tree.begin(noon - 24h, {}); }
    limit_tree::member member(int id, int task = 1, char const* service = "stock", rate_limit const& rate = none) const
    {
        return {execution_id{id}, task_id{task}, 1, rate, {"shop", service}, noon + id * 1us};
    }
    void enter(int id, int task = 1, char const* service = "stock", rate_limit const& rate = none)
    {
        tree.enter(member(id, task, service, rate), now);
    }
    ids wake() { return tree.wake(now, 1'000); }
    void start(int id) { tree.start(execution_id{id}, now); }
    ids wake_and_start()
    {
        auto const granted = wake();
        for (auto const id : granted)
            tree.start(id, now);
        return granted;
    }
    void end(int id) { tree.leave(execution_id{id}, now); }
    stage at(int id) const { return tree.at(execution_id{id}); }
};

} // namespace

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

TEST_CASE("a task that an edit gives to another service counts for the limits of that one")
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
    CHECK(b.wake_and_start() == numbers({3})); // the place of 1 in stock is free
    CHECK(b.tree.blocker_of(execution_id{2}, b.now) == blocker::service_concurrency);
    b.end(1);
    CHECK(b.wake_and_start() == numbers({2}));
    b.end(2);
    b.end(3);
    CHECK(b.wake_and_start() == numbers({4}));
    b.end(4);
    CHECK(b.tree.tasks() == 0);
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
    enter(3, 3, slow); // nobody has taken one for long
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
    b.tree.recorded(both, b.now);
    CHECK_FALSE(b.tree.must_record(execution_id{1}, b.now + 1s));
    CHECK(b.tree.must_record(execution_id{1}, b.now + 1'001ms));

    rate_limit const fast{1, 1s, 1};
    b.enter(3, 2, "stock", fast);
    CHECK(b.wake() == numbers({3}));
    CHECK_FALSE(b.tree.must_record(execution_id{3}, b.now));
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
