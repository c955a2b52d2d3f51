#include "libs/storage/dead_letters.hpp"
#include "libs/storage/executions.hpp"
#include "libs/storage/successors.hpp"
#include "tests/unit/storage/tasks_fixture.hpp"

#include <catch2/catch.hpp>

namespace successors_test {

using namespace baton;
using namespace baton::test;
using protocol::schedule_kind;
using storage::engine;

namespace {

struct stage : tasks_fixture {
    stage() : tasks_fixture(GENERATE(engine::mysql, engine::sqlite))
    {
        parent = create(definition("parent")).task.id;
        auto follows = definition("child", schedule_kind::after);
        follows.schedule.after = "parent";
        child = create(std::move(follows)).task.id;
    }
    // A planned firing of the parent.
    void plan_parent(int id)
    {
        auto const next = wait_for(tasks.find(parent))->next_fire_at.value();
        plan(parent, id, {next}, next + 1s);
    }
    std::vector<storage::ended_parent> ended()
    {
        execution_id after;
        int seen = 0;
        return wait_for(table.ended(after, 100, seen));
    }
    // Follows execution 1.
    storage::follower of_child(int id, utc_time at)
    {
        auto row = firing(id, 1, at);
        row.task = child;
        row.due_at = at + 5s;
        return {execution_id{1}, row};
    }
    std::vector<execution_id> follow(std::vector<storage::follower> const& those, std::vector<int> const& over)
    {
        return wait_for(table.follow(mine, those, {over.begin(), over.end()})).inserted;
    }
    utc_time scheduled(int id) { return from_micros(column(id, "scheduled_at")); }
    std::int64_t followed() { return home.number("SELECT COUNT(*) FROM settle"); }

    storage::successors table = ledger.successor_tables();
    task_id parent;
    task_id child;
};

} // namespace

TEST_CASE("a firing of a parent is followed when it has ended, and by its success only")
{
    stage f;
    f.plan_parent(1);
    f.plan_parent(2);
    CHECK(f.followed() == 2);
    CHECK(f.ended().empty());
    f.record(f.result(1, protocol::state::succeeded));
    f.record(f.result(2, protocol::state::failed));
    auto const ended = f.ended();
    REQUIRE(ended.size() == 2);
    CHECK(ended[0].succeeded);
    CHECK_FALSE(ended[1].succeeded);
    CHECK(ended[0].scheduled_at == f.scheduled(1));
    auto const children = wait_for(f.table.of({f.parent}));
    REQUIRE(children.size() == 1);
    CHECK(children.front().id == f.child);
}

TEST_CASE("an execution of a child has the time of its parent and place 0, is due later, and is inserted once")
{
    stage f;
    f.plan_parent(1);
    f.record(f.result(1, protocol::state::succeeded));
    auto const at = f.scheduled(1);
    CHECK(f.follow({f.of_child(7, at)}, {1}) == std::vector{execution_id{7}});
    CHECK(f.column(7, "scheduled_at") == to_micros(at));
    CHECK(f.column(7, "due_at") == to_micros(at + 5s));
    CHECK(f.column(7, "run_key") == 0);
    CHECK(f.followed() == 0);
    CHECK(f.follow({f.of_child(8, at)}, {}).empty());
}

TEST_CASE("a master whose term has ended neither starts a child nor takes its parent for followed")
{
    stage f;
    f.plan_parent(1);
    f.record(f.result(1, protocol::state::succeeded));
    auto const at = f.scheduled(1);
    storage::fence const stale{"master", f.mine.epoch - 1};
    CHECK_THROWS_AS(wait_for(f.table.follow(stale, {f.of_child(7, at)}, {execution_id{1}})), not_master);
    CHECK(f.followed() == 1);
    CHECK(f.home.number("SELECT COUNT(*) FROM execution") == 1);
}

TEST_CASE("a child that is skipped has a row that says so, once")
{
    stage f;
    f.plan_parent(1);
    f.record(f.result(1, protocol::state::succeeded));
    auto const at = f.scheduled(1);
    auto child = f.of_child(7, at);
    child.skip_reason = "no room";
    CHECK(f.follow({child}, {1}).empty());
    CHECK(f.home.number("SELECT COUNT(*) FROM execution WHERE id = 7 AND state = 'skipped' AND due_at IS NULL") == 1);
    CHECK(f.followed() == 0);
    f.follow({child}, {});
    CHECK(f.home.number("SELECT COUNT(*) FROM execution") == 2);
}

TEST_CASE("of equal executions of a child in one call the first is inserted, be it skipped or not")
{
    stage f;
    f.plan_parent(1);
    f.record(f.result(1, protocol::state::succeeded));
    auto const at = f.scheduled(1);
    auto skipped = f.of_child(9, at);
    skipped.skip_reason = "no room";
    CHECK(f.follow({f.of_child(7, at), f.of_child(8, at), skipped}, {1}) == std::vector{execution_id{7}});
    CHECK(f.home.number("SELECT COUNT(*) FROM execution") == 2);
    CHECK(f.followed() == 0);
}

TEST_CASE("of several parents only those whose successors were all inserted are forgotten")
{
    stage f;
    auto other = definition("other", schedule_kind::after);
    other.schedule.after = "parent";
    auto const edited = f.create(std::move(other)).task.id;
    f.plan_parent(1);
    f.plan_parent(2);
    f.edit(edited, 1, storage::edit_action::edited, [](auto& task) { task.handler = "other"; });
    auto of_edited = f.of_child(8, f.scheduled(1));
    of_edited.row.task = edited;
    auto of_second = f.of_child(9, f.scheduled(2));
    of_second.parent = execution_id{2};
    auto const done = wait_for(f.table.follow(f.mine, {f.of_child(7, f.scheduled(1)), of_edited, of_second},
                                              {execution_id{1}, execution_id{2}}));
    CHECK(done.inserted == std::vector{execution_id{7}, execution_id{9}});
    CHECK(done.again == std::set{execution_id{1}});
    CHECK(f.home.number("SELECT execution_id FROM settle") == 1);
    of_edited.row.version = 2;
    CHECK(f.follow({f.of_child(10, f.scheduled(1)), of_edited}, {1}) == std::vector{execution_id{8}});
    CHECK(f.followed() == 0);
}

TEST_CASE("a child is itself followed by its own children")
{
    stage f;
    auto follows = definition("grandchild", schedule_kind::after);
    follows.schedule.after = "child";
    auto const grandchild = f.create(std::move(follows)).task.id;
    f.plan_parent(1);
    f.record(f.result(1, protocol::state::succeeded));
    auto const at = f.scheduled(1);
    f.follow({f.of_child(7, at)}, {1});
    CHECK(f.followed() == 1);
    f.record(f.result(7, protocol::state::succeeded));
    auto const ended = f.ended();
    REQUIRE(ended.size() == 1);
    CHECK(ended.front().task == f.child);
    CHECK(ended.front().scheduled_at == at);
    CHECK(wait_for(f.table.of({f.child})).front().id == grandchild);
}

TEST_CASE("a parent whose child was edited meanwhile is still to be followed, and a child that is off is left out")
{
    stage f;
    f.plan_parent(1);
    auto const at = f.scheduled(1);
    f.edit(f.child, 1, storage::edit_action::edited, [](auto& task) { task.handler = "other"; });
    CHECK(f.follow({f.of_child(7, at)}, {1}).empty());
    CHECK(f.followed() == 1);
    f.edit(f.child, 2, storage::edit_action::disabled, [](auto& task) { task.enabled = false; });
    CHECK(wait_for(f.table.of({f.parent})).empty());
    CHECK(f.follow({f.of_child(7, at)}, {1}).empty());
    CHECK(f.followed() == 0);
}

TEST_CASE("a child whose parent is deleted can still be edited and switched off, and finds a new parent of that name")
{
    stage f;
    wait_for(f.tasks.remove(f.parent, std::nullopt, f.ids));
    f.edit(f.child, 1, storage::edit_action::edited, [](auto& task) { task.description = "an orphan"; });
    f.edit(f.child, 2, storage::edit_action::disabled, [](auto& task) { task.enabled = false; });
    std::vector<bool> found;
    auto const enable = [&](storage::task_record const& before) {
        found.push_back(before.finds_new_parent);
        auto after = before.definition;
        after.enabled = true;
        return after;
    };
    wait_for(f.tasks.edit(f.child, 3, storage::edit_action::enabled, f.ids, enable));
    f.parent = f.create(definition("parent")).task.id;
    wait_for(f.tasks.edit(f.child, 4, storage::edit_action::edited, f.ids, enable));
    CHECK(found == std::vector{false, true});
    auto const before = f.followed(); // a firing of the old parent that was due when it was deleted is followed, too
    f.plan_parent(1);
    CHECK(f.followed() == before + 1);
}

TEST_CASE("a dead letter of a parent that runs again is followed, and a run that is asked for is not")
{
    stage f;
    f.plan_parent(1);
    f.record(f.result(1, protocol::state::failed));
    f.follow({}, {1});
    storage::dead_letters letters(*f.shared);
    auto const again = wait_for(letters.retry({execution_id{1}}, std::nullopt, f.ids));
    REQUIRE(again.letters.front().rerun);
    CHECK(f.followed() == 1);
    storage::executions executions(*f.shared);
    storage::run_request wanted;
    wanted.task = f.parent;
    wait_for(executions.run_now(wanted, f.ids));
    CHECK(f.followed() == 1);
}

TEST_CASE("what runs a dead letter again whose firing the retention has deleted is not followed")
{
    stage f;
    f.plan_parent(1);
    f.record(f.result(1, protocol::state::failed));
    f.follow({}, {1});
    storage::dead_letters letters(*f.shared);
    auto const again = wait_for(letters.retry({execution_id{1}}, std::nullopt, f.ids)).letters.front().rerun.value();
    auto second = f.result(1, protocol::state::failed);
    second.id = again;
    f.record(second);
    wait_for(f.table.follow(f.mine, {}, {again}));
    f.home.exec("DELETE FROM execution WHERE id = 1");
    REQUIRE(wait_for(letters.retry({again}, std::nullopt, f.ids)).letters.front().rerun);
    CHECK(f.followed() == 0);
}

TEST_CASE("a deleted child is followed no more")
{
    stage f;
    wait_for(f.tasks.remove(f.child, std::nullopt, f.ids));
    f.plan_parent(1);
    CHECK(f.followed() == 0);
}

} // namespace successors_test
