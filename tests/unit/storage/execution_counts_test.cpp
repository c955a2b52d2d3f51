#include "libs/storage/execution_counts.hpp"
#include "libs/storage/executions.hpp"
#include "tests/unit/storage/scheduler_bench.hpp"

#include <catch2/catch.hpp>

namespace execution_counts_test {

using namespace baton;
using namespace baton::test;
using protocol::service_key;
using storage::count_span;
using storage::engine;
using storage::tally;

namespace {

constexpr utc_time minute = from_micros(1'774'746'000'000'000); // a whole hour
service_key const served{"default", "s"};

struct stage : scheduler_bench {
    stage() : scheduler_bench(GENERATE(engine::mysql, engine::sqlite))
    {
        wait_for(ledger.raise(mine));
        add_task(1, minute);
    }

    // An execution of task 1 that was scheduled `after` the beginning of the minute, and started `lag` after that.
    void row(std::string const& state, duration after, std::optional<duration> lag = {}, duration ended = 1s,
             std::string const& parent = "NULL")
    {
        auto const at = to_micros(minute + after);
        auto const id = std::to_string(++made);
        bool const open = state == "running";
        auto const text = [](std::int64_t number) { return std::to_string(number); };
        home.exec("INSERT INTO execution (id, project, task_id, task_version, scheduled_at, run_key, cause, state, "
                  "attempt, max_attempts, retry_delay_us, epoch, created_at, started_at, due_at, ended_at, parent_id) "
                  "VALUES (" +
                  id + ", 'default', 1, 1, " + text(at) + ", " + id + ", 'schedule', '" + state + "', 1, 1, 0, 1, 1, " +
                  (lag ? text(at + lag->count()) : "NULL") + ", " + (open ? text(at) : "NULL") + ", " +
                  (open ? "NULL" : text(at + ended.count())) + ", " + parent + ")");
    }

    storage::tallies count(std::size_t rows)
    {
        storage::tallies all;
        storage::ledger_place from;
        from.scheduled_at = minute;
        for (;;) {
            auto const piece = wait_for(table.count(from, minute + 1min, rows));
            for (auto const& [key, each] : piece.counts)
                all[key] += each;
            from = piece.last;
            if (!piece.more)
                return all;
        }
    }

    int made = 0;
    storage::execution_counts table{*shared};
};

tally fired(std::int64_t many)
{
    tally counts;
    counts.fired = many;
    return counts;
}

} // namespace

TEST_CASE("each execution of a minute counts once, in pieces of any size")
{
    stage here;
    here.row("succeeded", -1us, 1ms);
    here.row("succeeded", 0us, 10ms);
    here.row("succeeded", 0us, 11ms);
    here.row("failed", 1s, 1s);
    here.row("timed_out", 2s, 1'001ms);
    here.row("cancelled", 3s);
    here.row("cancelled", 3s, {}, -1s); // by an edit, before its time
    here.row("skipped", 4s);
    here.row("running", 5s, 61s);
    here.row("succeeded", 6s, 1ms, 1s, "7"); // a shard
    here.row("succeeded", 1min, 1ms);
    tally wanted;
    wanted.fired = 6;
    wanted.succeeded = 2;
    wanted.failed = 2;
    wanted.cancelled = 1;
    wanted.skipped = 1;
    wanted.open = 1;
    wanted.lags = {1, 1, 0, 0, 1, 1, 0, 0, 1};
    for (std::size_t const rows : {1, 2, 3, 100}) {
        INFO(rows);
        auto const counts = here.count(rows);
        CHECK(counts == storage::tallies{{served, wanted}});
    }
    CHECK(wanted.late() == 2);
    CHECK(wanted.started() == 5);
}

TEST_CASE(
    "one reading counts a piece and finds the tasks that ran for long, shards included, without a change of the counts")
{
    stage here;
    for (int task = 2; task <= 5; ++task)
        here.add_task(task, minute);
    here.row("succeeded", 1s, 1ms);
    here.row("succeeded", 2s, 2ms);
    here.row("succeeded", 3s, 1ms);
    here.row("failed", 4s, 1ms);
    here.row("succeeded", 5s, 1ms, 1s, "7"); // a shard
    here.home.exec("UPDATE execution SET task_id = id, finished_at = started_at + CASE id WHEN 2 THEN 999999 ELSE "
                   "1000000 END");
    here.home.exec("UPDATE execution SET attempt = 2 WHERE id = 3");
    storage::ledger_place from;
    from.scheduled_at = minute;
    auto const count = [&](std::size_t rows, std::optional<duration> long_run) {
        return wait_for(here.table.count(from, minute + 1min, rows, long_run));
    };
    auto const all = count(100, 1s);
    CHECK(all.long_runs == std::vector{task_id{1}, task_id{5}});
    CHECK(all.counts.at(served).fired == 4);
    CHECK(all.counts == here.count(100));
    CHECK(count(4, 1s).long_runs == std::vector{task_id{1}});
    CHECK(count(100, std::nullopt).long_runs.empty());
}

TEST_CASE("the list of the late executions has as many as the count says, and that of the others has the rest")
{
    stage here;
    here.row("succeeded", 0us, 1s);
    here.row("succeeded", 1s, 1s + 1us);
    here.row("running", 2s, 61s);
    here.row("running", 3s);                 // it has not started
    here.row("succeeded", 4s, 5s, 10s, "7"); // a shard
    here.row("cancelled", 5s, {}, -1s);
    storage::executions executions(*here.shared);
    auto const list = [&](storage::execution_filter const& filter) { return wait_for(executions.list(filter)).items; };
    auto const late = list({.late = true});
    CHECK(here.count(100).at(served).late() == 2);
    REQUIRE(late.size() == 2);
    CHECK(late[0].id.value() == 3);
    CHECK(late[1].id.value() == 2);
    CHECK(list({.late = false}).size() == 4);
    CHECK(list({.open = true, .late = true}).size() == 1); // by the index of open ones
}

TEST_CASE("executions of a deleted task count for no service, and ranges of skipped firings by their last")
{
    stage here;
    here.row("succeeded", 1s, 1ms);
    here.home.exec("INSERT INTO skipped_range (task_id, namespace, first_at, last_at, firings, task_version, reason, "
                   "created_at) VALUES (1, 1, 1, " +
                   std::to_string(to_micros(minute + 5s)) + ", 7, 1, 'x', 1)");
    auto const skipped = wait_for(here.table.skipped(minute, minute + 1min));
    CHECK(skipped.at(served).skipped == 7);
    CHECK(wait_for(here.table.skipped(minute + 1min, minute + 2min)).empty());
    here.home.exec("DELETE FROM task");
    auto const counts = here.count(10);
    CHECK(counts.begin()->first == service_key{"default", ""});
}

TEST_CASE("the rows of a minute replace earlier ones, and its hour is the sum of its minutes")
{
    stage here;
    auto const put = [&](utc_time at, std::int64_t many, bool hour) {
        storage::tallies counts;
        if (many > 0)
            counts[served] = fired(many);
        REQUIRE(wait_for(here.table.put(here.mine, at, counts, hour)));
    };
    put(minute, 3, true);
    put(minute, 5, false);
    put(minute + 59min, 7, true);
    put(minute + 60min, 0, true);
    for (auto const& of : {served, service_key{}}) {
        auto const minutes = wait_for(here.table.read(count_span::minute, minute, of));
        REQUIRE(minutes.size() >= 2);
        CHECK(minutes[0].counts == fired(5));
        CHECK(minutes[1].since == minute + 59min);
        auto const hours = wait_for(here.table.read(count_span::hour, minute, of));
        REQUIRE(!hours.empty());
        CHECK(hours[0].counts == fired(12));
    }
    CHECK(wait_for(here.table.minutes(minute + 1min)).size() == 2);

    auto stale = here.mine;
    ++stale.epoch;
    CHECK_FALSE(wait_for(here.table.put(stale, minute, {{served, fired(9)}}, true)));
    CHECK(wait_for(here.table.read(count_span::minute, minute, served))[0].counts == fired(5));

    CHECK(wait_for(here.table.forget(count_span::minute, minute + 1h, 2)));
    CHECK(wait_for(here.table.read(count_span::minute, minute, served)).size() == 1);
    CHECK_FALSE(wait_for(here.table.forget(count_span::minute, minute + 1h, 10)));
    CHECK(wait_for(here.table.minutes(minute)).size() == 1);
    CHECK(wait_for(here.table.read(count_span::hour, minute, {})).size() == 2);
}

TEST_CASE("lags are estimated within the bucket that has them")
{
    tally counts;
    CHECK_FALSE(counts.lag(0.5));
    counts.lags = {2, 0, 0, 0, 0, 0, 0, 0, 0};
    CHECK(counts.lag(0.5) == 5ms);
    CHECK(counts.lag(1) == 10ms);
    counts.lags = {98, 0, 0, 0, 2, 0, 0, 0, 0};
    CHECK(counts.lag(0.99) == 650ms);
    counts.lags = {0, 0, 0, 0, 0, 0, 0, 0, 1};
    CHECK(counts.lag(1) == 2min);
}

} // namespace execution_counts_test
