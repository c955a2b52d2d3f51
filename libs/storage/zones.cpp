#include "libs/storage/zones.hpp"

#include "libs/storage/free_tasks.hpp"
#include "libs/storage/rows.hpp"
#include "libs/storage/statement.hpp"

#include <nlohmann/json.hpp>

namespace baton::storage {

namespace {

std::string list_of(std::vector<std::string> const& names)
{
    return nlohmann::json(names).dump();
}

zone_version read_version(row& cells)
{
    zone_version found;
    found.version = cells.small();
    found.name = cells.text();
    found.changed = nlohmann::json::parse(cells.text()).get<std::vector<std::string>>();
    found.valid_from = cells.moment();
    found.recorded_at = cells.moment();
    found.recorded_by = cells.text();
    return found;
}

// "SELECT DISTINCT ... LIMIT limit": version 0, or an earlier one than that in which the zone has changed. The versions
// are named one by one, so that each is a step in the index.
void select_behind(statement& ask, protocol::namespace_id name_space, std::map<std::string, int> const& changed,
                   int limit)
{
    ask("SELECT DISTINCT z.task_id FROM task_zone z WHERE z.namespace = ", name_space, " AND (z.version = 0");
    for (auto const& [zone, version] : changed) {
        ask(" OR (z.zone = ", zone, " AND z.version IN (0");
        for (int earlier = 1; earlier < version; ++earlier)
            ask(", ", earlier);
        ask("))");
    }
    ask(") LIMIT ", limit);
}

zoned_task read_task_behind(row& cells)
{
    zoned_task one;
    one.id = cells.name<task_id>();
    one.version = cells.small();
    one.created_at = cells.moment();
    one.valid_from = cells.moment();
    one.definition = cells.text();
    one.next_fire_at = cells.maybe_moment();
    one.cursor = cells.maybe_moment();
    one.resume_at = cells.maybe_moment();
    one.recorded = cells.maybe_moment();
    return one;
}

// True if the task stood as it was read, and has its new instants now.
bool move_one(soci::session& sql, zone_move const& task)
{
    statement change(sql, "UPDATE task SET next_fire_at = ", task.look, ", firing_cursor = ", task.cursor,
                     ", resume_at = ", task.resume, " WHERE id = ", task.id, " AND version = ", task.version);
    if (task.seen)
        change(" AND next_fire_at = ", task.seen);
    else
        change(" AND next_fire_at IS NULL AND resume_at = ", task.seen_resume);
    return change.execute() == 1;
}

} // namespace

zones ledger::zone_tables() const
{
    return {deciding_, shared_, name_space_};
}

awaitable<std::optional<zone_version>> zones::latest()
{
    std::optional<zone_version> found;
    auto const work = [&](soci::session& sql) {
        found.reset();
        statement ask(sql);
        ask.select("version", "name", "changed", "valid_from", "recorded_at", "recorded_by", "fingerprints");
        ask(" FROM zone_version WHERE namespace = ", name_space_, " ORDER BY version DESC LIMIT 1");
        ask.each([&](row& cells) {
            found = read_version(cells);
            found->fingerprints = nlohmann::json::parse(cells.text()).get<std::map<std::string, std::string>>();
        });
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<std::vector<zone_version>> zones::list(int limit)
{
    std::vector<zone_version> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        statement ask(sql);
        ask.select("version", "name", "changed", "valid_from", "recorded_at", "recorded_by");
        ask(" FROM zone_version WHERE namespace = ", name_space_, " ORDER BY version DESC LIMIT ", limit);
        ask.each([&](row& cells) { found.push_back(read_version(cells)); });
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<void> zones::record(fence mine, zone_version const& what)
{
    auto const work = [&](soci::session& sql) {
        touch_fence(sql, mine);
        statement insert(sql, "INSERT INTO zone_version (namespace, version, name, fingerprints, changed, valid_from, "
                              "recorded_at, recorded_by) VALUES (");
        insert(name_space_, ", ", what.version, ", ", what.name, ", ", nlohmann::json(what.fingerprints).dump(), ", ",
               list_of(what.changed), ", ", what.valid_from, ", ", read_now(sql), ", ", what.recorded_by, ")");
        insert.execute();
    };
    co_await deciding_.transact(work);
}

awaitable<int> zones::count_behind(std::map<std::string, int> const& changed, int most)
{
    int found = 0;
    auto const work = [&](soci::session& sql) {
        statement ask(sql);
        ask.select("COUNT(*)")(" FROM (");
        select_behind(ask, name_space_, changed, most);
        ask(") b").each([&](row& cells) { found = cells.small(); });
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<std::vector<zoned_task>> zones::behind(std::map<std::string, int> const& changed, int limit)
{
    std::vector<zoned_task> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        statement ask(sql);
        ask.select("t.id", "t.version", "t.created_at", "v.valid_from", "t.definition", "t.next_fire_at",
                   "COALESCE(t.firing_cursor, t.next_fire_at)", "t.resume_at",
                   "(SELECT MAX(e.scheduled_at) FROM execution e WHERE e.task_id = t.id AND e.run_key = 0 AND "
                   "e.scheduled_at < COALESCE(t.firing_cursor, t.next_fire_at, t.resume_at))",
                   "y.zone", "y.version");
        ask(" FROM (");
        select_behind(ask, name_space_, changed, limit);
        ask(") b JOIN task t ON t.id = b.task_id JOIN task_version v ON v.task_id = t.id AND v.version = t.version "
            "JOIN task_zone y ON y.task_id = t.id ORDER BY t.id");
        ask.each([&](row& cells) {
            auto one = read_task_behind(cells);
            if (found.empty() || found.back().id != one.id)
                found.push_back(std::move(one));
            auto const zone = cells.text();
            found.back().zones[zone] = cells.small();
        });
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<int> zones::move(fence mine, std::vector<zone_move> const& tasks, int version)
{
    int moved = 0;
    auto const work = [&](soci::session& sql) {
        moved = 0;
        touch_fence(sql, mine);
        auto const free = without(tasks, lock_tasks_of(sql, tasks)); // also its rows in task_zone
        for (auto const& task : free) {
            if (task.changes && !move_one(sql, task))
                continue;
            // An edit since then has recorded the version of its own database.
            auto const marked =
                statement(sql, "UPDATE task_zone SET version = ", version, " WHERE task_id = ", task.id,
                          " AND EXISTS (SELECT 1 FROM task WHERE id = ", task.id, " AND version = ", task.version, ")")
                    .execute();
            moved += marked != 0 ? 1 : 0;
        }
    };
    co_await deciding_.transact(work);
    co_return moved;
}

} // namespace baton::storage
