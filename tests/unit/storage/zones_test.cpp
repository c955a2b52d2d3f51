#include "libs/storage/calendars.hpp"
#include "libs/storage/zones.hpp"
#include "tests/unit/storage/tasks_fixture.hpp"

#include <catch2/catch.hpp>

namespace zones_test {

using namespace baton;
using namespace baton::test;
using protocol::schedule_kind;
using storage::engine;

namespace {

struct stage : tasks_fixture {
    stage() : tasks_fixture(GENERATE(engine::mysql, engine::sqlite)) {}

    task_id add(std::string name, std::string zone)
    {
        auto task = definition(std::move(name), schedule_kind::cron);
        task.schedule.cron = "0 12 * * *";
        task.schedule.zone = std::move(zone);
        return create(std::move(task)).task.id;
    }
    // As by a database of the cluster.
    void stamp(task_id task, int version)
    {
        home.exec("UPDATE task_zone SET version = " + std::to_string(version) +
                  " WHERE task_id = " + std::to_string(task.value()));
    }
    std::vector<task_id> behind(std::map<std::string, int> const& changed)
    {
        std::vector<task_id> found;
        for (auto const& one : wait_for(table.behind(changed, 100)))
            found.push_back(one.id);
        return found;
    }
    std::int64_t version_of(task_id task)
    {
        return home.number("SELECT MAX(version) FROM task_zone WHERE task_id = " + std::to_string(task.value()));
    }
    std::int64_t zones() { return home.number("SELECT COUNT(*) FROM task_zone"); }
    storage::zone_move move_of(task_id task, utc_time next)
    {
        auto const record = wait_for(tasks.find(task)).value();
        storage::zone_move move;
        move.id = task;
        move.version = record.version;
        move.changes = true;
        move.seen = record.next_fire_at;
        move.look = next;
        return move;
    }

    storage::zones table = ledger.zone_tables();
};

} // namespace

TEST_CASE("versions of the zone database are recorded in order, each once")
{
    stage f;
    CHECK_FALSE(wait_for(f.table.latest()));
    storage::zone_version one;
    one.version = 1;
    one.name = "2025a-00000000";
    one.fingerprints = {{"Europe/Berlin", "0123"}};
    one.valid_from = from_micros(7);
    one.recorded_by = "trigger-1";
    wait_for(f.table.record(f.mine, one));
    CHECK_THROWS_AS(wait_for(f.table.record(f.mine, one)), storage::already_exists);
    one.version = 2;
    one.name = "2025b-00000000";
    one.changed = {"Europe/Berlin"};
    wait_for(f.table.record(f.mine, one));
    auto const latest = wait_for(f.table.latest()).value();
    CHECK(latest.version == 2);
    CHECK(latest.fingerprints == one.fingerprints);
    CHECK(latest.valid_from == from_micros(7));
    auto const all = wait_for(f.table.list(10));
    REQUIRE(all.size() == 2);
    CHECK(all[0].changed == std::vector<std::string>{"Europe/Berlin"});
    CHECK(all[1].name == "2025a-00000000");
    CHECK(all[1].recorded_by == "trigger-1");
    CHECK_THROWS_AS(wait_for(f.table.record({"master", 4}, one)), not_master);
}

TEST_CASE("a task has its zones, those of its calendars among them, until it is deleted")
{
    stage f;
    auto const berlin = f.add("berlin", "Europe/Berlin");
    auto const utc = f.add("utc", "UTC");
    CHECK(f.zones() == 1);
    f.edit(berlin, std::nullopt, storage::edit_action::edited,
           [](auto& task) { task.schedule.zone = "America/New_York"; });
    CHECK(f.zones() == 1);
    CHECK(f.home.text("SELECT zone FROM task_zone") == "America/New_York");
    protocol::calendar_definition holidays;
    holidays.name = "holidays";
    holidays.content.zone = "Asia/Kolkata";
    storage::calendars calendars(*f.shared);
    wait_for(calendars.create(f.ids.make<calendar_id>(), holidays));
    f.edit(utc, std::nullopt, storage::edit_action::edited,
           [](auto& task) { task.schedule.calendars.emplace_back().name = "holidays"; });
    CHECK(f.home.number("SELECT COUNT(*) FROM task_zone WHERE zone = 'Asia/Kolkata'") == 1);
    wait_for(f.tasks.remove(berlin, std::nullopt, f.ids));
    wait_for(f.tasks.remove(utc, std::nullopt, f.ids));
    CHECK(f.zones() == 0);
}

TEST_CASE("tasks are behind whose zone has changed since, or that another database has planned")
{
    stage f;
    auto const berlin = f.add("berlin", "Europe/Berlin");
    auto const apia = f.add("apia", "Pacific/Apia");
    auto const other = f.add("other", "Asia/Kolkata");
    f.stamp(berlin, 1);
    f.stamp(apia, 2);
    CHECK(f.behind({}) == std::vector{other});
    f.stamp(other, 1);
    CHECK(f.behind({}).empty());
    CHECK(f.behind({{"Europe/Berlin", 2}, {"Pacific/Apia", 2}}) == std::vector{berlin});
    CHECK(f.behind({{"Europe/Berlin", 2}, {"Pacific/Apia", 3}}) == std::vector{berlin, apia});
    CHECK(wait_for(f.table.count_behind({{"Europe/Berlin", 2}, {"Pacific/Apia", 3}}, 100)) == 2);
    CHECK(wait_for(f.table.count_behind({{"Europe/Berlin", 2}, {"Pacific/Apia", 3}}, 1)) == 1);
    auto const row = wait_for(f.table.behind({{"Europe/Berlin", 2}}, 100)).at(0);
    CHECK(row.version == 1);
    CHECK(row.zones == std::map<std::string, int>{{"Europe/Berlin", 1}});
    CHECK(row.next_fire_at == wait_for(f.tasks.find(berlin))->next_fire_at);
    CHECK(row.cursor == row.next_fire_at);
    CHECK_FALSE(row.recorded);
    f.plan(berlin, 1, {*row.next_fire_at}, *row.next_fire_at + 24h);
    CHECK(wait_for(f.table.behind({{"Europe/Berlin", 2}}, 100)).at(0).recorded == row.next_fire_at);
}

TEST_CASE("a task moves if it stands as it was read, and is marked then")
{
    stage f;
    auto const berlin = f.add("berlin", "Europe/Berlin");
    auto const apia = f.add("apia", "Pacific/Apia");
    auto const next = wait_for(f.tasks.find(berlin))->next_fire_at.value();
    auto const good = f.move_of(berlin, next - 1h);
    auto planned = f.move_of(apia, next);
    planned.seen = next + 1us; // the planner was quicker
    CHECK(wait_for(f.table.move(f.mine, {good, planned}, 3)) == 1);
    CHECK(wait_for(f.tasks.find(berlin))->next_fire_at == next - 1h);
    CHECK(f.version_of(berlin) == 3);
    CHECK(f.version_of(apia) == 0);
    auto edited = f.move_of(berlin, next);
    edited.version = 7; // an edit was quicker
    edited.changes = false;
    CHECK(wait_for(f.table.move(f.mine, {edited}, 4)) == 0);
    CHECK(f.version_of(berlin) == 3);
    CHECK_THROWS_AS(wait_for(f.table.move({"master", 4}, {good}, 4)), not_master);
}

TEST_CASE("a task that has fired as often as it may moves where it would go on")
{
    stage f;
    auto const berlin = f.add("berlin", "Europe/Berlin");
    f.home.exec("UPDATE task SET resume_at = next_fire_at, next_fire_at = NULL");
    auto const row = wait_for(f.table.behind({}, 10)).at(0);
    CHECK_FALSE(row.cursor);
    storage::zone_move move;
    move.id = berlin;
    move.version = 1;
    move.changes = true;
    move.seen_resume = row.resume_at;
    move.resume = row.resume_at.value() + 1h;
    CHECK(wait_for(f.table.move(f.mine, {move}, 1)) == 1);
    CHECK(wait_for(f.tasks.find(berlin))->resume_at == move.resume);
}

} // namespace zones_test
