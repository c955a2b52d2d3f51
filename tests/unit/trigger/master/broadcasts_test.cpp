#include "tests/unit/trigger/master/completions_stage.hpp"

#include <catch2/catch.hpp>

namespace broadcasts_test {

using namespace baton;
using namespace baton::trigger;
using protocol::state;
using test::broadcast;
using test::fixed_delay;
using fixture = test::completions_stage;

TEST_CASE("a broadcast gets a shard for each client that serves its handler, and ends with the last of them")
{
    fixture f;
    f.add_task(1, broadcast);
    f.add_execution(1, 1);
    f.add_client("a");
    f.add_client("b");
    f.add_client("without the handler", {"other"});
    f.add_client("of another project", {"h"}, "other");
    f.run();
    f.ended.broadcast({execution_id{1}});
    f.pass(100ms);
    CHECK(f.number("SELECT COUNT(*) FROM execution WHERE parent_id = 1 AND shard_total = 2") == 2);
    CHECK(f.text("SELECT shard_instance FROM execution WHERE parent_id = 1 AND shard_index = 1") == "b");
    auto const shards = f.shards();
    REQUIRE(shards.size() == 2);
    f.commit(std::to_string(shards[0].value()));
    f.following.finished({shards[0], 1, state::succeeded});
    f.pass(3s);
    CHECK(f.state(1) == "running");
    f.commit(std::to_string(shards[1].value()));
    f.following.finished({shards[1], 1, state::succeeded});
    f.pass(100ms);
    CHECK(f.state(1) == "succeeded");
    CHECK(f.open.size() == 0);
}

TEST_CASE("a broadcast of a number of shards gets so many, for any client, with the payload of its run")
{
    fixture f;
    f.add_task(1, {{"routing", "broadcast"}, {"route", {{"shards", 3}}}});
    f.add_execution(1, 1);
    f.exec("UPDATE execution SET payload = '{\"day\":7}' WHERE id = 1");
    f.run();
    f.ended.broadcast({execution_id{1}});
    f.pass(100ms);
    CHECK(f.number("SELECT COUNT(*) FROM execution WHERE parent_id = 1 AND shard_total = 3 AND "
                   "COALESCE(shard_instance, '') = ''") == 3);
    CHECK(f.number("SELECT COUNT(DISTINCT shard_index) FROM execution WHERE parent_id = 1") == 3);
    CHECK(f.number("SELECT COUNT(*) FROM execution WHERE parent_id = 1 AND payload IS NOT NULL") == 0);
    for (auto const id : f.shards()) {
        CHECK(f.open.find(id)->payload->view().data() == f.one(1).payload->view().data()); // one text in memory
        CHECK(make_assignment(*f.open.find(id)).work.payload.view() == "{\"day\":7}");
        CHECK(f.open.find(id)->is_shard());
        CHECK_FALSE(f.open.find(id)->broadcast());
    }
}

TEST_CASE("a broadcast with a tag gets a shard for each client with the tag")
{
    fixture f;
    f.add_task(1, {{"routing", "broadcast"}, {"route", {{"tag", "gpu"}}}});
    f.add_execution(1, 1);
    f.add_client("a");
    f.add_client("b", {"/gpu", "h"});
    f.run();
    f.ended.broadcast({execution_id{1}});
    f.pass(100ms);
    CHECK(f.shards().size() == 1);
    CHECK(f.text("SELECT shard_instance FROM execution WHERE parent_id = 1") == "b");
}

TEST_CASE("a broadcast that ends by any of its shards succeeds with the first one, and the others are cancelled")
{
    fixture f;
    f.add_task(1, {{"routing", "broadcast"}, {"route", {{"shards", 3}, {"ends", "any"}}}});
    f.add_execution(1, 1);
    f.run();
    f.ended.broadcast({execution_id{1}});
    f.pass(100ms);
    auto const shards = f.shards();
    REQUIRE(shards.size() == 3);
    f.commit(std::to_string(shards[0].value()));
    f.following.finished({shards[0], 1, state::succeeded});
    f.pass(100ms);
    CHECK(f.state(1) == "succeeded");
    CHECK(f.number("SELECT COUNT(*) FROM execution WHERE parent_id = 1 AND cancel_requested_at IS NOT NULL") == 2);
    for (auto const id : {shards[1], shards[2]})
        CHECK(f.open.find(id)->cancel_requested);
}

TEST_CASE("a broadcast waits for its first client, and other work goes on")
{
    fixture f;
    f.add_task(1, broadcast);
    f.add_task(2, fixed_delay);
    f.add_execution(1, 1);
    f.run();
    f.ended.broadcast({execution_id{1}});
    f.pass(10s);
    CHECK(f.shards().empty());
    CHECK(f.is_open(1));
    f.add_client("a");
    f.pass(2s);
    CHECK(f.shards().size() == 1);
}

TEST_CASE("of the broadcasts that waited for a client the late ones are skipped, as the misfire policy says")
{
    fixture f;
    f.add_task(1, broadcast);
    for (int id = 1; id <= 5; ++id)
        f.add_execution(id, 1);
    f.exec("UPDATE execution SET scheduled_at = scheduled_at - 7200000000 + id * 60000000");
    f.run();
    f.open.each([](open_execution& one) { one.scheduled = true; });
    for (int id = 1; id <= 5; ++id)
        f.open.wait(f.one(id), f.clock.now()); // enters the index of firings
    f.ended.broadcast({execution_id{1}, execution_id{2}, execution_id{3}, execution_id{4}, execution_id{5}});
    f.pass(1s);
    CHECK(f.open.size() == 5);
    f.add_client("a");
    f.pass(2s);
    CHECK(f.number("SELECT COUNT(*) FROM execution WHERE state = 'skipped'") == 4);
    CHECK(f.state(5) == "running");
    CHECK(f.shards().size() == 1);
}

TEST_CASE("a broadcast without shards is no work under way, so it can be cancelled and no look passes over it")
{
    fixture f;
    f.add_task(1, broadcast);
    f.add_execution(1, 1);
    f.run();
    f.ended.broadcast({execution_id{1}});
    f.pass(2s);
    CHECK(f.one(1).phase == phase::waiting);
    int under_way = 0;
    f.open.each_under_way([&](open_execution const&) { ++under_way; });
    CHECK(under_way == 0);
    f.next.cancel(f.one(1));
    f.add_client("a");
    f.pass(2s);
    CHECK(f.state(1) == "cancelled");
    CHECK(f.shards().empty());
}

TEST_CASE("a broadcast whose last shard ended without a hint is ended by the next look")
{
    fixture f;
    f.add_task(1, broadcast);
    f.add_execution(1, 1);
    f.add_client("a");
    f.run();
    f.ended.broadcast({execution_id{1}});
    f.pass(100ms);
    f.commit(std::to_string(f.shards().at(0).value()));
    f.pass(2s);
    CHECK(f.state(1) == "succeeded");
}

TEST_CASE("a broadcast whose shards the database refuses fails, and other broadcasts and fixed delays go on")
{
    fixture f;
    f.add_task(1, broadcast);
    f.add_task(2, fixed_delay);
    f.add_execution(1, 1);
    f.add_execution(2, 1);
    f.add_execution(3, 2);
    f.exec("UPDATE task SET waiting_for = 3 WHERE id = 2");
    f.add_client("a");
    f.poison("INSERT ON execution WHEN NEW.parent_id = 1");
    f.run();
    f.ended.broadcast({execution_id{1}});
    f.pass(3s);
    f.end(3);
    f.pass(100ms);
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE id = 2 AND next_fire_at IS NOT NULL") == 1);
    CHECK(f.is_open(1)); // refused alone, which may be the fault of the database
    f.ended.broadcast({execution_id{2}});
    f.pass(1s);
    CHECK(f.shards().size() == 1);
    CHECK(f.state(2) == "running");
    CHECK(f.state(1) == "failed");
    CHECK(f.text("SELECT reason FROM execution WHERE id = 1").find("poisoned") != std::string::npos);
    CHECK_FALSE(f.is_open(1));
}

TEST_CASE("a broadcast whose end the database refuses fails, and the others of its group end")
{
    fixture f;
    f.add_task(1, broadcast);
    f.add_client("a");
    for (int id = 1; id <= 3; ++id)
        f.add_execution(id, 1);
    f.run();
    f.ended.broadcast({execution_id{1}, execution_id{2}, execution_id{3}});
    f.pass(100ms);
    auto const shards = f.shards();
    REQUIRE(shards.size() == 3);
    f.poison("UPDATE ON execution WHEN OLD.id = 2 AND NEW.state = 'succeeded'");
    for (auto const id : shards)
        f.commit(std::to_string(id.value()));
    f.pass(3s);
    CHECK(f.state(1) == "succeeded");
    CHECK(f.state(3) == "succeeded");
    CHECK(f.state(2) == "failed");
}

} // namespace broadcasts_test
