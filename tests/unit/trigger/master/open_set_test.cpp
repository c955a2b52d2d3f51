#include "libs/base/random.hpp"
#include "trigger/master/open_set.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <ctime>

namespace open_set_test {

using namespace baton;
using namespace baton::trigger;

namespace {

std::shared_ptr<known_task const> make_task(int id, std::string service, std::string project = "default")
{
    auto task = std::make_shared<known_task>();
    task->id = task_id{id};
    task->definition.project = std::move(project);
    task->definition.service = std::move(service);
    return task;
}

struct fixture {
    system_time time;
    open_set open{time};
    std::shared_ptr<known_task const> task = make_task(1, "s");

    open_execution make(int id, utc_time due = utc_time{1s}) const
    {
        open_execution one;
        one.id = execution_id{id};
        one.task = task;
        one.scheduled_at = one.due_at = due;
        one.scheduled = true;
        return one;
    }
    open_execution& add(open_execution one)
    {
        auto const id = one.id;
        open_set::reading const now(open);
        REQUIRE(open.add(std::move(one), now));
        return *open.find(id);
    }
    std::vector<execution_id> due(utc_time now) { return open.take_due(now, 100); }
};

std::vector<execution_id> ids(std::initializer_list<int> list)
{
    std::vector<execution_id> out;
    for (auto const id : list)
        out.emplace_back(id);
    return out;
}

} // namespace

TEST_CASE("a row read from the ledger does not bring back an execution that ended during the reading")
{
    fixture f;
    open_set::reading const old(f.open);
    f.open.erase(execution_id{1}); // not in memory: only its end is known
    CHECK_FALSE(f.open.add(f.make(1), old));
    open_set::reading const young(f.open);
    CHECK(f.open.add(f.make(1), young));
    CHECK_FALSE(f.open.add(f.make(1), young)); // known already
}

TEST_CASE(
    "a firing of a task that was edited during the reading is read again, but no run now, and none that has begun")
{
    fixture f;
    open_set::reading const old(f.open);
    f.open.edited(task_id{1});
    CHECK_FALSE(f.open.add(f.make(1), old));
    CHECK(f.open.stale() == ids({1}));
    auto run_now = f.make(2);
    run_now.scheduled = false;
    CHECK(f.open.add(run_now, old));
    auto begun = f.make(3);
    begun.begun = true;
    CHECK(f.open.add(begun, old));
    auto running = f.make(4);
    running.ran = true;
    CHECK(f.open.add(running, old));
}

TEST_CASE("a request to cancel reaches executions that are loaded later, and all shards")
{
    fixture f;
    open_set::reading const old(f.open);
    f.open.request_cancel(execution_id{1});
    f.open.add(f.make(1), old);
    auto shard = f.make(2);
    shard.parent = execution_id{1};
    f.add(shard); // its parent is cancelled
    CHECK(f.open.take_cancel_requests() == ids({1, 2}));
    f.open.request_cancel(execution_id{1});
    CHECK(f.open.take_cancel_requests().empty()); // once each
}

TEST_CASE("an execution is due once, at the last time that it was told to wait for")
{
    fixture f;
    auto& one = f.add(f.make(1, utc_time{1s}));
    f.open.wait(one, utc_time{2s});
    CHECK(f.due(utc_time{1s}).empty());
    f.open.wait(one, utc_time{2s});
    CHECK(f.due(utc_time{2s}) == ids({1}));
    CHECK(f.due(utc_time{3s}).empty());
    f.open.wait(one, utc_time{4s});
    f.open.move(one, phase::held, "client");
    CHECK(f.due(utc_time{5s}).empty()); // it does not wait any more
}

TEST_CASE("the firings of a task that wait are those at or after the instant")
{
    fixture f;
    f.add(f.make(1, utc_time{1s}));
    f.add(f.make(2, utc_time{2s}));
    auto& held = f.add(f.make(3, utc_time{3s}));
    f.open.move(held, phase::held, "client");
    f.task = make_task(2, "s");
    f.add(f.make(4, utc_time{2s}));
    CHECK(f.open.waiting_firings(task_id{1}, utc_time{2s}) == ids({2}));
}

TEST_CASE("a late firing that waits is a misfire once as many later ones are due as its policy asks for")
{
    fixture f;
    auto const with = [&](protocol::misfire_policy const& policy) {
        auto task = std::make_shared<known_task>(*f.task);
        task->definition.misfire = policy;
        f.task = std::move(task);
    };
    auto const made = [&](int id, utc_time due) { return f.add(f.make(id, due)).id; };
    auto const misfire = [&](execution_id id, utc_time now) { return f.open.is_misfire(*f.open.find(id), now); };
    with({protocol::misfire_action::fire_all, 60s, 2});
    auto const first = made(1, utc_time{100s});
    CHECK_FALSE(misfire(first, utc_time{170s})); // no later firing waits
    made(2, utc_time{101s});
    CHECK_FALSE(misfire(first, utc_time{170s}));
    made(3, utc_time{165s});
    CHECK_FALSE(misfire(first, utc_time{164s})); // the third is not due yet
    CHECK_FALSE(misfire(first, utc_time{160s})); // not late
    CHECK(misfire(first, utc_time{165s}));
    f.task = make_task(2, "s");
    with({protocol::misfire_action::skip});
    auto const other = made(4, utc_time{100s});
    CHECK_FALSE(misfire(other, utc_time{160s}));
    CHECK(misfire(other, utc_time{160s} + 1us));
    f.task = make_task(3, "s");
    auto const last = made(5, utc_time{100s});
    CHECK_FALSE(misfire(last, utc_time{24h})); // fire_once: the latest runs
}

TEST_CASE("whether a firing with a jitter is a misfire counts from when it and its successors are due")
{
    fixture f;
    auto task = std::make_shared<known_task>(*f.task);
    task->definition.schedule.firing = {.jitter = 10min, .jitter_seed = 7};
    f.task = task;
    auto const due = [&](utc_time firing) { return protocol::due_instant(task->definition.schedule.firing, firing); };
    utc_time const first{100s};
    utc_time second{101s};
    while (due(second) < due(first) + 2min)
        second += 1s;
    auto const& one = f.add(f.make(1, first));
    f.add(f.make(2, second));
    REQUIRE(due(first) > first);
    CHECK_FALSE(f.open.is_misfire(one, due(first) + 60s));
    CHECK_FALSE(f.open.is_misfire(one, due(first) + 61s)); // the other one is not due
    CHECK(f.open.is_misfire(one, due(second)));
}

TEST_CASE("an execution after another one is no misfire, however late its parent succeeded")
{
    fixture f;
    auto task = std::make_shared<known_task>(*f.task);
    task->definition.schedule.kind = protocol::schedule_kind::after;
    f.task = task;
    auto const& one = f.add(f.make(1, utc_time{100s}));
    f.add(f.make(2, utc_time{200s}));
    CHECK_FALSE(f.open.is_misfire(one, utc_time{1'000s}));
}

TEST_CASE("a credit is used while the execution is assigned or held, and its release is told")
{
    fixture f;
    std::vector<std::string> released;
    f.open.on_release([&](protocol::service_view service) { released.push_back(to_text(service)); });
    protocol::service_key const service{"p", "s"};
    credit one;
    one.service = &service;
    auto& execution = f.add(f.make(1));
    f.open.move(execution, phase::assigned, "node");
    f.open.charge(execution, &one);
    CHECK(one.used == 1);
    f.open.move(execution, phase::held, "client");
    CHECK(one.used == 1);
    f.open.move(execution, phase::in_doubt);
    CHECK(one.used == 0);
    CHECK(released == std::vector<std::string>{"p/s"});
}

TEST_CASE("the indexes agree with the executions after any moves")
{
    auto const seed = GENERATE(range(1, 11));
    CAPTURE(seed);
    seeded_random random{static_cast<std::uint64_t>(seed)};
    fixture f;
    std::vector const tasks{make_task(1, "s"), make_task(2, "s", "p")};
    std::vector<std::string> const places{"a", "b", "c"};
    constexpr auto phases = static_cast<int>(phase::parent) + 1;
    for (int i = 0; i < 2'000; ++i) {
        auto const id = static_cast<int>(random.below(100)) + 1;
        f.task = tasks[static_cast<std::size_t>(id) % 2];
        auto* one = f.open.find(execution_id{id});
        if (one == nullptr)
            f.add(f.make(id, utc_time{std::chrono::seconds{id}}));
        else if (random.below(10) == 0)
            f.open.erase(one->id);
        else
            f.open.move(*one, static_cast<phase>(random.below(phases)), places[random.below(3)]);
    }
    std::map<std::string, std::set<execution_id>> at;
    protocol::service_map<std::set<execution_id>> in_doubt;
    std::set<execution_id> under_way;
    protocol::service_map<std::size_t> backlog;
    f.open.each([&](open_execution& one) {
        auto const service = protocol::key_of(protocol::service_of(one.task->definition));
        if (one.phase == phase::assigned || one.phase == phase::held || one.phase == phase::runs_earlier)
            at[one.where].insert(one.id);
        if (one.phase == phase::in_doubt)
            in_doubt[service].insert(one.id);
        if (one.phase != phase::waiting)
            under_way.insert(one.id);
        backlog[service] += one.phase != phase::held && one.phase != phase::runs_earlier;
    });
    for (auto const& place : places) {
        std::set<execution_id> found;
        f.open.each_at(place, [&](open_execution& one) { found.insert(one.id); });
        CHECK(found == at[place]);
    }
    std::set<execution_id> found;
    f.open.each_under_way([&](open_execution& one) { found.insert(one.id); });
    CHECK(found == under_way);
    CHECK(f.open.in_doubt() == in_doubt);
    CHECK(backlog.size() == 2);
    for (auto const& [service, count] : backlog)
        CHECK(f.open.backlog(service) == count);
}

TEST_CASE("the executions of a node or client are found by their holder, however many others there are")
{
    fixture f;
    for (int i = 1; i <= 100'000; ++i)
        f.open.move(f.add(f.make(i)), phase::held, "client " + std::to_string(i % 1'000));
    int visited = 0;
    bool right = true;
    auto const before = std::clock();
    for (int gone = 0; gone < 1'000; ++gone)
        f.open.each_at("client " + std::to_string(gone), [&](open_execution const& one) {
            right = right && one.id.value() % 1'000 == gone;
            ++visited;
        });
    CHECK(std::clock() - before < CLOCKS_PER_SEC); // of processor time; a walk for each holder would take seconds
    CHECK(right);
    CHECK(visited == 1'000 * 100);
}

} // namespace open_set_test
