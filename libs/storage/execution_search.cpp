#include "libs/storage/execution_search.hpp"

#include "libs/storage/execution_counts.hpp"
#include "libs/storage/search_conditions.hpp"

#include <algorithm>

namespace baton::storage {

namespace {

using protocol::state;

bool has_failed(state which)
{
    return which == state::failed || which == state::timed_out;
}

// True if only executions that failed or timed out can meet the filter. An error alone is looked for among these.
bool wants_failures(execution_filter const& filter)
{
    if (filter.open.value_or(false) || filter.planned.value_or(false))
        return false;
    return filter.states.empty() ? filter.error.has_value() : std::ranges::all_of(filter.states, has_failed);
}

by_index index_of(search_way way, bool of_task)
{
    switch (way) {
    case search_way::time:
        return {"execution_time"};
    case search_way::task:
        return {"execution_of_task"};
    case search_way::parent:
        return {"execution_parent"};
    case search_way::open:
        return {"execution_open"};
    case search_way::failures:
        return {of_task ? "failure_of_task" : "failure_time"};
    }
    return {"execution_time"};
}

template <class Enum>
void keep_choices(statement& ask, fragment column, std::vector<Enum> const& chosen)
{
    if (chosen.empty())
        return;
    std::vector<std::string> names;
    names.reserve(chosen.size());
    for (auto const each : chosen)
        names.emplace_back(protocol::to_string(each));
    ask(" AND ", column, " IN ").in(std::span<std::string const>(names));
}

// The same executions as storage::tally counts as late.
void keep_late(statement& ask, bool late)
{
    if (late)
        ask(" AND e.parent_id IS NULL AND e.started_at - e.scheduled_at > ", late_after);
    else
        ask(" AND (e.parent_id IS NOT NULL OR COALESCE(e.started_at - e.scheduled_at, 0) <= ", late_after, ")");
}

// A covering walk, so it costs less than the executions would.
bool has_many_open(soci::session& sql, protocol::namespace_id name_space, int look)
{
    bool found = false;
    statement ask(sql);
    ask.select("e.due_at")(" FROM execution e", by_index{"execution_open"}, " WHERE e.namespace = ", name_space,
                           " AND e.due_at IS NOT NULL ORDER BY e.due_at LIMIT 1 OFFSET ", look);
    ask.each([&](row& cells) { found = cells.number() != 0; });
    return found;
}

} // namespace

bool wants_open(execution_filter const& filter)
{
    if (filter.parent || filter.planned.value_or(false))
        return false;
    return filter.open.value_or(false) ||
           (!filter.states.empty() && std::ranges::none_of(filter.states, protocol::is_final));
}

search_way way_of(execution_filter const& filter, bool many_open)
{
    if (filter.parent)
        return search_way::parent;
    if (wants_open(filter) && !many_open)
        return search_way::open;
    if (wants_failures(filter))
        return search_way::failures;
    return filter.task ? search_way::task : search_way::time;
}

bool must_bound(execution_filter const& filter, search_way way)
{
    if (way == search_way::parent || way == search_way::open)
        return false;
    return filter.project || filter.service || filter.open || filter.late || filter.error || !filter.states.empty() ||
           !filter.causes.empty();
}

execution_search::execution_search(soci::session& sql, protocol::namespace_id name_space, execution_filter filter)
    : sql_(sql),
      name_space_(name_space),
      filter_(std::move(filter)),
      way_(way_of(filter_, wants_open(filter_) && has_many_open(sql, name_space, filter_.look)))
{
    if (filter_.planned)
        now_ = read_now(sql);
    if (must_bound(filter_, way_))
        end_ = find_end();
}

void execution_search::from(statement& ask) const
{
    auto const index = index_of(way_, filter_.task.has_value());
    bool const failures = way_ == search_way::failures;
    if (failures)
        ask(" FROM failure d", index);
    else
        ask(" FROM execution e", index);
    if (filter_.service)
        join_service(ask, sql_, name_space_, {failures ? "d.task_id" : "e.task_id"}, *filter_.service);
    if (failures) // last: those that meet the other conditions are few
        ask(" ", dialect_of(sql_).join_in_order(), " execution e ON e.id = d.execution_id");
}

place_columns execution_search::place() const
{
    if (way_ == search_way::failures)
        return {{"d.scheduled_at"}, {"d.execution_id"}};
    return {{"e.scheduled_at"}, {"e.id"}};
}

// The columns of the index of the way that lead to its places.
void execution_search::keep_lead(statement& ask) const
{
    bool const failures = way_ == search_way::failures;
    if (failures)
        ask("d.namespace = ", name_space_);
    else
        ask("1 = 1");
    if (filter_.task)
        ask(" AND ", fragment{failures ? "d.task_id" : "e.task_id"}, " = ", *filter_.task);
}

// The conditions that the index of the way covers. SQLite reads one range of times and may choose the wider one, so
// a bound is left out beside a narrower one: that of the last page's end, or of this page's.
void execution_search::keep_place(statement& ask, std::optional<utc_time> end) const
{
    keep_lead(ask);
    auto const at = place().at;
    auto const begin = filter_.after_at;
    auto const least = ascending() ? begin : end;
    auto const most = ascending() ? end : begin;
    if (filter_.from && !(least && *least >= *filter_.from))
        ask(" AND ", at, " >= ", *filter_.from);
    if (filter_.until && !(most && *most < *filter_.until))
        ask(" AND ", at, " < ", *filter_.until);
    if (filter_.planned && (ascending() || !begin || to_micros(*begin) > now_))
        ask(" AND ", at, fragment{ascending() ? " > " : " <= "}, now_);
    if (end)
        ask(" AND ", at, fragment{ascending() ? " < " : " > "}, *end);
    if (begin)
        keep_places(ask, dialect_of(sql_), place(), ascending() ? relation::behind : relation::before,
                    {*begin, filter_.after_id});
}

void execution_search::keep_rest(statement& ask) const
{
    if (filter_.project)
        ask(" AND e.project = ", *filter_.project);
    keep_choices(ask, {"e.state"}, filter_.states);
    keep_choices(ask, {"e.cause"}, filter_.causes);
    // Beside what is planned, only what an edit has cancelled is scheduled for later.
    if (wants_open(filter_) || ascending())
        ask(" AND e.due_at IS NOT NULL");
    if (filter_.open && !*filter_.open)
        ask(" AND e.due_at IS NULL");
    if (filter_.late)
        keep_late(ask, *filter_.late);
    if (filter_.parent)
        ask(" AND e.parent_id = ", *filter_.parent);
    if (filter_.error && way_ == search_way::failures)
        either_contains(ask, {"d.error"}, {"d.first_error"}, *filter_.error);
    else if (filter_.error)
        either_contains(ask, {"e.error"}, {"a.error"}, *filter_.error);
}

std::vector<page_part> execution_search::parts() const
{
    if (!end_)
        return {page_part::whole};
    if (filter_.after_at == end_->at)
        return {page_part::last_one};
    return {page_part::nearer, page_part::last_one};
}

void execution_search::keep_part(statement& ask, page_part part) const
{
    if (part == page_part::whole)
        return keep_place(ask, std::nullopt);
    if (part == page_part::nearer)
        return keep_place(ask, end_->at);
    auto const [at, id] = place();
    // The filter's times hold for the instant. With them SQLite would read their range, and not the instant.
    keep_lead(ask);
    ask(" AND ", at, " = ", end_->at, " AND ", id, fragment{ascending() ? " <= " : " >= "}, end_->id);
    if (filter_.after_at == end_->at)
        ask(" AND ", id, fragment{ascending() ? " > " : " < "}, filter_.after_id);
}

void execution_search::where(statement& ask, page_part part) const
{
    keep_part(ask, part);
    ask(" AND e.namespace = ", name_space_);
    keep_rest(ask);
}

void execution_search::order(statement& ask) const
{
    auto const columns = place();
    fragment const direction{ascending() ? "" : " DESC"};
    ask(" ORDER BY ", columns.at, direction, ", ", columns.id, direction, " LIMIT ");
}

std::optional<execution_place> execution_search::find_end() const
{
    std::optional<execution_place> end;
    auto const index = index_of(way_, filter_.task.has_value());
    statement ask(sql_);
    if (way_ == search_way::failures)
        ask.select("d.scheduled_at", "d.execution_id")(" FROM failure d", index, " WHERE ");
    else
        ask.select("e.scheduled_at", "e.id")(" FROM execution e", index, " WHERE ");
    keep_place(ask, std::nullopt);
    order(ask);
    ask("1 OFFSET ", filter_.look - 1);
    ask.each([&](row& cells) {
        end.emplace();
        end->at = cells.moment();
        end->id = cells.name<execution_id>();
    });
    return end;
}

} // namespace baton::storage
