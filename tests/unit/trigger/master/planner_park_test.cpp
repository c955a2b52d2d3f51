#include "libs/base/log.hpp"
#include "tests/unit/trigger/master/term_stage.hpp"
#include "trigger/master/planner.hpp"

#include <catch2/catch.hpp>

#include <optional>

namespace planner_park_test {

using namespace baton;
using namespace baton::trigger;
using namespace asio::experimental::awaitable_operators;
using protocol::service_key;

namespace {

constexpr int bound = 50;
constexpr int overdue = 200; // tasks of the service without clients

planner_settings limits()
{
    planner_settings settings;
    settings.overdue_limit = bound;
    settings.page = 20;
    return settings;
}

// Everything of a term that plans.
struct term_parts {
    term_parts(term& of, storage::ledger& ledger, sim::host& host, id_generator& ids, asio::any_io_executor loop)
        : open(host.time()), planner(limits(), of, {ledger, book, open, ids, watch}, loop, [] {})
    {}
    task_book book;
    open_set open;
    planning_watch watch{instant{}};
    trigger::planner planner;
};

struct fixture : test::term_stage {
    std::optional<term_parts> parts; // of the present term
    service_key const dead{"default", "dead"};
    int last_task = 0;

    ~fixture() { stage.end(); }

    // No firing of the task is too late to run.
    void add_task(std::string const& service, nlohmann::json const& schedule, utc_time next)
    {
        auto const id = std::to_string(++last_task);
        nlohmann::json const definition{{"name", "t" + id},
                                        {"service", service},
                                        {"handler", "h"},
                                        {"schedule", schedule},
                                        {"misfire", {{"after_ms", 86'400'000}}}};
        exec("INSERT INTO task (id, project, name, version, enabled, service, handler, schedule_kind, definition, "
             "next_fire_at, created_at, updated_at) VALUES (" +
             id + ", 'default', 't" + id + "', 1, 1, '" + service + "', 'h', 'any', '" + definition.dump() + "', " +
             std::to_string(to_micros(next)) + ", " + std::to_string(to_micros(start)) + ", 1)");
        exec("INSERT INTO task_version (task_id, version, action, valid_from, definition, created_at) SELECT id, 1, "
             "'created', 1, definition, 1 FROM task WHERE id = " +
             id);
    }
    void add_overdue_tasks()
    {
        for (int i = 0; i < overdue; ++i) {
            auto const at = start - std::chrono::seconds(overdue - i);
            add_task("dead", {{"kind", "once"}, {"at", to_rfc3339(at)}}, at);
        }
    }

    void begin_term() { parts.emplace(of, *ledger, host, ids, stage.loop.get_executor()); }
    // A new term, which has loaded the open executions of the last one.
    void take_over()
    {
        begin_term();
        stage.play(load());
    }
    awaitable<void> load()
    {
        open_set::reading const now(parts->open);
        auto const rows = co_await ledger->open(utc_time::max(), {}, 10'000);
        for (auto const& row : rows)
            parts->open.add(
                make_open_execution(row, parts->book.get(row.task, row.version, row.definition, std::nullopt)), now);
        parts->planner.loaded();
    }
    void plan_for(duration span) { stage.play(run(span)); }
    awaitable<void> run(duration span) { co_await (parts->planner.run() || host.time().sleep_for(span)); }

    // A guard whose pings leave the master 40 to 60 ms at any time.
    awaitable<void> keep_guard()
    {
        for (;;) {
            ship.guard(host.time().now() + 60ms);
            co_await host.time().sleep_for(20ms);
        }
    }

    // Clients take the executions of the service that wait.
    void take(int most)
    {
        std::vector<open_execution*> waiting;
        parts->open.each([&](open_execution& one) {
            if (one.task->definition.service == "dead" && one.phase == phase::waiting)
                waiting.push_back(&one);
        });
        std::sort(waiting.begin(), waiting.end(), [](auto* a, auto* b) { return a->due_at < b->due_at; });
        for (int i = 0; i < most && i < static_cast<int>(waiting.size()); ++i)
            parts->open.move(*waiting[static_cast<std::size_t>(i)], phase::held, "client");
    }

    std::int64_t rows_of(std::string const& service)
    {
        return number("SELECT COUNT(*) FROM execution e JOIN task t ON t.id = e.task_id WHERE t.service = '" + service +
                      "'");
    }
    std::int64_t parked() { return number("SELECT COUNT(*) FROM task WHERE parked_for = 'default/dead'"); }
};

} // namespace

TEST_CASE("a service without clients gets rows up to its bound, then its overdue tasks are parked with a reason")
{
    fixture f;
    f.add_overdue_tasks();
    f.add_task("well", {{"kind", "fixed_rate"}, {"every_ms", 1000}}, f.start);
    f.take_over();
    f.plan_for(10s);
    CHECK(f.rows_of("dead") == bound);
    CHECK(f.parked() == overdue - bound);
    CHECK(f.rows_of("well") >= 12); // up to now, and half the look-ahead further
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE parked_for <> '' AND parked_at IS NOT NULL AND parked_reason = "
                   "'clients have not taken the 50 executions that service ''dead'' may have open'") ==
          overdue - bound);
    // The earliest firings have rows.
    CHECK(f.number("SELECT MAX(scheduled_at) FROM execution WHERE task_id <= 200") <
          f.number("SELECT MIN(next_fire_at) FROM task WHERE parked_for <> ''"));
    CHECK(
        f.number("SELECT COUNT(*) FROM task WHERE parked_for = '' AND service = 'dead' AND next_fire_at IS NOT NULL") ==
        0); // nothing of the service is read again
}

TEST_CASE("parked tasks come back in order of time when half of the bound is free, and not before")
{
    fixture f;
    f.add_overdue_tasks();
    f.take_over();
    f.plan_for(5s);
    REQUIRE(f.parked() == overdue - bound);
    f.take(bound / 2 - 1);
    f.plan_for(3s);
    CHECK(f.rows_of("dead") == bound);
    f.take(1);
    f.plan_for(3s);
    CHECK(f.rows_of("dead") == bound + static_cast<int>(limits().page));
    CHECK(f.parked() == overdue - bound - static_cast<int>(limits().page));
    CHECK(f.number("SELECT COUNT(*) FROM execution WHERE task_id > 70") == 0); // the earliest first
    for (int i = 0; i < 10; ++i) {
        f.take(bound);
        f.plan_for(2s);
    }
    CHECK(f.rows_of("dead") == overdue);
    CHECK(f.parked() == 0);
}

TEST_CASE("a take-over adds no rows to a service at its bound, and the new master takes its tasks back")
{
    fixture f;
    f.add_overdue_tasks();
    for (int terms = 0; terms < 4; ++terms) {
        f.begin_term();
        if (terms != 0) // plans while it loads
            f.plan_for(3s);
        f.stage.play(f.load());
        f.plan_for(3s);
        CHECK(f.rows_of("dead") == bound);
        f.add_task("dead", {{"kind", "once"}, {"at", to_rfc3339(f.start)}}, f.start);
    }
    f.take(bound);
    f.plan_for(3s);
    CHECK(f.rows_of("dead") > bound + bound / 2);
}

TEST_CASE("a task with more late firings than its service has room for is planned as far as there is room")
{
    fixture f;
    f.add_task("dead", {{"kind", "fixed_rate"}, {"every_ms", 1000}, {"start_at", to_rfc3339(f.start - 1h)}},
               f.start - 1h);
    f.take_over();
    f.plan_for(5s);
    CHECK(f.rows_of("dead") == bound);
    CHECK(f.parked() == 1);
    CHECK(f.number("SELECT next_fire_at / 1000000 FROM task") == to_micros(f.start - 1h) / 1'000'000 + bound);
}

TEST_CASE("a task that appears long past due is found, although rounds begin where the last one left something")
{
    fixture f;
    f.take_over();
    f.plan_for(5s);
    auto const at = f.start - GENERATE(duration{2s}, duration{90s}, duration{48h});
    f.add_task("late", {{"kind", "once"}, {"at", to_rfc3339(at)}}, at);
    f.plan_for(50s);
    f.plan_for(15s);
    CHECK(f.rows_of("late") == 1);
}

TEST_CASE("a round does not read the index of due tasks from its beginning, where a dump keeps what was moved on")
{
    fixture f;
    f.take_over();
    f.plan_for(35s);
    f.plan_for(35s); // the second look behind has passed, and rests for a minute
    auto const at = f.start - 48h;
    f.add_task("late", {{"kind", "once"}, {"at", to_rfc3339(at)}}, at);
    f.plan_for(20s);
    CHECK(f.rows_of("late") == 0);
}

TEST_CASE("a master whose guard never leaves it as much time as a transaction may take plans all the same")
{
    fixture f;
    f.add_task("well", {{"kind", "fixed_rate"}, {"every_ms", 1000}}, f.start);
    f.of.room = 40ms;
    static_assert(transaction_need > 60ms);
    f.host.spawn(f.keep_guard());
    f.take_over();
    f.plan_for(5s);
    CHECK(f.rows_of("well") >= 5);
}

TEST_CASE("firings whose commit got no answer are opened if the ledger has them")
{
    fixture f;
    f.add_task("well", {{"kind", "once"}, {"at", to_rfc3339(f.start + 2s)}}, f.start + 2s);
    f.take_over();
    f.stage.database.faults.min_latency = f.stage.database.faults.max_latency = 20ms;
    auto const before = f.stage.database.calls();
    f.host.spawn(f.parts->planner.run());
    REQUIRE(f.stage.time.run_until([&] { return f.stage.database.calls() == before + 2; }, 1s)); // the due tasks
    f.stage.database.faults.lose_reply = 1;
    REQUIRE(f.stage.time.run_until([&] { return f.rows_of("well") == 1; }, 1s));
    f.stage.database.faults.lose_reply = 0;
    CHECK(f.parts->open.size() == 0);
    f.pass(2'500ms);
    CHECK(f.parts->open.size() == 1);
    CHECK(f.parts->open.next_due() == f.start + 2s);
}

TEST_CASE("half of the bound must be free before tasks are taken back")
{
    CHECK(may_take_back(50, 100));
    CHECK_FALSE(may_take_back(51, 100));
    CHECK(may_take_back(0, 1));
    CHECK_FALSE(may_take_back(1, 1));
    CHECK_FALSE(may_take_back(0, 0));
}

TEST_CASE("a task whose firings the database refuses is set aside, and all others are planned")
{
    fixture f;
    for (int i = 0; i < 40; ++i)
        f.add_task("well", {{"kind", "once"}, {"at", to_rfc3339(f.start + 1s)}}, f.start + 1s);
    f.exec("CREATE TRIGGER poison BEFORE INSERT ON execution WHEN NEW.task_id = 7 BEGIN SELECT RAISE(ABORT, "
           "'refused'); END");
    std::vector<std::string> errors;
    auto const listening = log::take_over([&](log::level which, std::string_view line) {
        if (which == log::level::error)
            errors.emplace_back(line);
    });
    f.take_over();
    f.plan_for(5s);
    CHECK(f.rows_of("well") == 39);
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE next_fire_at IS NOT NULL") == 1);
    REQUIRE(errors.size() == 1);
    CHECK(errors.front().find("task=7") != std::string::npos);
    auto const plan_for_minutes = [&](int minutes) {
        for (int i = 0; i < 2 * minutes; ++i)
            f.plan_for(30s);
    };
    plan_for_minutes(10);
    CHECK(errors.size() == 1);
    f.exec("DROP TRIGGER poison");
    plan_for_minutes(6);
    CHECK(f.number("SELECT COUNT(*) FROM task WHERE next_fire_at IS NOT NULL") == 0);
}

} // namespace planner_park_test
