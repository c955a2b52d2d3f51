#include "tests/unit/trigger/master/term_stage.hpp"
#include "trigger/master/successor_tasks.hpp"

#include <catch2/catch.hpp>

namespace successor_groups_test {

using namespace baton;
using namespace baton::trigger;

namespace {

constexpr int first_child = 100;
constexpr std::size_t bound = 2'000;

planner_settings settings_of(std::size_t most)
{
    planner_settings settings;
    settings.overdue_limit = most;
    return settings;
}

// Task 1 has a firing, execution 1, that was due an hour ago and has succeeded just now; tasks run after it.
struct fixture : test::term_stage {
    successor_tasks successors;

    explicit fixture(int children, nlohmann::json const& limits = nlohmann::json::object(), std::size_t most = bound)
        : successors(settings_of(most), scope(), book, ids)
    {
        add_task(1);
        add_execution(1, 1);
        auto const at = std::to_string(to_micros(start - 1h));
        exec("UPDATE execution SET state = 'succeeded', due_at = NULL, scheduled_at = " + at + " WHERE id = 1");
        exec("INSERT INTO settle (execution_id, namespace, task_id, scheduled_at) VALUES (1, 1, 1, " + at + ")");
        for (int id = first_child; id < first_child + children; ++id) {
            add_task(id, {{"schedule", {{"kind", "after"}, {"task", "t1"}}}, {"limits", limits}});
            exec("INSERT INTO task_parent (task_id, parent_id) VALUES (" + std::to_string(id) + ", 1)");
        }
        host.spawn(successors.run());
    }
    ~fixture() { stage.end(); }

    std::vector<open_execution> found()
    {
        std::vector<open_execution> all;
        open.each([&](open_execution const& one) { all.push_back(one); });
        return all;
    }
    auto followed() { return number("SELECT COUNT(*) FROM settle"); }
};

} // namespace

TEST_CASE("the limits of an execution that follows another one count from its start, and not from its logical time")
{
    fixture f(1, {{"start_within_ms", 60'000}});
    f.pass(2s);
    REQUIRE(f.found().size() == 1);
    auto const one = f.found().front();
    CHECK(one.scheduled_at == f.start - 1h);
    CHECK(one.since_due == one.due_at);
    CHECK(one.since_due >= f.start);
}

TEST_CASE("a parent with more successors than one transaction takes is followed by each of them, and then forgotten")
{
    constexpr int children = 1'100;
    fixture f(children);
    f.pass(5s);
    CHECK(f.found().size() == children);
    CHECK(f.number("SELECT COUNT(DISTINCT task_id) FROM execution WHERE task_id >= 100") == children);
    CHECK(f.followed() == 0);
}

TEST_CASE("successors that were inserted without an answer of the database are to be read by the sweeper")
{
    fixture f(2);
    auto const before = f.stage.database.calls();
    while (f.stage.database.calls() < before + 2) // the parents and their children; the insert follows
        f.pass(50us);
    f.stage.database.faults.lose_reply = 1;
    f.pass(5s);
    REQUIRE(f.followed() == 0);
    REQUIRE(f.number("SELECT COUNT(*) FROM execution WHERE task_id >= 100") == 2);
    CHECK(f.found().empty());
    CHECK(f.open.stale().size() == 2);
}

TEST_CASE("all successors of a parent are started although one of them is edited again and again")
{
    constexpr int children = 700;
    fixture f(children);
    for (int i = 0; i < 300; ++i) {
        f.exec("UPDATE task SET version = version + 1 WHERE id = 101");
        f.pass(1ms);
    }
    f.pass(2s);
    CHECK(f.found().size() == children);
    CHECK(f.number("SELECT COUNT(DISTINCT task_id) FROM execution WHERE task_id >= 100") == children);
    CHECK(f.followed() == 0);
}

TEST_CASE("the successors of one service do not use up the room of another one")
{
    fixture f(460, nlohmann::json::object(), 450);
    f.add_task(9'000, {{"service", "other"}, {"schedule", {{"kind", "after"}, {"task", "t1"}}}});
    f.exec("INSERT INTO task_parent (task_id, parent_id) VALUES (9000, 1)");
    f.pass(5s);
    CHECK(f.number("SELECT COUNT(*) FROM execution WHERE state = 'skipped'") == 10);
    CHECK(f.text("SELECT state FROM execution WHERE task_id = 9000") == "planned");
}

TEST_CASE("of a service with as many open executions as it may have further ones are skipped, with the reason")
{
    fixture f(2'100);
    f.pass(5s);
    CHECK(f.found().size() == bound);
    CHECK(f.number("SELECT COUNT(*) FROM execution WHERE state = 'skipped'") == 100);
    CHECK(f.text("SELECT MAX(reason) FROM execution WHERE state = 'skipped'") ==
          "service 's' has as many open executions as it may have");
    CHECK(f.followed() == 0);
}

TEST_CASE("a successor that the database refuses is skipped with the reason, and the others are started")
{
    constexpr int children = 40;
    fixture f(children);
    f.exec("CREATE TRIGGER poison BEFORE INSERT ON execution WHEN NEW.task_id = 107 AND NEW.state <> 'skipped' "
           "BEGIN SELECT RAISE(ABORT, 'poisoned'); END");
    f.pass(2s);
    CHECK(f.found().size() == children - 1);
    CHECK(f.text("SELECT state FROM execution WHERE task_id = 107") == "skipped");
    CHECK(f.text("SELECT reason FROM execution WHERE task_id = 107").find("poisoned") != std::string::npos);
    CHECK(f.followed() == 0);
}

TEST_CASE("a successor that the database refuses in any form does not keep the others from starting")
{
    constexpr int children = 40;
    fixture f(children);
    f.exec("CREATE TRIGGER poison BEFORE INSERT ON execution WHEN NEW.task_id = 107 "
           "BEGIN SELECT RAISE(ABORT, 'poisoned'); END");
    f.pass(2s);
    CHECK(f.found().size() == children - 1);
    CHECK(f.number("SELECT COUNT(*) FROM execution WHERE task_id = 107") == 0);
    CHECK(f.followed() == 0);
}

TEST_CASE("successors that the database refuses all together are started when it takes them")
{
    constexpr int children = 5;
    fixture f(children);
    f.exec("CREATE TRIGGER poison BEFORE INSERT ON execution WHEN NEW.task_id >= 100 "
           "BEGIN SELECT RAISE(ABORT, 'poisoned'); END");
    f.pass(3s);
    CHECK(f.found().empty());
    CHECK(f.followed() == 1);
    f.exec("DROP TRIGGER poison");
    f.pass(1s);
    CHECK(f.found().size() == children);
    CHECK(f.followed() == 0);
}

} // namespace successor_groups_test
