#include "libs/storage/dead_letters.hpp"
#include "libs/storage/successors.hpp"
#include "tests/unit/storage/tasks_fixture.hpp"

#include <catch2/catch.hpp>

namespace broadcast_successors_test {

using namespace baton;
using namespace baton::test;
using protocol::schedule_kind;
using outcome = protocol::state;
using storage::engine;

namespace {

// A broadcast with four shards, executions 11 to 14 of execution 1, and a task that runs after it.
struct stage : tasks_fixture {
    explicit stage(protocol::broadcast_end ends = protocol::broadcast_end::all)
        : tasks_fixture(GENERATE(engine::mysql, engine::sqlite)), rule(ends)
    {
        auto broadcast = definition("parent");
        broadcast.routing = protocol::routing::broadcast;
        broadcast.route.shards = 4;
        broadcast.route.ends = rule;
        parent = create(std::move(broadcast)).task.id;
        auto follows = definition("child", schedule_kind::after);
        follows.schedule.after = "parent";
        create(std::move(follows));
        auto const at = wait_for(tasks.find(parent))->next_fire_at.value();
        plan(parent, 1, {at}, at + 1s);
        std::vector<storage::new_execution> shards;
        for (int i = 0; i < 4; ++i) {
            shards.push_back(firing(11 + i, 1, at));
            shards.back().task = parent;
            shards.back().cause = protocol::cause::shard;
            shards.back().parent = execution_id{1};
            shards.back().shard_index = i;
            shards.back().shard_total = 4;
        }
        REQUIRE(wait_for(ledger.expand(mine, execution_id{1}, shards)));
    }
    void end(int id, outcome how) { record(result(id, how)); }
    void close()
    {
        std::set<execution_id> any;
        if (rule == protocol::broadcast_end::any)
            any.insert(execution_id{1});
        wait_for(ledger.close_parents(mine, {execution_id{1}}, any));
    }
    // The execution that runs a dead letter again.
    execution_id rerun(execution_id dead)
    {
        return wait_for(letters.retry({dead}, std::nullopt, ids)).letters.at(0).rerun.value();
    }
    void end(execution_id id, outcome how)
    {
        auto ended = result(0, how);
        ended.id = id;
        record(ended);
    }
    // How many of the ended executions start the child. They are forgotten then, as a master does it.
    int starts()
    {
        execution_id after;
        int seen = 0;
        int found = 0;
        for (auto const& one : wait_for(table.ended(after, 100, seen))) {
            found += one.succeeded ? 1 : 0;
            home.exec("DELETE FROM settle WHERE execution_id = " + std::to_string(one.execution.value()));
        }
        return found;
    }

    protocol::broadcast_end rule;
    storage::successors table = ledger.successor_tables();
    storage::dead_letters letters{*shared};
    task_id parent;
};

} // namespace

TEST_CASE("a broadcast with failed shards starts its child when all of them have been run again with success")
{
    stage f;
    f.end(11, outcome::succeeded);
    for (int const id : {12, 13})
        f.end(id, outcome::failed);
    f.end(14, outcome::succeeded);
    f.close();
    CHECK(f.state(1) == "failed");
    CHECK(f.starts() == 0);
    auto const first = f.rerun(execution_id{12});
    auto const second = f.rerun(execution_id{13});
    f.end(first, outcome::succeeded);
    CHECK(f.starts() == 0);
    f.end(second, outcome::failed);
    CHECK(f.starts() == 0);
    f.end(f.rerun(second), outcome::succeeded);
    CHECK(f.starts() == 1);
}

TEST_CASE("shards that were run again before their broadcast ended count for it")
{
    stage f;
    f.end(11, outcome::failed);
    f.end(f.rerun(execution_id{11}), outcome::succeeded);
    CHECK(f.starts() == 0); // three are open
    for (int const id : {12, 13, 14})
        f.end(id, outcome::succeeded);
    f.close();
    CHECK(f.starts() == 1);
}

TEST_CASE("a broadcast that ends with its first success starts its child when a shard has been run again with success")
{
    stage f(protocol::broadcast_end::any);
    for (int const id : {11, 12, 13, 14})
        f.end(id, outcome::failed);
    f.close();
    CHECK(f.starts() == 0);
    f.end(f.rerun(execution_id{13}), outcome::succeeded);
    CHECK(f.starts() == 1);
}

TEST_CASE("a shard that is run again after its broadcast has succeeded starts nothing")
{
    stage f(protocol::broadcast_end::any);
    f.end(11, outcome::failed);
    f.end(12, outcome::succeeded);
    f.close();
    CHECK(f.starts() == 1);
    f.end(f.rerun(execution_id{11}), outcome::succeeded);
    CHECK(f.starts() == 0);
}

TEST_CASE("a shard that is run again after its broadcast was cancelled starts nothing")
{
    stage f;
    f.end(11, outcome::failed);
    for (int const id : {12, 13, 14})
        f.end(id, outcome::succeeded);
    f.home.exec("UPDATE execution SET cancel_requested_at = 1 WHERE id = 1");
    f.close();
    CHECK(f.state(1) == "cancelled");
    f.end(f.rerun(execution_id{11}), outcome::succeeded);
    CHECK(f.starts() == 0);
}

} // namespace broadcast_successors_test
