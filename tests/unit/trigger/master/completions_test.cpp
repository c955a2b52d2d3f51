#include "tests/unit/trigger/master/term_stage.hpp"
#include "trigger/master/broadcast_closer.hpp"
#include "trigger/master/broadcast_splitter.hpp"
#include "trigger/master/completions.hpp"

#include <catch2/catch.hpp>

namespace completions_test {

using namespace baton;
using namespace baton::trigger;
using protocol::state;

namespace {

struct fixture : test::term_stage {
    completion_queue ended{open, stage.loop.get_executor()};
    suspect_line suspects{scope()};
    attempts next{scope(), ended, suspects};
    planning_watch watch{instant{}};
    planner planning{{}, of, {*ledger, book, open, ids, watch}, stage.loop.get_executor(), [] {}};
    completions following{scope(), {ended, next, planning, book}};
    broadcast_splitter splitter{scope(), ended, next, ids};
    broadcast_closer closer{scope(), ended, next};

    ~fixture() { stage.end(); }

    void run()
    {
        load();
        host.spawn(next.run());
        host.spawn(following.run());
        host.spawn(splitter.run());
        host.spawn(closer.run());
    }

    void add_client(std::string instance, std::vector<std::string> handlers = {"h"}, std::string project = "default")
    {
        storage::client_record row;
        row.instance = std::move(instance);
        row.project = std::move(project);
        row.service = "s";
        row.address = "http://127.0.0.1:1";
        row.secret = "0123456789abcdef";
        row.handlers = std::move(handlers);
        row.node = "n1";
        row.generation = 1;
        storage::clients table(*shared);
        auto call = [&]() -> awaitable<void> {
            co_await table.put(row);
            co_await clients->refresh();
        };
        stage.play(call());
    }
    // Records a client's result as a node does.
    void commit(std::string const& id, std::string const& outcome = "succeeded")
    {
        exec("UPDATE execution SET state = '" + outcome +
             "', due_at = NULL, ended_at = " + std::to_string(to_micros(stage.database.utc())) + " WHERE id = " + id);
    }
    void end(int id)
    {
        commit(std::to_string(id));
        following.finished({execution_id{id}, 1, state::succeeded});
    }
    std::vector<execution_id> shards()
    {
        std::vector<execution_id> found;
        open.each([&](open_execution& one) {
            if (one.parent)
                found.push_back(one.id);
        });
        return found;
    }
};

nlohmann::json const broadcast{{"routing", "broadcast"}};
nlohmann::json const fixed_delay{{"schedule", {{"kind", "fixed_delay"}, {"every_ms", 10'000}}}};

} // namespace

TEST_CASE("a failure with attempts left opens the next one, and any other end is the end")
{
    fixture f;
    f.add_task(1, {{"retry_delay_ms", 3000}});
    f.add_execution(1, 1, 2);
    f.add_execution(2, 1, 1);
    f.add_execution(3, 1, 2);
    f.add_execution(4, 1, 2);
    f.run();
    f.following.finished({execution_id{1}, 1, state::failed});
    f.following.finished({execution_id{2}, 1, state::failed});
    f.following.finished({execution_id{3}, 1, state::succeeded});
    f.following.finished({execution_id{4}, 1, state::failed, 0, true}); // final
    f.pass(1s);
    CHECK(f.one(1).attempt == 2);
    CHECK(f.one(1).due_at >= f.start + 3s);
    CHECK_FALSE(f.is_open(2));
    CHECK_FALSE(f.is_open(3));
    CHECK_FALSE(f.is_open(4));
}

TEST_CASE("the success of an attempt that was given up ends the execution, and its failure changes nothing")
{
    fixture f;
    f.add_task(1);
    f.add_execution(1, 1, 3);
    f.run();
    f.one(1).attempt = 2;
    f.following.finished({execution_id{1}, 1, state::failed});
    REQUIRE(f.is_open(1));
    CHECK(f.one(1).phase == phase::waiting);
    f.following.finished({execution_id{1}, 1, state::succeeded});
    CHECK_FALSE(f.is_open(1));
}

TEST_CASE("an execution that an earlier attempt has done is told of if a client runs the present one")
{
    fixture f;
    f.add_task(1);
    f.add_execution(1, 1, 3);
    f.add_execution(2, 1, 3);
    f.run();
    std::vector<storage::unresponsive_attempt> outlived;
    f.following.on_outlived([&](auto one) { outlived.push_back(std::move(one)); });
    for (int const id : {1, 2}) {
        f.one(id).attempt = 2;
        f.open.move(f.one(id), phase::held, "c");
    }
    f.open.move(f.one(2), phase::runs_earlier, "c");
    f.one(2).earlier_attempt = 1; // which has succeeded: it runs no more
    for (int const id : {1, 2})
        f.following.finished({execution_id{id}, 1, state::succeeded});
    CHECK_FALSE(f.is_open(1));
    CHECK_FALSE(f.is_open(2));
    REQUIRE(outlived.size() == 1);
    CHECK(outlived[0].id == execution_id{1});
    CHECK(outlived[0].attempt == 2);
    CHECK(outlived[0].client == "c");
}

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

TEST_CASE("a fixed delay passes by the boot clock while cluster time stands still, because its clock was set back")
{
    fixture f;
    f.add_task(1, fixed_delay);
    f.add_execution(1, 1);
    f.exec("UPDATE task SET waiting_for = 1 WHERE id = 1");
    f.run();
    f.pass(1s);
    auto const next = [&f] { return f.number("SELECT COALESCE(next_fire_at, 0) FROM task WHERE id = 1"); };
    auto const step = [&f] {
        f.stage.database.step_clock(-90s);
        f.host.time().step_wall(-90s);
    };
    SECTION("of an execution that ends after the step")
    {
        step();
        f.pass(1s);
        f.end(1);
    }
    SECTION("of one that ended before it")
    {
        f.commit("1");
        step();
    }
    f.pass(9s);
    CHECK(next() == 0);
    f.pass(2s);
    CHECK(next() != 0);
    CHECK(next() <= to_micros(f.clock.now()));
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

TEST_CASE("a fixed delay is not planned again after the last run of its maximum")
{
    fixture f;
    auto const limited = [](int most) -> nlohmann::json {
        return {{"schedule", {{"kind", "fixed_delay"}, {"every_ms", 10'000}, {"max_firings", most}}}};
    };
    f.add_task(1, limited(2));
    f.add_task(2, limited(3));
    f.exec("UPDATE task SET firings = 2, waiting_for = id");
    f.add_execution(1, 1);
    f.add_execution(2, 2);
    f.run();
    f.end(1);
    f.end(2);
    f.pass(1s);
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE id = 1 AND next_fire_at IS NULL") == 1);
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE id = 2 AND next_fire_at IS NOT NULL") == 1);
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

TEST_CASE("a task with a fixed delay fires next after the end, with and without a hint")
{
    bool const hinted = GENERATE(true, false);
    fixture f;
    f.add_task(1, fixed_delay);
    f.add_execution(1, 1);
    f.exec("UPDATE task SET waiting_for = 1");
    f.run();
    f.pass(5s);
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE next_fire_at IS NULL") == 1);
    auto const ended = f.stage.database.utc();
    if (hinted)
        f.end(1);
    else
        f.commit("1");
    f.pass(hinted ? 100ms : 2s);
    CHECK(f.number("SELECT next_fire_at FROM task") == to_micros(ended + 10s));
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE waiting_for IS NULL") == 1);
}

TEST_CASE("an end costs a look-up by its id, however many fixed-delay tasks wait")
{
    constexpr int many = 300;
    fixture f;
    for (int id = 1; id <= many; ++id) {
        f.add_task(id, fixed_delay);
        f.add_execution(id, id);
    }
    f.exec("UPDATE task SET waiting_for = id");
    f.run();
    f.pass(5s);
    for (int id = 1; id <= many; ++id)
        f.end(id);
    auto const before = f.stage.database.calls();
    f.pass(100ms);
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE waiting_for IS NOT NULL") == 0);
    CHECK(f.stage.database.calls() - before <= 4); // one question and one write for all, beside a look
}

TEST_CASE("the end of one execution does not lead to a look at the other fixed-delay tasks that wait")
{
    fixture f;
    for (int id : {1, 2}) {
        f.add_task(id, fixed_delay);
        f.add_execution(id, id);
    }
    f.exec("UPDATE task SET waiting_for = id");
    f.run();
    f.pass(5'300ms); // between two looks, which come once a second
    f.commit("2");   // without a hint
    f.end(1);
    f.pass(100ms);
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE id = 1 AND waiting_for IS NULL") == 1);
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE id = 2 AND waiting_for IS NULL") == 0);
    f.pass(2s);
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE id = 2 AND waiting_for IS NULL") == 1);
}

namespace {

// The database refuses this as it refuses a taken key.
void poison(fixture& f, std::string const& statement)
{
    f.exec("CREATE TRIGGER poison BEFORE " + statement + " BEGIN SELECT RAISE(ABORT, 'poisoned'); END");
}

} // namespace

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
    poison(f, "INSERT ON execution WHEN NEW.parent_id = 1");
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
    poison(f, "UPDATE ON execution WHEN OLD.id = 2 AND NEW.state = 'succeeded'");
    for (auto const id : shards)
        f.commit(std::to_string(id.value()));
    f.pass(3s);
    CHECK(f.state(1) == "succeeded");
    CHECK(f.state(3) == "succeeded");
    CHECK(f.state(2) == "failed");
}

TEST_CASE("a fixed delay whose next firing the database refuses does not keep the others from theirs")
{
    fixture f;
    for (int id : {1, 2, 3}) {
        f.add_task(id, fixed_delay);
        f.add_execution(id, id);
    }
    f.exec("UPDATE task SET waiting_for = id");
    poison(f, "UPDATE ON task WHEN OLD.id = 2 AND NEW.next_fire_at IS NOT NULL");
    f.run();
    f.pass(1s);
    for (int id : {1, 2, 3})
        f.end(id);
    f.pass(3s);
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE next_fire_at IS NOT NULL") == 2);
    f.exec("DROP TRIGGER poison");
    f.pass(3s);
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE next_fire_at IS NOT NULL") == 3);
}

} // namespace completions_test
