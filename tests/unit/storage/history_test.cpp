#include "tests/unit/storage/scheduler_bench.hpp"

#include <catch2/catch.hpp>
#include <soci/soci.h>

#include <functional>

using namespace baton;
using namespace baton::test;
using protocol::state;
using storage::engine;

namespace {

constexpr int over = 6'000;
constexpr int to_come = 1'000;
constexpr int page = 20;
utc_time const noon = from_micros(1'800'000'000'000'000);

// That a session's statements have read so far, by any way.
std::int64_t rows_read(soci::session& sql)
{
    std::string name;
    std::int64_t value = 0;
    std::int64_t all = 0;
    soci::statement ask =
        (sql.prepare << "SHOW SESSION STATUS LIKE 'Handler_read%'", soci::into(name), soci::into(value));
    ask.execute();
    while (ask.fetch())
        all += value;
    return all;
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

} // namespace

TEST_CASE("the rows read for a page of executions do not grow with the history")
{
    bench b(GENERATE(false, true));
    CHECK(b.list({}) <= 3 * page);
    CHECK(b.list({.before_at = noon - 1h}) <= 3 * page);
    CHECK(b.list({.from = noon - 1h, .until = noon}) <= 3 * page);
    CHECK(b.list({.task = task_id{3}}) <= 3 * page);
    CHECK(b.list({.task = task_id{3}, .before_at = noon}) <= 3 * page);
    CHECK(b.list({.parent = execution_id{3}}) <= 3 * page);
    CHECK(b.list({.state = state::failed, .look = 100}) <= 4 * 100);
    CHECK(b.list({.task = task_id{3}, .state = state::failed, .look = 100}) <= 4 * 100);
    CHECK(b.list({.project = "none", .look = 100}) <= 4 * 100);
    CHECK(b.list({.state = state::running}) <= to_come + 3 * page); // no more than the open executions
    CHECK(b.cost([&] { wait_for(b.executions.find(execution_id{7})); }) <= 5);
}

TEST_CASE("the rows read by one step of retention grow neither with the history nor with the open executions")
{
    bench b(GENERATE(false, true));
    for (auto const from : {noon - 2h, noon - 1min}) {
        storage::ledger_place const at{from, task_id{1}, 0};
        CHECK(b.cost([&] { wait_for(b.retention.executions(noon - 30s, at, page)); }) <= 10 * page);
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
    CHECK(b.cost([&] { wait_for(b.all.delayed_ready(page)); }) <= 5);
}
