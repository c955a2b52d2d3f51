#include "tests/support/target.hpp"
#include "tests/unit/storage/scheduler_bench.hpp"

#include <catch2/catch.hpp>
#include <soci/soci.h>

#include <functional>

namespace history_test {

using namespace baton;
using namespace baton::test;
using protocol::state;
using storage::engine;

namespace {

constexpr int over = 6'000;
constexpr int to_come = 1'000;
constexpr int page = 20;
utc_time const noon = system_time().utc(); // what is planned lies behind the database's now

// That a session's statements have read so far, by any way.
std::int64_t counted(soci::session& sql, std::string const& what)
{
    std::string name;
    std::int64_t value = 0;
    std::int64_t all = 0;
    soci::statement ask =
        (sql.prepare << "SHOW SESSION STATUS LIKE '" + what + "'", soci::into(name), soci::into(value));
    ask.execute();
    while (ask.fetch())
        all += value;
    return all;
}
std::int64_t rows_read(soci::session& sql)
{
    return counted(sql, "Handler_read%");
}
std::int64_t updates(soci::session& sql)
{
    return counted(sql, "Com_update%");
}

// A ledger with a history: one execution a second that has ended up to noon, by turns of ten tasks, and others that are
// to come. The database may know how much there is, or not yet.
struct bench : scheduler_bench {
    explicit bench(bool counted) : scheduler_bench(engine::mysql)
    {
        for (int task = 1; task <= 10; ++task)
            add_task(task, noon + to_come * 1s);
        for (int from = 1; from <= over + to_come; from += 500)
            fill(from, from + 500);
        if (counted)
            home.text("ANALYZE TABLE execution");
        wait_for(executions.list({.limit = page})); // a server reads its dictionary once
        nothing = cost([] {});
    }

    void fill(int from, int until)
    {
        std::string rows;
        for (int id = from; id < until; ++id) {
            auto const n = std::to_string(id);
            auto const at = std::to_string(to_micros(noon + (id - over) * 1s));
            rows += (rows.empty() ? "(" : ", (") + n + ", 'p', " + std::to_string(id % 10 + 1) + ", 1, " + at +
                    ", 0, 'schedule', " + (id <= over ? "'succeeded', NULL, " : "'planned', " + at + ", ") +
                    "1, 1, 0, 1, 1, " + (id <= over ? at : "NULL") + ")";
        }
        home.exec(
            "INSERT INTO execution (id, project, task_id, task_version, scheduled_at, run_key, cause, state, due_at, "
            "attempt, max_attempts, retry_delay_us, epoch, created_at, ended_at) VALUES " +
            rows);
    }

    std::int64_t cost(std::function<void()> const& work)
    {
        auto const before = wait_for(one->run(rows_read));
        work();
        return wait_for(one->run(rows_read)) - before - nothing;
    }
    std::int64_t list(storage::execution_filter filter)
    {
        filter.limit = page;
        return cost([&] { wait_for(executions.list(filter)); });
    }

    std::int64_t nothing = 0; // the reading itself
    std::unique_ptr<storage::database> one = home.open({.sessions = 1});
    storage::executions executions{*one};
    storage::retention retention{*one};
    storage::ledger all{*one, *one};
};

// The rows that a list may read for each execution: its own, its task's and that of its latest attempt, and what the
// server looks up for these.
int of_each()
{
    return chosen_target() == target::mysql9 ? 6 : 4;
}

} // namespace

TEST_CASE("the rows read for a page of what is planned do not grow with the retries that wait")
{
    bench b(true);
    b.home.exec("UPDATE execution SET state = 'retrying', due_at = " + std::to_string(to_micros(noon + 1h)) +
                " WHERE scheduled_at < " + std::to_string(to_micros(noon - 1h)));
    CHECK(b.list({.planned = true}) <= of_each() * page);
}

TEST_CASE("the rows read for a page of due tasks do not grow with other services' tasks of the same instant before it")
{
    bench b(true);
    b.home.exec("UPDATE task SET service = 'z' WHERE id = 10");
    for (int id = 11; id <= 1'010; ++id)
        b.add_task(id, noon);
    b.home.exec("UPDATE task SET next_fire_at = " + std::to_string(to_micros(noon)));
    b.home.text("ANALYZE TABLE task");
    storage::due_cursor const before_last{noon, {"default", "z"}, {}};
    REQUIRE(wait_for(b.all.due(noon + 1s, before_last, page)).size() == 1);
    CHECK(b.cost([&] { wait_for(b.all.due(noon + 1s, before_last, page)); }) <= 10);
}

TEST_CASE("the rows read for a page of executions do not grow with the history")
{
    bench b(GENERATE(false, true));
    CHECK(b.list({}) <= of_each() * page);
    CHECK(b.list({.after_at = noon - 1h}) <= of_each() * page);
    CHECK(b.list({.from = noon - 1h, .until = noon}) <= of_each() * page);
    CHECK(b.list({.task = task_id{3}}) <= of_each() * page);
    CHECK(b.list({.task = task_id{3}, .after_at = noon}) <= of_each() * page);
    CHECK(b.list({.parent = execution_id{3}}) <= of_each() * page);
    CHECK(b.list({.planned = true}) <= of_each() * page);
    CHECK(b.list({.task = task_id{3}, .planned = true}) <= of_each() * page);
    CHECK(b.list({.planned = false}) <= of_each() * page);
    CHECK(b.list({.task = task_id{3}, .planned = false}) <= of_each() * page);
    CHECK(b.list({.states = {state::failed}, .look = 100}) <= of_each() * 100);
    CHECK(b.list({.task = task_id{3}, .states = {state::failed}, .look = 100}) <= of_each() * 100);
    CHECK(b.list({.project = "none", .look = 100}) <= of_each() * 100);
    CHECK(b.list({.states = {state::running}}) <= 2 * to_come + 3 * page); // no more than the open executions, twice
    CHECK(b.cost([&] { wait_for(b.executions.find(execution_id{7})); }) <= 5);
}

TEST_CASE("the rows read by one step of retention grow neither with the history nor with the open executions")
{
    bench b(GENERATE(false, true));
    for (auto const from : {noon - 2h, noon - 1min}) {
        storage::ledger_place const at{from, task_id{1}, 0};
        CHECK(b.cost([&] { wait_for(b.retention.executions(noon - 30s, at, page)); }) <= 15 * page);
    }
    CHECK(b.home.number("SELECT COUNT(*) FROM execution") == over + to_come - 2 * page);
    b.home.exec("INSERT INTO idempotency (project, `key`, fingerprint, execution_id, created_at) "
                "SELECT 'p', id, 'f', id, scheduled_at * 2 FROM execution"); // that count still
    CHECK(b.cost([&] { wait_for(b.retention.keys(page)); }) <= page);
    CHECK(b.home.number("SELECT COUNT(*) FROM idempotency") == over + to_come - 2 * page);
}

TEST_CASE("planning and taking over read no row of the history")
{
    bench b(GENERATE(false, true));
    CHECK(b.cost([&] { wait_for(b.all.due(utc_time::max(), {}, page)); }) <= 3 * page);
    CHECK(b.cost([&] { wait_for(b.all.open(utc_time::max(), {}, page)); }) <= 3 * page);
    CHECK(b.cost([&] { wait_for(b.all.open_keys(utc_time::max(), {}, page)); }) <= 3 * page);
}

TEST_CASE("the end of an execution costs a fixed-delay task a look-up, whatever else waits")
{
    bench b(GENERATE(false, true));
    b.home.exec("INSERT INTO task (id, project, name, version, enabled, service, handler, schedule_kind, definition, "
                "next_fire_at, waiting_for, created_at, updated_at) SELECT 100 + id, 'p', id, 1, 1, 's', 'h', "
                "'fixed_delay', '{}', NULL, id, 1, 1 FROM execution");
    b.home.exec("ANALYZE TABLE task");
    wait_for(b.all.delayed_ready({execution_id{1}})); // MySQL 9 reads its dictionary when a table is opened
    CHECK(b.cost([&] { wait_for(b.all.delayed_ready({execution_id{5}, execution_id{over + 5}})); }) <= 20);
    execution_id after{over};
    CHECK(b.cost([&] { wait_for(b.all.delayed_ready(after, page)); }) <= of_each() * page);
    CHECK(after == execution_id{over + page});
}

TEST_CASE("100,000 overdue tasks that are parked cost the planner no rows")
{
    bench b(true);
    b.home.exec("INSERT INTO task (id, project, name, version, enabled, service, handler, schedule_kind, definition, "
                "next_fire_at, created_at, updated_at, parked_for) SELECT 1000 + a.id * 100 + x.id, 'p', "
                "1000 + a.id * 100 + x.id, 1, 1, 's', 'h', 'any', '{}', a.id, 1, 1, IF(a.id % 2, 'p/s', 'p/t') "
                "FROM execution a JOIN execution x ON x.id BETWEEN 0 AND 99 WHERE a.id <= 1010");
    REQUIRE(b.home.number("SELECT COUNT(*) FROM task WHERE parked_for <> ''") >= 99'000);
    if (GENERATE(false, true))
        b.home.text("ANALYZE TABLE task");
    CHECK(b.cost([&] { wait_for(b.all.due(noon, {}, page)); }) <= 2);
    CHECK(b.cost([&] { wait_for(b.all.due(utc_time::max(), {}, page)); }) <= 3 * page); // the ten others
    CHECK(b.cost([&] { wait_for(b.all.parked_services()); }) <= 10);
    wait_for(b.all.raise({"master", 1}));
    CHECK(b.cost([&] { wait_for(b.all.unpark({"master", 1}, {"p", "s"}, page)); }) <= 10 * page);
}

TEST_CASE("attempts that were lost, and executions that fail for different reasons, cost a statement for many")
{
    bench b(false);
    wait_for(b.ledger.raise(b.mine));
    std::vector<storage::next_attempt> lost;
    std::vector<storage::undeliverable> failed;
    for (int id = over + 1; id <= over + 400; ++id) {
        lost.push_back({execution_id{id}, 1, noon, protocol::attempt_cause::take_over});
        failed.push_back({execution_id{id}, "for reason " + std::to_string(id)});
    }
    auto before = wait_for(b.one->run(updates));
    CHECK(wait_for(b.all.begin_attempts(b.mine, lost)).size() == lost.size());
    for (auto& each : lost)
        each.attempt = 2;
    CHECK(wait_for(b.all.begin_attempts(b.mine, lost)).size() == lost.size());
    CHECK(wait_for(b.one->run(updates)) - before == 6); // each time the fence, the given up, and the executions
    CHECK(b.home.number("SELECT COUNT(*) FROM execution WHERE error = 'given up: take_over' AND attempt = 3") == 400);
    CHECK(b.home.number("SELECT COUNT(*) FROM attempt WHERE error = 'given up: take_over' AND attempt = 2") == 400);
    before = wait_for(b.one->run(updates));
    wait_for(b.all.fail(b.mine, failed));
    CHECK(wait_for(b.one->run(updates)) - before == 2);
    CHECK(b.home.number("SELECT COUNT(*) FROM execution WHERE error = CONCAT('for reason ', id)") == 400);
}

} // namespace history_test
