#include "libs/storage/task_search.hpp"

#include "libs/storage/search_conditions.hpp"

namespace baton::storage {

task_way way_of(task_filter const& filter)
{
    if (!filter.labels.empty())
        return task_way::label;
    if (filter.owner)
        return task_way::owner;
    if (filter.service)
        return filter.project ? task_way::service_of_project : task_way::service;
    // An edit ends the parking of a task, so a disabled one is not parked.
    bool const by_state = filter.state && *filter.state != task_state::parked;
    return by_state || filter.enabled == false ? task_way::state : task_way::all;
}

bool must_bound(task_filter const& filter, task_way way)
{
    bool const of_service = way == task_way::service_of_project || way == task_way::service;
    int conditions = filter.handler || filter.name_contains || filter.text || filter.kind ? 1 : 0;
    conditions += !of_service && (filter.project || filter.service) ? 1 : 0;
    conditions += filter.owner && way != task_way::owner ? 1 : 0;
    conditions += filter.labels.size() > 1 ? 1 : 0;
    bool const two_states = filter.state && filter.enabled;
    conditions += (filter.state || filter.enabled) && (way != task_way::state || two_states) ? 1 : 0;
    return conditions > 0;
}

task_search::task_search(soci::session& sql, protocol::namespace_id name_space, task_filter filter)
    : sql_(sql), name_space_(name_space), filter_(std::move(filter)), way_(way_of(filter_))
{
    if (must_bound(filter_, way_))
        end_ = find_end();
}

fragment task_search::key() const
{
    return {way_ == task_way::label ? "l.task_id" : "task.id"};
}

void task_search::from(statement& ask) const
{
    switch (way_) {
    case task_way::all:
        ask(" FROM task");
        break;
    case task_way::label:
        ask(" FROM task_label l", by_index{"task_label_value"}, " ", dialect_of(sql_).join_in_order(),
            " task ON task.id = l.task_id");
        break;
    case task_way::owner:
        ask(" FROM task", by_index{"task_owner"});
        break;
    case task_way::service_of_project:
        ask(" FROM task", by_index{"task_service"});
        break;
    case task_way::service:
        ask(" FROM task", by_index{"task_of_service"});
        break;
    case task_way::state:
        ask(" FROM task", by_index{"task_state"});
        break;
    }
}

// The conditions that the index of the way covers.
void task_search::keep_place(statement& ask) const
{
    ask(key(), " > ", filter_.after);
    if (way_ == task_way::label)
        ask(" AND l.name = ", filter_.labels.begin()->first, " AND l.value = ", filter_.labels.begin()->second);
    else if (way_ == task_way::owner)
        ask(" AND task.owner = ", *filter_.owner);
    else if (way_ != task_way::all)
        ask(" AND task.namespace = ", name_space_);
    if (way_ == task_way::service_of_project)
        ask(" AND task.project = ", *filter_.project, " AND task.service = ", *filter_.service);
    if (way_ == task_way::service)
        ask(" AND task.service = ", *filter_.service);
    if (way_ == task_way::state)
        ask(" AND task.parked_for = '' AND task.enabled = ", filter_.state == task_state::enabled);
}

void task_search::keep_state(statement& ask) const
{
    if (filter_.enabled)
        ask(" AND task.enabled = ", *filter_.enabled);
    if (!filter_.state)
        return;
    ask(" AND task.enabled = ", *filter_.state != task_state::disabled);
    if (*filter_.state == task_state::enabled)
        ask(" AND task.parked_for = ''");
    else if (*filter_.state == task_state::parked)
        ask(" AND task.parked_for <> ''");
}

void task_search::keep_rest(statement& ask) const
{
    if (filter_.project)
        ask(" AND task.project = ", *filter_.project);
    if (filter_.service)
        ask(" AND task.service = ", *filter_.service);
    if (filter_.handler)
        ask(" AND task.handler = ", *filter_.handler);
    if (filter_.name_contains)
        ask(" AND INSTR(task.name, ", *filter_.name_contains, ") > 0");
    if (filter_.kind)
        ask(" AND task.schedule_kind = ", protocol::to_string(*filter_.kind));
    if (filter_.owner)
        ask(" AND task.owner = ", *filter_.owner);
    for (auto const& [name, value] : filter_.labels)
        ask(" AND EXISTS (SELECT 1 FROM task_label x WHERE x.task_id = task.id AND x.name = ", name,
            " AND x.value = ", value, ")");
    if (!filter_.text)
        return;
    ask(" AND (");
    contains(ask, {"task.name"}, *filter_.text);
    for (auto const column : {fragment{"task.service"}, fragment{"task.handler"}, fragment{"task.owner"}}) {
        ask(" OR ");
        contains(ask, column, *filter_.text);
    }
    ask(")");
}

void task_search::where(statement& ask) const
{
    ask(" WHERE ");
    keep_place(ask);
    ask(" AND task.namespace = ", name_space_);
    keep_state(ask);
    keep_rest(ask);
    if (end_)
        ask(" AND ", key(), " <= ", *end_);
}

void task_search::order(statement& ask) const
{
    ask(" ORDER BY ", key(), " LIMIT ");
}

std::optional<task_id> task_search::find_end() const
{
    std::optional<task_id> end;
    statement ask(sql_);
    if (way_ == task_way::label)
        ask.select("l.task_id")(" FROM task_label l", by_index{"task_label_value"});
    else {
        ask.select("task.id");
        from(ask);
    }
    ask(" WHERE ");
    keep_place(ask);
    order(ask);
    ask("1 OFFSET ", filter_.look - 1);
    ask.each([&](row& cells) { end = cells.name<task_id>(); });
    return end;
}

} // namespace baton::storage
