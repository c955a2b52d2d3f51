// The take-over of a large backlog, on real databases: the term plans at once, and no step of the loop is long.

#include "libs/base/random.hpp"
#include "tests/support/stores.hpp"
#include "trigger/master/planner.hpp"
#include "trigger/master/take_over.hpp"

#include <catch2/catch.hpp>

#include <time.h>

namespace take_over_test {

using namespace baton;
using namespace baton::test;
using namespace baton::trigger;
using namespace asio::experimental::awaitable_operators;
using storage::engine;

namespace {

duration processor_time()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::duration_cast<duration>(std::chrono::seconds{now.tv_sec} +
                                                std::chrono::nanoseconds{now.tv_nsec});
}

std::string definition(std::string const& id)
{
    return R"('{"project": "p", "name": "task ' || )" + id +
           R"( || '", "service": "billing", "handler": "close_books", "payload": {"region": "north", "of": [1, 2, 3]},)"
           R"( "schedule": {"kind": "cron", "cron": "*/5 * * * *", "zone": "Europe/Berlin"}, "max_attempts": 3,)"
           R"( "routing": "round_robin", "timeout_ms": 60000, "enabled": true}')";
}

// A ledger with open executions of as many tasks, half of them past due, and a term that takes them over.
struct bench {
    bench(engine kind, int open_rows) : home(kind), count(open_rows)
    {
        home.migrated();
        fill();
        deciding = home.open({.sessions = 1});
        shared = home.open({.sessions = 4});
        ledger.emplace(*deciding, *shared);
        ship.extend(5, time.now(), 1h, 0s);
        wait_for(ledger->raise(of.fence));
    }

    void fill()
    {
        auto const mysql = home.where().engine == engine::mysql;
        auto const now = std::to_string(to_micros(time.utc()));
        std::string const numbers = "WITH RECURSIVE n(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM n WHERE x < 999) ";
        auto const id = std::string("(a.x * 1000 + b.x + 1)");
        auto const from = " FROM n a, n b WHERE a.x * 1000 + b.x < " + std::to_string(count);
        auto text = definition(id);
        if (mysql) { // which takes || for "or"
            std::string const before = "' || " + id + " || '";
            text.replace(text.find(before), before.size(), "', " + id + ", '");
            text = "CONCAT(" + text + ")";
        }
        auto const due = now + " + (" + id + " - " + std::to_string(count / 2) + ") * 1000";
        home.exec("INSERT INTO task_version (task_id, version, action, valid_from, definition, created_at) " + numbers +
                  "SELECT " + id + ", 1, 'created', 1, " + text + ", 1" + from);
        home.exec("INSERT INTO execution (id, project, task_id, task_version, scheduled_at, run_key, cause, state, "
                  "due_at, attempt, max_attempts, retry_delay_us, epoch, created_at) " +
                  numbers + "SELECT " + id + ", 'p', " + id + ", 1, " + due + ", 0, 'schedule', 'planned', " + due +
                  ", 1, 3, 0, 4, 1" + from);
        home.exec("INSERT INTO task (id, project, name, version, enabled, service, handler, schedule_kind, definition, "
                  "next_fire_at, created_at, updated_at) " +
                  numbers + "SELECT " + id + ", 'p', " + id + ", 1, 1, 's', 'h', 'cron', " + text + ", " + now + ", " +
                  now + ", 1" + from + " AND b.x = 0");
    }

    // Runs a term until all is loaded.
    void take_over()
    {
        client_directory clients(*shared, time, loop.get_executor());
        term_scope const scope{of, *ledger, open, clients, due_changed, loop.get_executor()};
        task_book book;
        execution_loader::steps steps;
        steps.under_way = [](open_execution const&) {};
        steps.doubt = [&](open_execution& one) {
            if (one.due_at > began_utc + 100ms)
                ++wrong;
            if (past_due++ == 0)
                first_due = one.due_at;
            most_in_a_step = std::max(most_in_a_step, ++in_this_step);
            open.move(one, phase::in_doubt);
        };
        execution_loader loader(scope, book, std::move(steps));
        fire_mark const mark(scope, 500ms);
        watermark const out(scope);
        trigger::take_over loading(scope, loader, mark, out);
        planning_watch watch(time.now());
        planner planning({}, of, {*ledger, book, open, ids, watch}, loop.get_executor(), [&] {
            if (planned_after == 0us)
                planned_after = time.now() - began;
        });
        auto const begin = [&]() -> awaitable<void> {
            loading.begin();
            co_await (planning.run() || loading.run());
        };
        began = time.now();
        began_utc = clock.now();
        asio::co_spawn(loop, begin(), [](std::exception_ptr) {});
        for (auto before = processor_time(); loop.run_one() > 0;) {
            auto const after = processor_time();
            longest_step = std::max(longest_step, after - before);
            before = after;
            in_this_step = 0;
        }
        complete_after = time.now() - began;
        past_due = 0;
        open.each([&](auto const& one) { past_due += one.phase == phase::in_doubt ? 1 : 0; });
    }

    system_time time;
    store home;
    int count;
    asio::io_context loop;
    std::unique_ptr<storage::database> deciding;
    std::unique_ptr<storage::database> shared;
    std::optional<storage::ledger> ledger;
    seeded_random random{5};
    id_generator ids{time, random};
    cluster_clock clock{time};
    mastership ship;
    term of{{"master", 5}, ship, time, clock};
    open_set open{time};
    waker due_changed{loop.get_executor()};
    instant began{};
    utc_time began_utc;
    duration planned_after{};
    duration complete_after{};
    duration longest_step{};
    int past_due = 0;
    int in_this_step = 0; // taken in as past due
    int most_in_a_step = 0;
    int wrong = 0;
    utc_time first_due; // of what was loaded as past due
};

} // namespace

TEST_CASE("a term plans while it takes over, and what was past due is in doubt")
{
    bench b(GENERATE(engine::sqlite, engine::mysql), 30'000);
    b.take_over();
    CHECK(b.open.size() >= 30'000); // and what was planned meanwhile
    CHECK(b.past_due >= 15'000);
    CHECK(b.past_due <= 15'000 + 3'000);
    CHECK(b.most_in_a_step <= 100);         // however large a page is, so that no step of the loop is long
    CHECK(b.first_due > b.began_utc - 11s); // what is due now is loaded before what is overdue for longer
    CHECK(b.wrong == 0);
    CHECK(b.planned_after > 0us);
    CHECK(b.planned_after < b.complete_after);
}

TEST_CASE("a take-over of 200,000 open executions of as many tasks", "[.measure]")
{
    bench b(GENERATE(engine::sqlite, engine::mysql), 200'000);
    b.take_over();
    WARN("planned after " << b.planned_after / 1ms << " ms, complete after " << b.complete_after / 1ms
                          << " ms, longest step " << b.longest_step / 1us << " us");
    CHECK(b.open.size() >= 200'000);
    CHECK(b.planned_after <= 500ms);
    CHECK(b.complete_after <= 3s);
    CHECK(b.longest_step <= 50ms);
}

} // namespace take_over_test
