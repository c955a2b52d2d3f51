// A web that stalls within the transaction of an edit keeps the row of its task locked, and a node that stalls while it
// records results keeps rows of executions. No decision of a master waits.

#include "libs/storage/statement.hpp"
#include "libs/storage/zones.hpp"
#include "tests/unit/storage/scheduler_bench.hpp"

#include <catch2/catch.hpp>
#include <soci/soci.h>

#include <chrono>

namespace locked_tasks_test {

using namespace baton;
using namespace baton::test;
using storage::engine;

namespace {

utc_time const noon = from_micros(1'800'000'000'000'000);

// Task 1 is locked, and task 2 is not. SQLite has no locks of rows.
struct stage : scheduler_bench {
    stage() : scheduler_bench(engine::mysql) { wait_for(ledger.raise(mine)); }

    bool has_locks() const { return home.where().engine == engine::mysql; }
    void lock(std::string const& row = "task WHERE id = 1")
    {
        *editing << "START TRANSACTION";
        int id = 0;
        *editing << "SELECT 1 FROM " + row + " FOR UPDATE", soci::into(id);
    }
    void commit() { *editing << "COMMIT"; }

    template <class Work>
    auto quick(Work const& work)
    {
        auto const began = time.now();
        auto result = wait_for(work());
        CHECK(time.now() - began < 900ms); // a lock is waited for at least a second
        return result;
    }
    std::string instant_of(int task)
    {
        return home.text("SELECT COALESCE(next_fire_at, 0) FROM task WHERE id = " + std::to_string(task));
    }

    system_time time;
    storage::session_ptr editing = storage::open_session(home.where(), {}, time);
};

std::string text(utc_time at)
{
    return std::to_string(to_micros(at));
}

} // namespace

TEST_CASE("a page is planned without the tasks that an edit has locked, and these with the next one")
{
    stage f;
    if (!f.has_locks())
        return;
    f.add_task(1, noon);
    f.add_task(2, noon);
    std::vector<storage::advance> const steps{{task_id{1}, 1, noon, noon + 60s, std::nullopt},
                                              {task_id{2}, 1, noon, noon + 60s, std::nullopt}};
    std::vector const rows{f.firing(1, 1, noon), f.firing(2, 2, noon)};
    std::vector<storage::skipped_firings> const none;
    f.lock();
    auto const outcome = f.quick([&] { return f.ledger.plan(f.mine, steps, rows, none); });
    CHECK(outcome.done);
    CHECK(outcome.locked == std::set{task_id{1}});
    CHECK(f.instant_of(1) == text(noon));
    CHECK(f.instant_of(2) == text(noon + 60s));
    CHECK(f.home.number("SELECT MIN(id) FROM execution") == 2);
    f.commit();
    std::vector const first{steps.front()};
    std::vector const row{rows.front()};
    CHECK(f.quick([&] { return f.ledger.plan(f.mine, first, row, none); }).locked.empty());
    CHECK(f.home.number("SELECT COUNT(*) FROM execution") == 2);
}

TEST_CASE("a task that is deleted while its page is planned is no locked one")
{
    stage f;
    if (!f.has_locks())
        return;
    f.add_task(1, noon);
    storage::advance const gone{task_id{9}, 1, noon, noon + 60s, std::nullopt};
    auto const outcome = wait_for(f.ledger.plan(f.mine, {gone}, {}));
    CHECK_FALSE(outcome.done);
    CHECK(outcome.locked.empty());
}

TEST_CASE("a fixed delay that an edit has locked is not resumed yet, and others are")
{
    stage f;
    if (!f.has_locks())
        return;
    for (int const id : {1, 2}) {
        f.plan_one(id, id, noon);
        f.record(f.result(id, protocol::state::succeeded));
    }
    f.home.exec("UPDATE task SET waiting_for = id, next_fire_at = NULL");
    std::vector<storage::advance> const steps{{task_id{1}, 1, {}, noon + 60s, execution_id{1}},
                                              {task_id{2}, 1, {}, noon + 60s, execution_id{2}}};
    f.lock();
    CHECK(f.quick([&] { return f.ledger.resume_delayed(f.mine, steps); }) == std::set{task_id{1}});
    CHECK(f.instant_of(1) == "0");
    CHECK(f.instant_of(2) == text(noon + 60s));
    f.commit();
    CHECK(wait_for(f.ledger.resume_delayed(f.mine, steps)).empty());
    CHECK(f.instant_of(1) == text(noon + 60s));
}

TEST_CASE("tasks are parked and taken back without those that an edit has locked")
{
    stage f;
    if (!f.has_locks())
        return;
    f.add_task(1, noon);
    f.add_task(2, noon + 1s);
    auto const parked = [](int id, utc_time at) {
        return storage::parked_task{task_id{id}, 1, at, {"default", "s"}, "no room"};
    };
    std::vector const both{parked(1, noon), parked(2, noon + 1s)};
    protocol::service_key const service{"default", "s"};
    auto const park = [&]() -> awaitable<int> {
        co_await f.ledger.park(f.mine, both);
        co_return 0;
    };
    f.lock();
    f.quick(park);
    CHECK(f.home.number("SELECT SUM(id) FROM task WHERE parked_for = 'default/s'") == 2);
    f.commit();
    f.quick(park);
    f.lock();
    auto const some = f.quick([&] { return f.ledger.unpark(f.mine, service, 10); });
    CHECK(some.instants == std::vector{noon + 1s});
    CHECK(some.more);
    f.commit();
    auto const rest = wait_for(f.ledger.unpark(f.mine, service, 10));
    CHECK(rest.instants == std::vector{noon});
    CHECK_FALSE(rest.more);
}

TEST_CASE("a firing of a task with a maximum that an edit has locked is not skipped yet, and others are")
{
    stage f;
    if (!f.has_locks())
        return;
    for (int const id : {1, 2, 3})
        f.plan_one(id, id, noon);
    f.home.exec("UPDATE task SET counted_since = 1, firings = 1 WHERE id < 3");
    std::vector const ids{execution_id{1}, execution_id{2}, execution_id{3}};
    f.lock();
    CHECK(f.quick([&] { return f.ledger.skip(f.mine, ids, "full"); }).left == std::vector{execution_id{1}});
    CHECK(f.state(1) == "planned");
    CHECK(f.state(2) == "skipped");
    CHECK(f.state(3) == "skipped");
    CHECK(f.home.number("SELECT SUM(firings) FROM task") == 1);
    f.commit();
    CHECK(wait_for(f.ledger.skip(f.mine, ids, "full")).left.empty());
    CHECK(f.state(1) == "skipped");
    CHECK(f.home.number("SELECT SUM(firings) FROM task") == 0);
}

TEST_CASE("an execution that another transaction has locked is left out of every decision, and others are not")
{
    stage f;
    if (!f.has_locks())
        return;
    for (int const id : {1, 2})
        f.plan_one(id, id, noon);
    std::vector const ids{execution_id{1}, execution_id{2}};
    std::vector const locked{execution_id{1}};
    auto const state = [&] { return f.state(1) + " " + f.state(2); };
    f.lock("execution WHERE id = 1");
    SECTION("of its end as cancelled")
    {
        CHECK(f.quick([&] { return f.ledger.cancel(f.mine, ids, "x"); }) == locked);
        CHECK(state() == "planned cancelled");
        f.commit();
        CHECK(wait_for(f.ledger.cancel(f.mine, ids, "x")).empty());
        CHECK(state() == "cancelled cancelled");
    }
    SECTION("of its end as skipped")
    {
        CHECK(f.quick([&] { return f.ledger.skip(f.mine, ids, "x"); }).left == locked);
        CHECK(state() == "planned skipped");
    }
    SECTION("of its end as failed")
    {
        std::vector<storage::undeliverable> const both{{ids[0], "x"}, {ids[1], "x"}};
        CHECK(f.quick([&] { return f.ledger.fail(f.mine, both); }) == locked);
        CHECK(state() == "planned failed");
        CHECK(f.home.number("SELECT MIN(execution_id) FROM dead_letter") == 2);
    }
    SECTION("of a request to cancel it")
    {
        CHECK(f.quick([&] { return f.ledger.request_cancel(f.mine, ids, "x"); }) == locked);
        CHECK(f.home.number("SELECT MIN(id) FROM execution WHERE cancel_requested_at IS NOT NULL") == 2);
    }
    SECTION("of the note that a limit keeps it back")
    {
        std::vector<storage::kept_back> both{{ids[0], {}, noon}, {ids[1], {}, noon}};
        CHECK(f.quick([&] { return f.ledger.keep_back(f.mine, both); }) == locked);
        CHECK(state() == "planned waiting");
        CHECK(f.home.number("SELECT MIN(execution_id) FROM waiting") == 2);
    }
    SECTION("of its end without its handler")
    {
        std::vector<storage::unresponsive_attempt> const both{{ids[0], 1, "c", protocol::state::timed_out, "x"},
                                                              {ids[1], 1, "c", protocol::state::timed_out, "x"}};
        auto const done = f.quick([&] { return f.ledger.end_unresponsive(f.mine, both); });
        CHECK(done.locked == locked);
        CHECK(done.ended == std::vector{ids[1]});
        CHECK(state() == "planned timed_out");
    }
    SECTION("of the request to stop its handler")
    {
        std::vector<storage::stop_request> const both{{ids[0], 1, protocol::stop_cause::timeout, 0s},
                                                      {ids[1], 1, protocol::stop_cause::timeout, 0s}};
        CHECK(f.quick([&] { return f.ledger.note_stops(f.mine, both); }) == locked);
        CHECK(state() == "planned stopping");
    }
}

TEST_CASE("a task that an edit has locked follows its zone later")
{
    stage f;
    if (!f.has_locks())
        return;
    f.add_task(1, noon);
    f.add_task(2, noon);
    f.home.exec("INSERT INTO task_zone (task_id, namespace, zone, version) VALUES (1, 1, 'Z', 1), (2, 1, 'Z', 1)");
    auto const move = [](int id) {
        storage::zone_move one;
        one.id = task_id{id};
        one.version = 1;
        one.changes = true;
        one.seen = noon;
        one.look = noon + 1h;
        return one;
    };
    auto zones = f.ledger.zone_tables();
    std::vector const both{move(1), move(2)};
    f.lock();
    CHECK(f.quick([&] { return zones.move(f.mine, both, 2); }) == 1);
    CHECK(f.home.number("SELECT SUM(version) FROM task_zone") == 3);
    f.commit();
    CHECK(wait_for(zones.move(f.mine, {both.front()}, 2)) == 1);
    CHECK(f.instant_of(1) == text(noon + 1h));
}

TEST_CASE("an attempt of an execution that another transaction has locked is not opened yet")
{
    stage f;
    if (!f.has_locks())
        return;
    for (int const id : {1, 2})
        f.plan_one(id, id, noon, 3);
    auto const next = [](int id) {
        return storage::next_attempt{execution_id{id}, 1, noon, protocol::attempt_cause::node_gone};
    };
    std::vector const both{next(1), next(2)};
    f.lock("execution WHERE id = 1");
    CHECK(f.quick([&] { return f.ledger.begin_attempts(f.mine, both); }) == std::vector{execution_id{2}});
    f.commit();
    CHECK(wait_for(f.ledger.begin_attempts(f.mine, both)) == std::vector{execution_id{1}});
}

} // namespace locked_tasks_test
