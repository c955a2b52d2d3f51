#include "libs/storage/executed_versions.hpp"
#include "libs/storage/execution_row.hpp"
#include "libs/storage/statement.hpp"

#include <algorithm>
#include <stdexcept>

namespace baton::storage {

namespace {

// An unknown value in a row is not the caller's mistake, so it is no invalid_input.
template <class Enum>
Enum stored(std::string const& text, char const* column)
{
    try {
        return protocol::parse<Enum>(text, column);
    } catch (invalid_input const& failure) {
        throw std::runtime_error(std::string("a row of the ledger cannot be read: ") + failure.what());
    }
}

// "SELECT ... WHERE "; without an index the database chooses one.
void select_execution(statement& ask, std::optional<by_index> index = std::nullopt)
{
    ask.select("e.id", "e.project", "e.task_id", "t.name", "e.task_version", "e.scheduled_at", "e.cause", "e.state",
               "e.due_at", "e.attempt", "e.max_attempts", "e.deaths", "e.rerun_of", "e.parent_id", "e.shard_index",
               "e.shard_total", "e.cancel_requested_at", "e.reason", "e.created_at", "e.ended_at", "e.node", "e.client",
               "e.started_at", "e.finished_at", "e.outcome", "e.progress", "e.result", "e.error", "a.error",
               "t.version", "t.service", "t.handler");
    ask(" FROM execution e");
    if (index)
        ask(*index);
    ask(" LEFT JOIN task t ON t.id = e.task_id LEFT JOIN attempt a ON a.execution_id = e.id AND a.attempt = CASE WHEN ",
        "e.state IN ('planned', 'waiting') THEN e.attempt - 1 ELSE e.attempt END WHERE ");
}

// node to error, the columns that `execution` and `attempt` share.
void read_attempt(row& cells, attempt_record& attempt)
{
    attempt.node = cells.maybe_text();
    attempt.client = cells.maybe_text();
    attempt.started_at = cells.maybe_moment();
    attempt.finished_at = cells.maybe_moment();
    if (auto const outcome = cells.maybe_text())
        attempt.outcome = stored<protocol::state>(*outcome, "outcome");
    if (auto const progress = cells.maybe_number())
        attempt.progress = static_cast<int>(*progress);
    attempt.result = cells.maybe_text();
    attempt.error = cells.maybe_text();
}

// The task as it stands, if it still runs under the version of the execution.
void read_present_task(row& cells, execution_record& record)
{
    auto const version = cells.maybe_number();
    auto service = cells.text();
    auto handler = cells.text();
    if (version != record.task_version)
        return;
    record.service = std::move(service);
    record.handler = std::move(handler);
}

execution_record read_execution(row& cells)
{
    execution_record record;
    record.id = cells.name<execution_id>();
    record.project = cells.text();
    record.task = cells.name<task_id>();
    record.task_name = cells.text();
    record.task_version = cells.small();
    record.scheduled_at = cells.moment();
    record.cause = stored<protocol::cause>(cells.text(), "cause");
    record.state = stored<protocol::state>(cells.text(), "state");
    record.due_at = cells.maybe_moment();
    record.attempt = cells.small();
    record.max_attempts = cells.small();
    record.deaths = cells.small();
    if (auto const dead = cells.maybe_number())
        record.rerun_of = execution_id{*dead};
    if (auto const parent = cells.maybe_number())
        record.parent = execution_id{*parent};
    record.shard_index = cells.small();
    record.shard_total = cells.small();
    record.cancel_requested_at = cells.maybe_moment();
    record.reason = cells.maybe_text();
    record.created_at = cells.moment();
    record.ended_at = cells.maybe_moment();
    record.first.attempt = 1;
    read_attempt(cells, record.first);
    record.last_error = cells.maybe_text();
    if (record.attempt - (record.state <= protocol::state::waiting ? 1 : 0) == 1)
        record.last_error = record.first.error;
    read_present_task(cells, record);
    return record;
}

std::optional<execution_record> find_execution(soci::session& sql, protocol::namespace_id name_space, execution_id id)
{
    std::optional<execution_record> found;
    statement ask(sql);
    select_execution(ask);
    ask("e.id = ", id, " AND e.namespace = ", name_space);
    ask.each([&](row& cells) { found = read_execution(cells); });
    if (found)
        add_versions(sql, std::span(&*found, 1));
    return found;
}

// The index by which a page is read. It leads past no more of the history than the page shows, unless the filter has
// further conditions.
enum class way { time, task, parent, open };

way way_of(execution_filter const& filter)
{
    if (filter.parent)
        return way::parent;
    bool const open = filter.open.value_or(false) ||
                      (!filter.states.empty() && std::ranges::none_of(filter.states, protocol::is_final));
    if (open && !filter.planned.value_or(false))
        return way::open;
    return filter.task ? way::task : way::time;
}

by_index index_of(way which)
{
    static constexpr by_index indexes[] = {
        {"execution_time"}, {"execution_of_task"}, {"execution_parent"}, {"execution_open"}};
    return indexes[static_cast<std::size_t>(which)];
}

bool only_planned(execution_filter const& filter)
{
    return filter.planned.value_or(false);
}

// Beside what is planned, only what an edit has cancelled is scheduled for later.
void keep_planned(statement& ask, execution_filter const& filter, std::int64_t now)
{
    ask(" AND e.scheduled_at > ", now, " AND e.due_at IS NOT NULL");
    if (filter.after_at)
        ask(" AND e.scheduled_at >= ", *filter.after_at, " AND (e.scheduled_at > ", *filter.after_at, " OR e.id > ",
            filter.after_id, ")");
}

// The conditions that an index on time, or on task and time, covers.
void keep_place(statement& ask, execution_filter const& filter, std::int64_t now)
{
    ask("1 = 1");
    if (filter.task)
        ask(" AND e.task_id = ", *filter.task);
    if (filter.from)
        ask(" AND e.scheduled_at >= ", *filter.from);
    if (filter.until)
        ask(" AND e.scheduled_at < ", *filter.until);
    if (only_planned(filter))
        return keep_planned(ask, filter, now);
    if (filter.planned)
        ask(" AND e.scheduled_at <= ", now);
    if (filter.after_at)
        ask(" AND e.scheduled_at <= ", *filter.after_at, " AND (e.scheduled_at < ", *filter.after_at, " OR e.id < ",
            filter.after_id, ")");
}

void keep_rest(statement& ask, execution_filter const& filter, way which)
{
    if (filter.project)
        ask(" AND e.project = ", *filter.project);
    if (!filter.states.empty()) {
        std::vector<std::string> names;
        for (auto const each : filter.states)
            names.emplace_back(protocol::to_string(each));
        ask(" AND e.state IN ").in(std::span<std::string const>(names));
    }
    if (which == way::open)
        ask(" AND e.due_at IS NOT NULL");
    if (filter.open && !*filter.open)
        ask(" AND e.due_at IS NULL");
    if (filter.parent)
        ask(" AND e.parent_id = ", *filter.parent);
}

// The instant where a search for rare executions must end, so that one page does not read the whole history. None if
// the index covers the filter.
std::optional<utc_time> end_of_look(soci::session& sql, execution_filter const& filter, way which, std::int64_t now)
{
    bool const walks = (which == way::time || which == way::task) && !only_planned(filter);
    std::optional<utc_time> end;
    if (!walks || !(filter.project || !filter.states.empty() || filter.open))
        return end;
    statement ask(sql);
    ask.select("e.scheduled_at")(" FROM execution e", index_of(which), " WHERE ");
    keep_place(ask, filter, now);
    ask(" ORDER BY e.scheduled_at DESC, e.id DESC LIMIT 1 OFFSET ", filter.look - 1);
    ask.each([&](row& cells) { end = cells.moment(); });
    return end;
}

fragment order_of(execution_filter const& filter)
{
    return {only_planned(filter) ? "e.scheduled_at, e.id" : "e.scheduled_at DESC, e.id DESC"};
}

execution_page read_page(soci::session& sql, protocol::namespace_id name_space, execution_filter const& filter)
{
    execution_page page;
    auto const which = way_of(filter);
    auto const now = filter.planned ? read_now(sql) : 0;
    auto const end = end_of_look(sql, filter, which, now);
    statement ask(sql);
    select_execution(ask, index_of(which));
    keep_place(ask, filter, now);
    ask(" AND e.namespace = ", name_space);
    keep_rest(ask, filter, which);
    if (end)
        ask(" AND e.scheduled_at >= ", *end);
    ask(" ORDER BY ", order_of(filter), " LIMIT ", filter.limit);
    ask.each([&](row& cells) { page.items.push_back(read_execution(cells)); });
    add_versions(sql, page.items);
    if (page.items.size() < static_cast<std::size_t>(filter.limit))
        page.looked_to = end;
    return page;
}

} // namespace

std::vector<execution_record> read_executions(soci::session& sql, std::vector<execution_id> const& ids)
{
    std::vector<execution_record> found;
    for (auto const chunk : chunks(sql, ids, 1)) {
        statement ask(sql);
        select_execution(ask);
        ask("e.id IN ").in(chunk);
        ask.each([&](row& cells) { found.push_back(read_execution(cells)); });
    }
    add_versions(sql, found);
    return found;
}

awaitable<std::optional<execution_record>> executions::find(execution_id id)
{
    auto const work = [&](soci::session& sql) { return find_execution(sql, name_space_, id); };
    co_return co_await shared_.run(work);
}

awaitable<std::optional<unresponsive_record>> executions::unresponsive(execution_id id)
{
    std::optional<unresponsive_record> found;
    auto const work = [&](soci::session& sql) {
        found.reset();
        statement(sql)
            .select("attempt", "client", "since")(" FROM unresponsive WHERE execution_id = ", id,
                                                  " AND namespace = ", name_space_)
            .each([&](row& cells) {
                found.emplace();
                found->attempt = cells.small();
                found->client = cells.text();
                found->since = cells.moment();
            });
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<bool> executions::release(execution_id id)
{
    auto const work = [&](soci::session& sql) {
        return statement(sql, "DELETE FROM unresponsive WHERE execution_id = ", id, " AND namespace = ", name_space_)
                   .execute() == 1;
    };
    co_return co_await shared_.run(work);
}

awaitable<std::vector<attempt_record>> executions::attempts(execution_id id)
{
    std::vector<attempt_record> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        auto const execution = find_execution(sql, name_space_, id);
        if (!execution)
            return;
        found.push_back(execution->first);
        statement ask(sql);
        ask.select("attempt", "cause", "node", "client", "started_at", "finished_at", "outcome", "progress", "result",
                   "error");
        ask(" FROM attempt WHERE execution_id = ", id, " ORDER BY attempt");
        ask.each([&](row& cells) {
            auto& attempt = found.emplace_back();
            attempt.attempt = cells.small();
            attempt.cause = stored<protocol::attempt_cause>(cells.text(), "cause");
            read_attempt(cells, attempt);
        });
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<execution_page> executions::list(execution_filter filter)
{
    auto const work = [&](soci::session& sql) { return read_page(sql, name_space_, filter); };
    co_return co_await shared_.run(work);
}

} // namespace baton::storage
