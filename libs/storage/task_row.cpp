#include "libs/storage/task_row.hpp"

namespace baton::storage {

void select_task_columns(statement& ask)
{
    ask.select("id", "version", "definition", "waiting_for", "created_at", "updated_at", "parked_at", "parked_reason",
               "COALESCE(firing_cursor, next_fire_at)", "firings", "resume_at", "counted_since");
}

void select_task(statement& ask)
{
    select_task_columns(ask);
    ask(" FROM task WHERE ");
}

stored_task read_task(row& cells)
{
    stored_task stored;
    stored.record.id = cells.name<task_id>();
    stored.record.version = cells.small();
    stored.record.definition = protocol::parse_task(nlohmann::json::parse(cells.text()));
    if (auto const waiting_for = cells.maybe_number())
        stored.waiting_for = execution_id{*waiting_for};
    stored.record.created_at = cells.moment();
    stored.record.updated_at = cells.moment();
    auto const parked_at = cells.maybe_moment();
    auto const reason = cells.text();
    if (parked_at)
        stored.record.parked = parking{*parked_at, reason};
    stored.record.next_fire_at = cells.maybe_moment();
    stored.record.firings = cells.number();
    stored.record.resume_at = cells.maybe_moment();
    if (auto const since = cells.maybe_number())
        stored.counted_since = static_cast<int>(*since);
    return stored;
}

std::optional<stored_task> find_task(soci::session& sql, protocol::namespace_id name_space, task_id id, bool lock)
{
    std::optional<stored_task> found;
    statement ask(sql);
    select_task(ask);
    ask("id = ", id, " AND namespace = ", name_space, lock ? for_update(sql) : fragment{""});
    ask.each([&](row& cells) { found = read_task(cells); });
    return found;
}

std::string document(protocol::task_definition const& definition)
{
    try {
        return protocol::to_text(definition);
    } catch (nlohmann::json::type_error const&) {
        throw invalid_input("", "the task holds text that is not valid UTF-8");
    }
}

std::optional<int> counted_since(std::optional<int> before, task_record const& task)
{
    if (task.definition.schedule.firing.max_firings == 0)
        return std::nullopt;
    return before.value_or(task.version);
}

void insert_labels(soci::session& sql, task_id task, protocol::labels const& labels)
{
    if (labels.empty())
        return;
    statement insert(sql, "INSERT INTO task_label (task_id, name, value) VALUES ");
    for (auto const& [name, value] : labels)
        insert(fragment{name == labels.begin()->first ? "(" : ", ("}, task, ", ", name, ", ", value, ")");
    insert.execute();
}

void delete_labels(soci::session& sql, task_id task)
{
    statement(sql, "DELETE FROM task_label WHERE task_id = ", task).execute();
}

void insert_version(soci::session& sql, task_record const& task, std::string const& action, utc_time valid_from,
                    utc_time now)
{
    statement(sql, "INSERT INTO task_version (task_id, version, action, valid_from, definition, created_at) VALUES (",
              task.id, ", ", task.version, ", ", action, ", ", valid_from, ", ", document(task.definition), ", ", now,
              ")")
        .execute();
}

} // namespace baton::storage
