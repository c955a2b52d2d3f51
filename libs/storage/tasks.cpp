#include "libs/storage/tasks.hpp"

#include "libs/protocol/new_task.hpp"
#include "libs/protocol/schedule_spec.hpp"
#include "libs/storage/fresh_ids.hpp"
#include "libs/storage/task_calendars.hpp"
#include "libs/storage/task_parents.hpp"
#include "libs/storage/task_row.hpp"
#include "libs/storage/task_search.hpp"
#include "libs/storage/task_zones.hpp"

namespace baton::storage {

namespace {

// `look`: when the planner looks at the task.
void insert_task(soci::session& sql, protocol::namespace_id name_space, task_record const& task,
                 std::optional<utc_time> look)
{
    auto const& definition = task.definition;
    statement insert(sql, "INSERT INTO task (id, namespace, project, name, version, enabled, service, handler, "
                          "schedule_kind, owner, definition, "
                          "next_fire_at, firing_cursor, counted_since, waiting_for, created_at, updated_at) VALUES (");
    insert(task.id, ", ", name_space, ", ", definition.project, ", ", definition.name, ", ", task.version, ", ",
           definition.enabled, ", ", definition.service, ", ", definition.handler, ", ",
           protocol::to_string(definition.schedule.kind), ", ", definition.owner, ", ", document(definition), ", ",
           look, ", ", look == task.next_fire_at ? std::nullopt : task.next_fire_at, ", ",
           counted_since(std::nullopt, task), ", NULL, ", task.created_at, ", ", task.updated_at, ")");
    try {
        insert.execute();
    } catch (statement_error const& failure) {
        if (is_task_name_taken(failure))
            throw already_exists("there is a task '" + definition.name + "' in project '" + definition.project +
                                 "' already");
        if (failure.why() == statement_error::kind::duplicate)
            throw try_again{};
        throw;
    }
}

} // namespace

awaitable<edit_result> tasks::create(id_generator& ids, protocol::task_definition definition)
{
    edit_result made;
    auto const work = [&](soci::session& sql) {
        auto const now = from_micros(read_now(sql));
        made.valid_from = now + lead_;
        made.task.version = 1;
        made.task.created_at = now;
        made.task.updated_at = now;
        made.task.definition = definition;
        auto const calendars = take_calendars(sql, name_space_, made.task.definition.project,
                                              made.task.definition.schedule, calendar_rows::lock);
        protocol::task_progress progress;
        progress.created_at = now;
        auto const plan = planner_(nullptr, &made.task.definition, progress, made.valid_from);
        if (plan.never_fires)
            protocol::refuse_never_firing();
        // Time has passed since its instant was checked.
        if (made.task.definition.enabled && made.task.definition.schedule.kind == protocol::schedule_kind::once &&
            !plan.next)
            throw protocol::no_firing_ahead(made.task.definition.schedule);
        made.task.next_fire_at = plan.next;
        insert_task(sql, name_space_, made.task, plan.look);
        insert_labels(sql, made.task.id, made.task.definition.labels);
        write_calendar_links(sql, made.task.id, calendars, false);
        write_zones(sql, name_space_, made.task.id, nullptr, &made.task.definition, plan.zone_version);
        link_parent(sql, name_space_, made.task, nullptr);
        insert_version(sql, made.task, "created", made.valid_from, now);
        insert_signal(sql, name_space_, made.signal, protocol::signal_kind::task, made.task.id.value());
        // The line lies ahead of now, and must still do so when the task becomes visible.
        if (lead_ > 0s && from_micros(read_now(sql)) > made.valid_from - lead_ / 2)
            throw try_again{};
    };
    auto const once = [&]() -> awaitable<edit_result> {
        made = {};
        made.task.id = ids.make<task_id>();
        made.task.definition = definition;
        made.signal = ids.make<signal_id>();
        co_await shared_.transact(work);
        co_return made;
    };
    co_return co_await with_fresh_ids(once, "too slow to register a task ahead of its first firing");
}

awaitable<std::optional<task_record>> tasks::find(task_id id)
{
    auto const work = [&](soci::session& sql) { return find_task(sql, name_space_, id, false); };
    auto const found = co_await shared_.run(work);
    if (!found)
        co_return std::nullopt;
    co_return found->record;
}

awaitable<std::optional<task_record>> tasks::find_by_name(std::string project, std::string name)
{
    std::optional<task_record> found;
    auto const work = [&](soci::session& sql) {
        statement ask(sql);
        select_task(ask);
        ask("project = ", project, " AND name = ", name, " AND namespace = ", name_space_);
        ask.each([&](row& cells) { found = read_task(cells).record; });
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<task_page> tasks::list(task_filter filter)
{
    auto const work = [&](soci::session& sql) {
        task_page page;
        task_search const search(sql, name_space_, filter);
        statement ask(sql);
        select_task_columns(ask);
        search.from(ask);
        search.where(ask);
        search.order(ask);
        ask(filter.limit);
        ask.each([&](row& cells) { page.items.push_back(read_task(cells).record); });
        if (page.items.size() < static_cast<std::size_t>(filter.limit))
            page.looked_to = search.end();
        return page;
    };
    co_return co_await shared_.run(work);
}

awaitable<std::vector<task_version_record>> tasks::versions(task_id id, std::optional<int> before, int limit)
{
    std::vector<task_version_record> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        statement ask(sql);
        ask.select("version", "action", "valid_from", "created_at", "definition");
        // A deleted task has no row that names its namespace.
        ask(" FROM task_version WHERE task_id = ", id, " AND NOT EXISTS (SELECT 1 FROM task WHERE id = ", id,
            " AND namespace <> ", name_space_, ")");
        if (before)
            ask(" AND version < ", *before);
        ask(" ORDER BY version DESC LIMIT ", limit);
        ask.each([&](row& cells) {
            task_version_record one;
            one.version = cells.small();
            one.action = cells.text();
            one.valid_from = cells.moment();
            one.created_at = cells.moment();
            one.definition = protocol::parse_task(nlohmann::json::parse(cells.text()));
            found.push_back(std::move(one));
        });
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<std::vector<deleted_task>> tasks::deleted(std::string project, std::string name, int limit)
{
    std::vector<deleted_task> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        statement ask(sql);
        ask.select("id", "project", "name", "version", "deleted_at");
        ask(" FROM deleted_task WHERE namespace = ", name_space_, " AND project = ", project, " AND name = ", name,
            " ORDER BY deleted_at DESC, id DESC LIMIT ", limit);
        ask.each([&](row& cells) {
            auto& one = found.emplace_back();
            one.id = cells.name<task_id>();
            one.project = cells.text();
            one.name = cells.text();
            one.version = cells.small();
            one.deleted_at = cells.moment();
        });
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<std::int64_t> tasks::count()
{
    std::int64_t count = 0;
    auto const work = [&](soci::session& sql) {
        statement(sql).select("COUNT(*)")(" FROM task WHERE namespace = ", name_space_).each([&](row& cells) {
            count = cells.number();
        });
    };
    co_await shared_.run(work);
    co_return count;
}

} // namespace baton::storage
