// How much a term does before it plans, counted on a simulated database: it must not depend on what is open.

#include "tests/unit/trigger/master/term_stage.hpp"
#include "trigger/master/planner.hpp"
#include "trigger/master/take_over.hpp"

#include <catch2/catch.hpp>

namespace take_over_steps_test {

using namespace baton;
using namespace baton::trigger;
using namespace asio::experimental::awaitable_operators;

namespace {

// A term that takes over open executions of as many tasks, half of them past due.
struct fixture : test::term_stage {
    std::unique_ptr<storage::database> deciding = stage.database.connect(host, {.sessions = 1, .read_limit = 5s});
    std::unique_ptr<storage::database> several = stage.database.connect(host, {.sessions = 4, .read_limit = 5s});
    storage::ledger rows{*deciding, *several};
    term_scope mine{of, rows, open, *clients, due_changed, stage.loop.get_executor()};
    execution_loader loader{mine, book, steps()};
    fire_mark mark{mine, 500ms};
    watermark sent_so_far{mine};
    take_over loading{mine, loader, mark, sent_so_far};
    planning_watch watch{host.time().now()};
    planner planning{{}, of, {rows, book, open, ids, watch}, stage.loop.get_executor(), [this] { ++planned; }};
    int planned = 0;
    bool complete = false;
    std::size_t turns = 0; // of the loop

    explicit fixture(int open_rows)
    {
        add_open(open_rows);
        add_task(1'000'000);
        exec("UPDATE task SET next_fire_at = " + std::to_string(to_micros(start) + 1'000'000));
        stage.time.observe([this] { ++turns; });
    }
    ~fixture()
    {
        stage.time.observe({});
        stage.end();
    }

    execution_loader::steps steps()
    {
        execution_loader::steps made;
        made.under_way = [](open_execution const&) {};
        made.doubt = [this](open_execution& one) { open.move(one, phase::in_doubt); };
        return made;
    }
    void add_open(int count)
    {
        auto const numbers = " FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < " +
                             std::to_string(count) + ") SELECT x FROM n)";
        auto const due = std::to_string(to_micros(start)) + " + (x - " + std::to_string(count / 2) + ") * 100";
        exec("INSERT INTO task_version (task_id, version, action, valid_from, definition, created_at) SELECT x, 1, "
             "'created', 1, '{\"name\": \"t\", \"service\": \"s\", \"handler\": \"h\", \"schedule\": {\"kind\": "
             "\"fixed_rate\", \"every_ms\": 60000}}', 1" +
             numbers);
        exec("INSERT INTO execution (id, project, task_id, task_version, scheduled_at, run_key, cause, state, due_at, "
             "attempt, max_attempts, retry_delay_us, epoch, created_at) SELECT x, 'default', x, 1, " +
             due + ", 0, 'schedule', 'planned', " + due + ", 1, 1, 0, 4, 1" + numbers);
    }
    awaitable<void> load()
    {
        co_await loading.run();
        complete = true;
    }
    void begin()
    {
        loading.begin();
        host.spawn(load());
        host.spawn(planning.run());
    }
    bool run_until_complete()
    {
        return stage.time.run_until([this] { return complete; }, 1min);
    }
    bool run_until_planned()
    {
        return stage.time.run_until([this] { return planned != 0; }, 1min);
    }
};

// The work until the first firing was planned.
struct effort {
    std::uint64_t calls = 0; // of the database
    std::size_t turns = 0;
    std::size_t loaded = 0; // executions
    duration took{};
};

effort effort_until_planned(int open_rows)
{
    fixture f(open_rows);
    auto const before = f.stage.database.calls();
    auto const began = f.stage.time.now();
    f.turns = 0;
    f.begin();
    REQUIRE(f.run_until_planned());
    CHECK_FALSE(f.complete);
    return {f.stage.database.calls() - before, f.turns, f.open.size(), f.stage.time.now() - began};
}

} // namespace

TEST_CASE("a term that takes over 30,000 open executions plans after no more work than one that takes over 10,000",
          "[large]")
{
    auto const few = effort_until_planned(10'000);
    auto const many = effort_until_planned(30'000);
    CHECK(many.calls <= few.calls + 2);
    CHECK(many.turns <= few.turns + few.turns / 4);
    CHECK(many.loaded <= few.loaded); // pages that came while the planner waited for the database
    CHECK(many.took <= 500ms);
}

TEST_CASE("a take-over reads a page of open executions with each call of the database")
{
    fixture f(10'000);
    auto const before = f.stage.database.calls();
    f.loading.begin();
    f.host.spawn(f.load());
    REQUIRE(f.run_until_complete());
    CHECK(f.open.size() == 10'000);
    CHECK(f.stage.database.calls() - before <= 10'000 / 2'000 + 3);
}

TEST_CASE("a firing whose task is edited while it is read is in memory when the take-over is over")
{
    fixture f(10);
    f.begin();
    f.stage.time.run_until([&] { return f.turns > 0; }, 1min);
    REQUIRE(f.open.size() == 0); // it is being read
    f.open.edited(task_id{1});
    REQUIRE(f.run_until_complete());
    CHECK(f.open.stale() == std::vector{execution_id{1}});
    CHECK(f.open.find(execution_id{1}) != nullptr);
}

} // namespace take_over_steps_test
