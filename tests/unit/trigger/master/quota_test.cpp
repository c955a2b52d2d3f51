#include "libs/base/random.hpp"
#include "trigger/master/quota.hpp"

#include <catch2/catch.hpp>

namespace quota_test {

using namespace baton;
using namespace baton::trigger;
using protocol::service_key;

namespace {

class still_time final : public time_source {
public:
    instant now() const override { return instant{1'000s}; }
    utc_time utc() const override { return utc_time{}; }
    awaitable<void> sleep_until(instant) override { co_return; }
};

struct fixture {
    still_time time;
    open_set open{time};
    std::int64_t last_id = 0;

    open_execution& add(service_key const& of, protocol::routing routing = protocol::routing::round_robin)
    {
        auto task = std::make_shared<known_task>();
        task->definition.project = of.project;
        task->definition.service = of.service;
        task->definition.routing = routing;
        open_execution one;
        one.id = execution_id{++last_id};
        one.task = task;
        open_set::reading const now(open);
        REQUIRE(open.add(one, now));
        return *open.find(execution_id{last_id});
    }
    void add(service_key const& of, std::size_t count)
    {
        for (std::size_t i = 0; i < count; ++i)
            add(of);
    }
};

service_key const dead{"p", "dead"};
service_key const well{"p", "well"};

planner_settings limits(std::size_t open, std::size_t overdue)
{
    planner_settings settings;
    settings.open_limit = open;
    settings.overdue_limit = overdue;
    return settings;
}

} // namespace

TEST_CASE("an execution counts as backlog of its service until a client has it")
{
    fixture f;
    auto& one = f.add(dead);
    f.add(dead);
    f.add(well);
    f.add({"another", "dead"});
    CHECK(f.open.backlog(dead) == 2);
    CHECK(f.open.backlog(well) == 1);
    CHECK(f.open.backlog({"p", "none"}) == 0);

    for (auto const which : {phase::assigned, phase::in_doubt, phase::opening, phase::waiting}) {
        f.open.move(one, which, "where");
        CHECK(f.open.backlog(dead) == 2);
    }
    f.open.move(one, phase::held, "client");
    CHECK(f.open.backlog(dead) == 1);
    f.open.move(one, phase::held, "client");
    CHECK(f.open.backlog(dead) == 1);
    f.open.move(one, phase::in_doubt, "client");
    CHECK(f.open.backlog(dead) == 2);
    f.open.wait(one, utc_time{});
    CHECK(f.open.backlog(dead) == 2);
    f.open.erase(one.id);
    CHECK(f.open.backlog(dead) == 1);
    f.open.erase(execution_id{1'000});
    CHECK(f.open.backlog(dead) == 1);
}

TEST_CASE("an execution that a client has leaves the backlog once")
{
    fixture f;
    auto& one = f.add(dead);
    f.add(dead);
    f.open.move(one, phase::held, "client");
    f.open.erase(one.id);
    CHECK(f.open.backlog(dead) == 1);
}

TEST_CASE("a broadcast counts while its shards are under way, and the shards count too")
{
    fixture f;
    auto& parent = f.add(dead, protocol::routing::broadcast);
    auto shard = parent; // as completions makes it
    shard.id = execution_id{50};
    shard.parent = parent.id;
    f.open.move(parent, phase::parent);
    open_set::reading const now(f.open);
    REQUIRE(f.open.add(shard, now));
    CHECK(f.open.backlog(dead) == 2);
    f.open.erase(shard.id);
    CHECK(f.open.backlog(dead) == 1);
    f.open.erase(parent.id);
    CHECK(f.open.backlog(dead) == 0);
}

TEST_CASE("the bound of a service is its limit, or a quarter of the room that is left, and never less than its reserve")
{
    auto const settings = limits(1'000, 200);
    CHECK(backlog_bound(settings, 0) == 200);
    CHECK(backlog_bound(settings, 200) == 200);
    CHECK(backlog_bound(settings, 204) == 199);
    CHECK(backlog_bound(settings, 900) == 25);
    CHECK(backlog_bound(settings, 1'000) == 10);
    CHECK(backlog_bound(settings, 5'000) == 10);
    CHECK(backlog_bound(limits(1'000, 3), 5'000) == 3);
}

TEST_CASE("services that nobody serves leave room for one more, however many they are")
{
    fixture f;
    auto const settings = limits(1'000, 200);
    int const services = GENERATE(1, 20, 100);
    for (int service = 0; service < services; ++service) {
        service_key const name{"p", "dead" + std::to_string(service)};
        while (page_room(settings, f.open).left(name) != 0)
            f.add(name);
    }
    CHECK(page_room(settings, f.open).left(well) >= 10);
    CHECK(f.open.size() <= settings.open_limit + static_cast<std::size_t>(services) * 10);
}

TEST_CASE("the firings of a page count before they are open")
{
    fixture f;
    auto const settings = limits(1'000, 200);
    f.add(dead, 100);
    page_room room(settings, f.open);
    CHECK(room.left(dead) == 100);
    room.take(dead, 99);
    CHECK(room.left(dead) == 1);
    room.take(dead, 1);
    CHECK(room.left(dead) == 0);
    CHECK(room.left(well) == 200);
    room.take({"p", "third"}, 200);
    CHECK(room.left(well) == 150); // a quarter of 600
}

TEST_CASE("two projects with a service of the same name have backlogs and doubts of their own")
{
    fixture f;
    service_key const ours{"ours", "s"};
    service_key const theirs{"theirs", "s"};
    f.add(ours, 3);
    auto& one = f.add(theirs);
    CHECK(f.open.backlog(ours) == 3);
    CHECK(f.open.backlog(theirs) == 1);
    f.open.move(one, phase::in_doubt);
    REQUIRE(f.open.in_doubt().size() == 1);
    CHECK(f.open.in_doubt().begin()->first == theirs);
    f.open.erase(one.id);
    CHECK(f.open.in_doubt().empty());
    CHECK(f.open.backlog(ours) == 3);
    CHECK(f.open.backlog(theirs) == 0);
}

TEST_CASE("an assignment names the project of its task")
{
    fixture f;
    auto const made = make_assignment(f.add({"ours", "s"}));
    CHECK(made.project == "ours");
    CHECK(made.service == "s");
}

} // namespace quota_test
