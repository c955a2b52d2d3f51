#include "libs/base/log.hpp"
#include "libs/sim/sim.hpp"
#include "libs/storage/statement.hpp"
#include "trigger/master/cancellations.hpp"
#include "trigger/master/planner.hpp"
#include "trigger/master/signals.hpp"

#include <catch2/catch.hpp>

#include <ctime>
#include <optional>
#include <set>

namespace signals_test {

using namespace baton;
using namespace baton::trigger;

namespace {

struct fixture {
    sim::stage stage{29};
    sim::host& host = stage.add_host("master");
    std::unique_ptr<storage::database> own;
    std::unique_ptr<storage::database> others;
    std::optional<storage::ledger> ledger;
    std::optional<client_directory> directory;
    cluster_clock clock{host.time()};
    mastership ship;
    term of{{"master", 5}, ship, host.time(), clock};
    open_set open{host.time()};
    waker due_changed{stage.loop.get_executor()};
    std::optional<signal_reader> reader;
    utc_time start;
    std::set<execution_id> ended;
    std::set<execution_id> loaded;
    std::vector<execution_id> cancelled;
    utc_time limit;
    int signals = 0;
    std::optional<std::size_t> pauses;            // as told last
    std::set<task_id> followed;                   // tasks whose waiting executions follow an edit
    std::vector<std::pair<task_id, int>> learned; // task and version

    fixture()
    {
        stage.make_tables();
        own = stage.database.connect(host, {.sessions = 1, .read_limit = 5s});
        others = stage.database.connect(host, {.sessions = 1, .read_limit = 5s});
        ledger.emplace(*others, *others);
        directory.emplace(*others, host.time(), stage.loop.get_executor());
        ship.extend(5, host.time().now(), 240h, 0s);
        start = stage.database.utc();
        exec("INSERT INTO lock_fence (namespace, epoch) VALUES ('master', 5)");
    }
    ~fixture() { stage.end(); }

    void read_signals(std::function<void(std::vector<execution_id> const&)> cancel = {})
    {
        if (!cancel)
            cancel = [this](auto const& ids) { cancelled.insert(cancelled.end(), ids.begin(), ids.end()); };
        term_scope const scope{of, *ledger, open, *directory, due_changed, stage.loop.get_executor()};
        signal_reader::actions actions{[this](auto const& row, auto const&) { loaded.insert(row.id); },
                                       [this](execution_id id) {
                                           ended.insert(id);
                                           open.erase(id);
                                       },
                                       cancel,
                                       [this](utc_time until) { limit = until; },
                                       [] {},
                                       [this](auto const& all, auto) { pauses = all.size(); }};
        actions.follows_edits = [this](task_id task) { return followed.contains(task); };
        actions.edited = [this](auto const& one) { learned.emplace_back(one.id, one.version); };
        reader.emplace(planner_settings{}, scope, signal_reader::databases{*own, *others}, std::move(actions));
        host.spawn(reader->run());
    }

    void exec(std::string const& sql)
    {
        auto const text = sql;
        stage.database.inspect([&](soci::session& session) {
            storage::statement change(session);
            change(storage::fragment{text.c_str()});
            change.execute();
        });
    }
    int number(char const* sql)
    {
        int value = 0;
        stage.database.inspect([&](soci::session& session) {
            storage::statement(session).column(storage::fragment{sql}).each([&](storage::row& cells) {
                value = cells.small();
            });
        });
        return value;
    }
    void signal(std::string const& kind, int subject)
    {
        exec("INSERT INTO `signal` (id, kind, subject, created_at) VALUES (" + std::to_string(++signals) + ", '" +
             kind + "', " + std::to_string(subject) + ", " + std::to_string(to_micros(stage.database.utc())) + ")");
    }
    static std::shared_ptr<known_task const> task(int id)
    {
        auto made = std::make_shared<known_task>();
        made->id = task_id{id};
        made->definition.service = "s";
        return made;
    }
    // A planned firing, in the ledger and in memory.
    void plan(int id, int task, utc_time at)
    {
        row(id, task, at);
        open_execution one;
        one.id = execution_id{id};
        one.task = fixture::task(task);
        one.scheduled = true;
        one.scheduled_at = one.due_at = at;
        open_set::reading const now(open);
        open.add(std::move(one), now);
    }
    // Firings of tasks that nobody edits.
    void open_in_memory(int count)
    {
        open_set::reading const now(open);
        for (int i = 0; i < count; ++i) {
            open_execution one;
            one.id = execution_id{1'000'000 + i};
            one.task = fixture::task(1'000'000 + i % 1'000);
            one.scheduled = true;
            one.scheduled_at = one.due_at = start + 1h;
            open.add(std::move(one), now);
        }
    }
    void row(int id, int task, utc_time at)
    {
        auto const when = std::to_string(to_micros(at));
        exec("INSERT INTO execution (id, project, task_id, task_version, scheduled_at, run_key, cause, state, due_at, "
             "attempt, max_attempts, retry_delay_us, epoch, created_at) VALUES (" +
             std::to_string(id) + ", 'p', " + std::to_string(task) + ", 1, " + when + ", 0, 'schedule', 'planned', " +
             when + ", 1, 1, 0, 5, 1)");
    }
    void take_back(int id)
    {
        exec("UPDATE execution SET state = 'cancelled', due_at = NULL WHERE id = " + std::to_string(id));
    }
    void pass(duration span) { stage.time.run_for(span); }
};

} // namespace

TEST_CASE("a pause is known as soon as its signal is read")
{
    fixture f;
    f.read_signals();
    f.stage.time.run_for(2s);
    CHECK_FALSE(f.pauses);
    f.exec("INSERT INTO pause (id, namespace, project, service, firings, reason, begun_by, since) VALUES (1, 1, "
           "'default', 's', 'hold', 'incident', '', " +
           std::to_string(to_micros(f.start)) + ")");
    f.signal("pause", 1);
    f.stage.time.run_for(2s);
    CHECK(f.pauses == 1u);
}

TEST_CASE("the reader drops the firings that an edit took back, loads runs, and hands over the cancels")
{
    fixture f;
    f.plan(1, 7, f.start + 3s);
    f.plan(2, 7, f.start + 4s);
    f.plan(3, 8, f.start + 4s);
    f.take_back(2);
    f.take_back(3); // whose task has no signal
    f.row(4, 9, f.start + 2s);
    f.signal("task", 7);
    f.signal("run", 4);
    f.signal("cancel", 1);
    f.read_signals();
    f.pass(50ms);
    CHECK(f.ended == std::set{execution_id{2}});
    CHECK(f.loaded == std::set{execution_id{4}});
    CHECK(f.cancelled == std::vector{execution_id{1}});
    CHECK(f.number("(SELECT COUNT(*) FROM `signal`)") == 0);
}

TEST_CASE("the present version is read of the edited tasks whose waiting executions follow an edit, and of no other")
{
    fixture f;
    for (int const id : {7, 8, 9}) {
        auto const text = std::to_string(id);
        f.exec("INSERT INTO task (id, project, name, version, enabled, service, handler, schedule_kind, definition, "
               "created_at, updated_at) VALUES (" +
               text + ", 'p', 't" + text + "', 4, 1, 's', 'h', 'cron', '{}', 1, 1)");
    }
    f.followed = {task_id{7}, task_id{9}};
    f.signal("task", 7);
    f.signal("task", 8); // nothing of it waits
    f.read_signals();
    f.pass(50ms);
    CHECK(f.learned == std::vector<std::pair<task_id, int>>{{task_id{7}, 4}});
}

TEST_CASE("edits of many tasks cost one reading, whatever waits in memory", "[large]")
{
    fixture f;
    f.stage.database.faults.min_latency = f.stage.database.faults.max_latency = 1ms;
    int id = 0;
    for (int task = 1; task <= 300; ++task) {
        f.plan(++id, task, f.start + 3s);
        f.take_back(id);
        f.plan(++id, task, f.start - 1h); // long past due: no edit takes it back
        f.signal("task", task);
    }
    f.open_in_memory(300'000);
    auto const calls = f.stage.database.calls();
    auto const before = std::clock();
    f.read_signals();
    f.pass(100ms);
    CHECK(f.ended.size() == 300);
    CHECK(std::clock() - before < CLOCKS_PER_SEC); // of processor time; a walk for each edit would take seconds
    CHECK(f.stage.database.calls() - calls == 4);  // signals, firings, the end of the signals, and the look behind
}

TEST_CASE("cancels that hang do not keep the reader from allowing firings")
{
    fixture f;
    cancellations::steps steps;
    steps.tell_client = [&](std::string, std::vector<execution_id>) { return f.host.time().sleep_for(1h); };
    steps.end = [](open_execution&) {};
    steps.stopping = [](open_execution&) {};
    cancellations cancelling(f.open, f.host.time(), f.stage.loop.get_executor(), std::move(steps));
    f.host.spawn(cancelling.run());
    f.plan(1, 7, f.start);
    f.open.move(*f.open.find(execution_id{1}), phase::held, "mute");
    f.signal("cancel", 1);
    f.read_signals([&](auto const& ids) { cancelling.request(ids); });
    for (int i = 0; i < 20; ++i) {
        f.pass(500ms);
        CHECK(f.limit >= f.clock.now() + 200ms);
    }
    f.stage.end();
}

TEST_CASE("a slow statement of others does not delay the reader")
{
    fixture f;
    f.read_signals();
    f.pass(100ms);
    auto const slow = [&]() -> awaitable<void> {
        auto const work = [&](soci::session&) { return 0; };
        co_await f.others->run(work); // on the only session of the others
    };
    auto const usual = f.stage.database.faults;
    f.stage.database.faults.min_latency = f.stage.database.faults.max_latency = 2s; // each way
    f.host.spawn(slow());
    f.stage.time.settle();
    f.stage.database.faults = usual;
    for (int i = 0; i < 7; ++i) {
        f.pass(500ms);
        CHECK(f.limit >= f.clock.now() + 200ms);
    }
}

TEST_CASE("until the edits under the last master's lead are known, the shorter of both leads holds")
{
    fixture f;
    f.exec("UPDATE lock_fence SET edit_lead_us = 500000");
    f.read_signals(); // with 1 s
    f.stage.play(f.reader->agree_on_lead());
    f.pass(300ms);
    CHECK(f.limit <= f.clock.now() + 250ms);
    CHECK(f.number("(SELECT edit_lead_us FROM lock_fence)") == 1'000'000);
    f.pass(1s);
    CHECK(f.limit > f.clock.now() + 250ms);
}

TEST_CASE("a master whose edit_lead differs from that of the last one says so")
{
    fixture f;
    std::size_t told = 0;
    auto const listening = log::take_over([&](log::level, std::string_view line) {
        told += line.find("planner.edit_lead of this node differs from that of the last master") != line.npos ? 1 : 0;
    });
    f.exec("UPDATE lock_fence SET edit_lead_us = 500000");
    f.read_signals(); // with 1 s
    f.stage.play(f.reader->agree_on_lead());
    CHECK(told == 1);
    f.stage.play(f.reader->agree_on_lead());
    CHECK(told == 1);
}

TEST_CASE("firings whose task was edited while their commit was answered are read again")
{
    fixture f;
    auto const definition = R"({"name": "t", "service": "s", "handler": "h",)"
                            R"( "schedule": {"kind": "fixed_rate", "every_ms": 1000}})";
    auto const due = std::to_string(to_micros(f.start + 1s));
    f.exec("INSERT INTO task (id, project, name, version, enabled, service, handler, schedule_kind, definition, "
           "next_fire_at, created_at, updated_at) VALUES (7, 'p', 't', 1, 1, 's', 'h', 'fixed_rate', '" +
           std::string(definition) + "', " + due + ", " + std::to_string(to_micros(f.start)) + ", 1)");
    f.exec("INSERT INTO task_version (task_id, version, action, valid_from, definition, created_at) VALUES "
           "(7, 1, 'created', 1, '" +
           std::string(definition) + "', 1)");
    f.stage.database.faults.min_latency = f.stage.database.faults.max_latency = 20ms;
    seeded_random random{3};
    id_generator ids{f.host.time(), random};
    task_book book;
    planning_watch watch(f.host.time().now());
    planner planning({}, f.of, {*f.ledger, book, f.open, ids, watch}, f.stage.loop.get_executor(), [] {});
    f.host.spawn(planning.run());
    auto const planned = [&] { return f.number("(SELECT COUNT(*) FROM execution)") > 1; };
    REQUIRE(f.stage.time.run_until(planned, 1s));
    CHECK(f.open.size() == 0); // the commit is not answered yet
    f.exec("UPDATE execution SET state = 'cancelled', due_at = NULL WHERE scheduled_at > " + due);
    f.exec("UPDATE task SET version = 2, next_fire_at = NULL");
    f.open.edited(task_id{7});
    f.pass(200ms);
    CHECK(f.open.size() == 1);
    CHECK(f.open.next_due() == f.start + 1s);
    f.stage.end();
}

TEST_CASE("a signal whose commit took long is found by the look behind")
{
    fixture f;
    f.read_signals();
    f.stage.time.run_for(1s);
    auto const old = std::to_string(to_micros(f.stage.database.utc() - 10min));
    f.exec("INSERT INTO `signal` (id, kind, subject, created_at) VALUES (1, 'cancel', 7, " + old + ")");
    f.stage.time.run_for(30s);
    CHECK(f.cancelled.empty());
    f.stage.time.run_for(1min);
    CHECK(f.cancelled == std::vector{execution_id{7}});
    CHECK(f.number("(SELECT COUNT(*) FROM `signal`)") == 0);
}

TEST_CASE("the signal of an edit that was announced long ago is read together with the end of the announcement")
{
    fixture f;
    f.plan(1, 7, f.start + 2s);
    f.signal("edit", 7);
    f.read_signals();
    f.stage.time.run_for(300ms);
    CHECK(f.open.edits().any_of(task_id{7}));
    auto const told = std::to_string(to_micros(f.start));
    f.exec("UPDATE `signal` SET created_at = created_at - 30000000"); // as if the reader had begun half a minute ago
    f.stage.time.run_for(1s);
    CHECK(f.open.edits().any_of(task_id{7}));
    f.exec("DELETE FROM execution");
    f.exec("DELETE FROM `signal`");
    f.exec("INSERT INTO `signal` (id, kind, subject, created_at) VALUES (9, 'task', 7, " + told + " - 29000000)");
    f.stage.time.run_for(300ms);
    CHECK_FALSE(f.open.edits().any_of(task_id{7}));
    CHECK(f.ended == std::set{execution_id{1}});
}

} // namespace signals_test
