#include "tests/unit/trigger/master/term_stage.hpp"
#include "trigger/master/parked_tasks.hpp"

#include <catch2/catch.hpp>

namespace parked_tasks_test {

using namespace baton;
using namespace baton::trigger;
using protocol::service_key;

namespace {

constexpr int at_once = 2'000; // tasks that are taken back in a round

planner_settings settings_of(std::size_t overdue_limit = 50'000, std::size_t page = 1'000)
{
    planner_settings made;
    made.overdue_limit = overdue_limit;
    made.page = page;
    return made;
}

struct fixture : test::term_stage {
    planner_settings const settings;
    parked_tasks parked{settings, of, *ledger, open};
    int last = 0;

    explicit fixture(planner_settings const& given = settings_of()) : settings(given) {}
    ~fixture() { stage.end(); }

    // Parked tasks of default/`service`, due from `start` on, each a millisecond after the one before.
    void add_parked(std::string const& service, int count)
    {
        auto const first = std::to_string(last + 1);
        last += count;
        exec("INSERT INTO task (id, project, name, version, enabled, service, handler, schedule_kind, definition, "
             "next_fire_at, parked_for, parked_reason, created_at, updated_at) SELECT x, 'default', 't' || x, 1, 1, '" +
             service + "', 'h', 'any', '{}', " + std::to_string(to_micros(start)) + " + (x - " + first +
             ") * 1000, 'default/" + service + "', 'full', 1, 1 FROM (WITH RECURSIVE n(x) AS (SELECT " + first +
             " UNION ALL SELECT x + 1 FROM n WHERE x < " + std::to_string(last) + ") SELECT x FROM n)");
    }
    void know_services() { stage.play(parked.find_services()); }
    std::optional<utc_time> take_back(pause_book const& paused = no_pauses)
    {
        std::optional<utc_time> first;
        auto take = [&]() -> awaitable<void> { first = co_await parked.take_back(paused); };
        stage.play(take());
        return first;
    }
    std::int64_t left(std::string const& service)
    {
        return number("SELECT COUNT(*) FROM task WHERE parked_for = 'default/" + service + "'");
    }
};

storage::due_task due(int id, utc_time at)
{
    storage::due_task task;
    task.id = task_id{id};
    task.version = 1;
    task.next_fire_at = at;
    return task;
}

} // namespace

TEST_CASE("until the open executions of earlier terms are loaded no task is taken back, and its service has no room")
{
    fixture f;
    f.add_parked("s", 3);
    f.know_services();
    service_key const known{"default", "s"};
    service_key const other{"default", "other"};
    CHECK_FALSE(f.take_back());
    CHECK(f.left("s") == 3);
    CHECK_FALSE(f.parked.has_room(known));
    CHECK(f.parked.has_room(other));
    f.parked.loaded();
    CHECK(f.parked.has_room(known));
    CHECK(f.take_back() == f.start);
    CHECK(f.left("s") == 0);
}

TEST_CASE("a round takes back a bounded number of tasks, and the next one goes on with the services behind")
{
    fixture f;
    for (auto const* service : {"a", "b", "c"})
        f.add_parked(service, 2'500);
    f.know_services();
    f.parked.loaded();
    auto const all_left = [&] { return f.left("a") + f.left("b") + f.left("c"); };
    f.take_back();
    CHECK(all_left() == 7'500 - at_once);
    CHECK(f.left("c") == 2'500);
    f.take_back();
    CHECK(all_left() == 7'500 - 2 * at_once);
    CHECK(f.left("c") == 1'500);
    f.take_back();
    f.take_back();
    CHECK(all_left() == 0);
}

TEST_CASE("when nothing is parked any more, a round costs no call of the database")
{
    fixture f;
    f.add_parked("s", 3);
    f.know_services();
    f.parked.loaded();
    f.take_back();
    auto const before = f.stage.database.calls();
    CHECK_FALSE(f.take_back());
    CHECK(f.stage.database.calls() == before);
}

TEST_CASE("tasks of a paused service stay parked, and those of others come back")
{
    fixture f;
    f.add_parked("paused", 3);
    f.add_parked("s", 3);
    f.know_services();
    f.parked.loaded();
    protocol::pause pause;
    pause.of = {"default", "paused"};
    pause.since = f.start;
    pause_book const book({pause});
    f.take_back(book);
    CHECK(f.left("paused") == 3);
    CHECK(f.left("s") == 0);
    f.take_back();
    CHECK(f.left("paused") == 0);
}

TEST_CASE("a task is parked with the reason, unless it has been edited or moved on meanwhile")
{
    fixture f(settings_of(7));
    auto const at = std::to_string(to_micros(f.start));
    for (int id = 1; id <= 3; ++id)
        f.add_task(id);
    f.exec("UPDATE task SET next_fire_at = " + at);
    f.exec("UPDATE task SET version = 2 WHERE id = 2");
    f.exec("UPDATE task SET next_fire_at = next_fire_at + 1 WHERE id = 3");
    service_key const service{"default", "s"};
    std::vector<storage::parked_task> tasks;
    for (int id = 1; id <= 3; ++id)
        tasks.push_back(f.parked.make(due(id, f.start), service));
    f.stage.play(f.parked.park(tasks));
    CHECK(f.left("s") == 1);
    CHECK(f.text("SELECT parked_reason FROM task WHERE id = 1") ==
          "clients have not taken the 7 executions that service 's' may have open");
    CHECK_FALSE(f.parked.has_room(service));
}

TEST_CASE("tasks that were parked by a transaction whose answer was lost are taken back")
{
    fixture f;
    f.parked.loaded();
    f.add_task(1);
    f.exec("UPDATE task SET next_fire_at = " + std::to_string(to_micros(f.start)));
    f.stage.database.faults.lose_reply = 1;
    std::vector<storage::parked_task> tasks;
    tasks.push_back(f.parked.make(due(1, f.start), service_key{"default", "s"}));
    bool lost = false;
    auto park = [&]() -> awaitable<void> {
        try {
            co_await f.parked.park(tasks);
        } catch (unavailable const&) {
            lost = true;
        }
    };
    f.stage.play(park());
    CHECK(lost);
    CHECK(f.left("s") == 1);
    f.stage.database.faults = {};
    f.take_back();
    CHECK(f.left("s") == 0);
}

TEST_CASE("a master that is not active parks nothing until it is")
{
    fixture f;
    f.add_task(1);
    f.exec("UPDATE task SET next_fire_at = " + std::to_string(to_micros(f.start)));
    f.ship.extend(5, f.host.time().now(), 100ms, 0s); // less than a transaction needs
    std::vector<storage::parked_task> const tasks{f.parked.make(due(1, f.start), {"default", "s"})};
    f.host.spawn(f.parked.park(tasks));
    f.pass(5s);
    CHECK(f.left("s") == 0);
    f.ship.extend(5, f.host.time().now(), 1h, 0s);
    f.pass(1s);
    CHECK(f.left("s") == 1);
}

} // namespace parked_tasks_test
