// A dump keeps a read view open, so MySQL purges no index entry that was deleted since. Scans must not walk them.

#include "tests/unit/storage/scheduler_bench.hpp"

#include <catch2/catch.hpp>
#include <soci/soci.h>

#include <functional>
#include <map>

namespace purge_test {

using namespace baton;
using namespace baton::test;
using storage::engine;

namespace {

utc_time const noon = from_micros(1'800'000'000'000'000);
constexpr int firings = 100'000;
constexpr int tasks = 500; // fire together
constexpr duration between = 500ms;

struct bench : scheduler_bench {
    bench() : scheduler_bench(engine::mysql)
    {
        add_task(1, noon);
        home.exec(
            "INSERT INTO task (id, project, name, version, enabled, service, handler, schedule_kind, definition, "
            "next_fire_at, created_at, updated_at) WITH RECURSIVE n(x) AS (SELECT 2 UNION ALL SELECT x + 1 FROM n "
            "WHERE x < 500) SELECT x, 'p', x, 1, 1, 's', 'h', 'any', '{}', 1, 1, 1 FROM n");
        *dump << "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ";
        *dump << "START TRANSACTION WITH CONSISTENT SNAPSHOT";
        int rows = 0;
        *dump << "SELECT COUNT(*) FROM task", soci::into(rows);
        for (int from = 0; from < firings; from += tasks)
            fire(from, std::to_string(to_micros(noon + from / tasks * between)));
        *session << "UPDATE task SET next_fire_at = " + std::to_string(to_micros(end));
    }

    // Each firing leaves an entry in the index of due tasks, one in that of open executions, and a signal.
    void fire(int from, std::string const& at)
    {
        std::string rows;
        std::string signals;
        auto const told = std::to_string(to_micros(begun - (firings - from) / tasks * 100ms));
        for (int i = from; i < from + tasks; ++i) {
            auto const n = std::to_string(i + 1);
            rows += (rows.empty() ? "(" : ", (") + n + ", 'p', " + n + ", 1, " + at + ", 0, 'schedule', 'planned', " +
                    at + ", 1, 1, 0, 1, 1)";
            signals += (signals.empty() ? "(" : ", (") + n + ", 'run', 1, " + told + ")";
        }
        *session << "START TRANSACTION";
        *session << "UPDATE task SET next_fire_at = " + at;
        *session << "INSERT INTO execution (id, project, task_id, task_version, scheduled_at, run_key, cause, state, "
                    "due_at, attempt, max_attempts, retry_delay_us, epoch, created_at) VALUES " +
                        rows;
        *session << "INSERT INTO `signal` (id, kind, subject, created_at) VALUES " + signals;
        *session << "COMMIT";
        *session << "UPDATE execution SET due_at = NULL WHERE id > " + std::to_string(from);
        *session << "DELETE FROM `signal`";
    }

    // Pages of the buffer pool that the work reads. The server counts those of other tests too, so the least count is
    // right once it has come up three times.
    std::int64_t pages(std::function<void()> const& work)
    {
        std::map<std::int64_t, int> counts;
        for (int tries = 0; tries < 1'000 && (tries == 0 || counts.begin()->second < 3); ++tries) {
            auto const before = read_requests();
            work();
            ++counts[read_requests() - before];
        }
        return counts.begin()->first;
    }
    std::int64_t read_requests()
    {
        std::string name;
        std::int64_t value = 0;
        *status << "SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_read_requests'", soci::into(name), soci::into(value);
        return value;
    }

    utc_time const end = noon + firings / tasks * between;
    system_time time;
    utc_time const begun = time.utc(); // the signals were deleted in the last twenty seconds
    storage::session_ptr session = storage::open_session(home.where(), {}, time);
    storage::session_ptr dump = storage::open_session(home.where(), {}, time);
    storage::session_ptr status = storage::open_session(home.where(), {}, time);
};

} // namespace

TEST_CASE(
    "while a dump holds a read view, planning, sweeping, take-overs and signals walk only what was deleted lately")
{
    bench b;
    storage::signals signals(*b.shared);
    auto const read_signals = [&](duration back) {
        return b.pages([&] { wait_for(signals.pending(back, utc_time::max(), 500)); });
    };
    auto& ledger = b.ledger;
    auto const recent = b.end - 2s;
    auto const due = [&](utc_time from) { return b.pages([&] { wait_for(ledger.due(b.end + 1s, {from, {}}, 5)); }); };
    auto const open = [&](utc_time from, utc_time until) {
        return b.pages([&] { wait_for(ledger.open_keys(until, {from, {}}, 500)); });
    };
    auto const all_due = due(utc_time{});
    auto const all_open = open(utc_time{}, b.end);
    auto const take_over = [&](utc_time from) {
        return b.pages([&] { wait_for(ledger.open(utc_time::max(), {from, {}}, 500)); });
    };
    auto const all_taken = take_over(utc_time{});
    auto const all_signals = read_signals(1h);
    CAPTURE(all_due, all_open, all_taken, all_signals, due(recent), open(recent, b.end), take_over(recent),
            read_signals(5s));
    CHECK(take_over(recent) < all_taken / 3);
    CHECK(read_signals(5s) < all_signals / 3);
    CHECK(due(recent) < all_due / 3);
    CHECK(open(recent, b.end) < all_open / 3);
    CHECK(wait_for(ledger.due(b.end + 1s, {recent, {}}, 500)).size() == tasks);
}

} // namespace purge_test
