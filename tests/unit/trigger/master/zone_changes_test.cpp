#include "tests/support/zone_files.hpp"
#include "tests/unit/trigger/master/node_stage.hpp"
#include "trigger/master/zone_changes.hpp"

#include <catch2/catch.hpp>

namespace zone_changes_test {

using namespace baton;
using namespace baton::trigger;

namespace {

schedule::zone_database_pointer database(std::string const& release, int hours)
{
    test::zone_folder folder(release);
    folder.set("Test/One", hours * 3'600, "A-" + std::to_string(hours));
    folder.set("Test/Two", 3'600, "LMT-1");
    auto made = std::make_shared<schedule::zone_database>(folder.path());
    made->read_all();
    return made;
}

// A term whose process has private zones. It begins at midnight in UTC.
struct fixture : test::node_stage {
    schedule::zones_in_use before = schedule::zones();
    planning_watch watch{instant{}};
    trigger::planner planner{{}, of, {*ledger, book, open, ids, watch}, stage.loop.get_executor(), [] {}};
    std::optional<zone_changes> changes;

    explicit fixture(int others = 0) : test::node_stage(others)
    {
        install(database("2025a", 1), true);
        planner.loaded();
        host.spawn(planner.run());
    }
    ~fixture()
    {
        stage.end();
        schedule::use_zones(before);
        schedule::offer_zones(nullptr);
    }

    static void install(schedule::zone_database_pointer found, bool first = false)
    {
        if (first)
            schedule::use_zones({found, 0});
        schedule::offer_zones(std::move(found));
    }
    void begin()
    {
        master_settings settings;
        changes.emplace(settings, scope(), zone_changes::parts{ledger->zone_tables(), view(), book, planner});
        host.spawn(changes->run());
        pass(2s);
    }
    // A task that is due each day at this time of the zone.
    void add_daily(int id, std::string const& zone, std::string const& cron, int version = 1)
    {
        add_task(id, {{"schedule", {{"kind", "cron"}, {"cron", cron}, {"zone", zone}}}});
        protocol::schedule_spec spec;
        spec.kind = protocol::schedule_kind::cron;
        spec.cron = cron;
        spec.zone = zone;
        set_next(id, schedule::timetable(spec, start).first(start).value());
        exec("INSERT INTO task_zone (task_id, namespace, zone, version) VALUES (" + std::to_string(id) + ", 1, '" +
             zone + "', " + std::to_string(version) + ")");
    }
    void set_next(int id, utc_time at)
    {
        exec("UPDATE task SET next_fire_at = " + std::to_string(to_micros(at)) + " WHERE id = " + std::to_string(id));
    }
    utc_time next(int id)
    {
        return from_micros(number("SELECT next_fire_at FROM task WHERE id = " + std::to_string(id)));
    }
    auto zone_version_of(int id)
    {
        return number("SELECT version FROM task_zone WHERE task_id = " + std::to_string(id));
    }
    auto versions() { return number("SELECT COUNT(*) FROM zone_version"); }
    auto line() { return from_micros(number("SELECT MAX(valid_from) FROM zone_version")); }
};

} // namespace

TEST_CASE("the first master records its zone database, and no task changes")
{
    fixture f;
    f.add_daily(1, "Test/One", "0 12 * * *");
    f.begin();
    CHECK(f.versions() == 1);
    CHECK(f.text("SELECT recorded_by FROM zone_version") == "master");
    CHECK(f.text("SELECT changed FROM zone_version") == "[]");
    CHECK(schedule::zones().version == 1);
    CHECK(f.next(1) == from_rfc3339("2026-03-01T11:00:00Z"));
    f.pass(5min);
    CHECK(f.versions() == 1);
}

TEST_CASE("a changed database gets a line, and the tasks in the zones that differ follow before it", "[large]")
{
    fixture f;
    f.add_daily(1, "Test/One", "40 2 * * *");
    f.add_daily(2, "Test/Two", "40 2 * * *");
    f.begin();
    auto const before = f.stage.database.utc();
    f.install(database("2025b", 2));
    f.pass(2s);
    CHECK(f.versions() == 2);
    CHECK(f.line() >= before + 35s);
    CHECK(f.text("SELECT changed FROM zone_version WHERE version = 2") == "[\"Test/One\"]");
    CHECK(f.next(1) == from_rfc3339("2026-03-01T00:40:00Z"));
    CHECK(f.zone_version_of(1) == 2);
    CHECK(f.next(2) == from_rfc3339("2026-03-01T01:40:00Z"));
    CHECK(f.zone_version_of(2) == 1);
    f.pass(45min);
    CHECK(f.number("SELECT COUNT(*) FROM execution WHERE task_id = 1") == 1);
    CHECK(f.next(1) == from_rfc3339("2026-03-02T00:40:00Z"));
}

TEST_CASE("firings before the line stay those of the old database, and none is missed or doubled at the line",
          "[large]")
{
    fixture f;
    f.begin();
    f.add_daily(1, "Test/One", "*/1 * * * *"); // each minute, in any offset
    f.install(database("2025b", 2));
    f.pass(10min);
    auto const count = f.number("SELECT COUNT(*) FROM execution");
    auto const first = f.number("SELECT MIN(scheduled_at) FROM execution");
    auto const last = f.number("SELECT MAX(scheduled_at) FROM execution");
    CHECK(count >= 10);
    CHECK(last - first == (count - 1) * 60'000'000);
}

TEST_CASE("a planner that has read a task before the change does not plan it by the old database behind the line",
          "[large]")
{
    fixture f;
    f.begin();
    f.add_daily(1, "Test/One", "0 2 * * *"); // at 01:00 by the old database, and at 00:00 by the new one
    f.pass(50min);
    f.install(database("2025b", 2));
    f.pass(90min);
    // The clock went from 01:51 to 02:51 at the line: 02:00 was left out, and is caught up at the end of the gap.
    CHECK(f.number("SELECT COUNT(*) FROM execution") == 1);
    CHECK(f.number("SELECT scheduled_at FROM execution") == to_micros(f.line()));
}

TEST_CASE("a task that a web with another database has saved is computed anew", "[large]")
{
    fixture f;
    f.begin();
    f.add_daily(1, "Test/One", "0 12 * * *", 0);
    f.exec("UPDATE task_version SET valid_from = " + std::to_string(to_micros(f.start)));
    f.set_next(1, from_rfc3339("2026-03-01T14:00:00Z"));
    f.pass(1min);
    CHECK(f.next(1) == from_rfc3339("2026-03-01T11:00:00Z"));
    CHECK(f.zone_version_of(1) == 1);
}

TEST_CASE("a new master with another database makes it the cluster's from a line on", "[large]")
{
    fixture f;
    f.add_daily(1, "Test/One", "0 12 * * *");
    f.begin();
    // The successor's process has the older database only.
    f.changes.reset();
    auto const older = database("2024b", 3);
    f.install(older, true);
    f.begin();
    CHECK(f.text("SELECT name FROM zone_version WHERE version = 2") == older->version());
    CHECK(f.line() > f.stage.database.utc() + 30s);
    CHECK(f.next(1) == from_rfc3339("2026-03-01T09:00:00Z"));
    CHECK(schedule::zones().version == 2);
}

TEST_CASE("a new master finishes what its predecessor has begun", "[large]")
{
    fixture f;
    f.add_daily(1, "Test/One", "0 12 * * *");
    f.begin();
    f.install(database("2025b", 2));
    f.pass(2s);
    f.set_next(1, from_rfc3339("2026-03-01T11:00:00Z")); // as if the predecessor had died before it followed
    f.exec("UPDATE task_zone SET version = 1");
    f.changes.reset();
    f.begin();
    CHECK(f.versions() == 2);
    CHECK(f.next(1) == from_rfc3339("2026-03-01T10:00:00Z"));
    CHECK(f.zone_version_of(1) == 2);
}

} // namespace zone_changes_test
