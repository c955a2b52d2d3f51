#include "libs/storage/executed_versions.hpp"
#include "libs/storage/execution_row.hpp"
#include "libs/storage/execution_search.hpp"
#include "libs/storage/statement.hpp"
#include "libs/storage/topic_versions.hpp"

#include <stdexcept>

namespace baton::storage {

namespace {

constexpr int most_unresponsive = 1'000;

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

// The row of an execution has the first start of any attempt; a first attempt that was lost before it began has none.
constexpr fragment first_began{"CASE WHEN e.attempt = 1 OR NOT EXISTS (SELECT 1 FROM attempt f WHERE f.execution_id = "
                               "e.id AND f.started_at = e.started_at) THEN 1 ELSE 0 END"};

void select_columns(statement& ask)
{
    ask.select("e.id", "e.project", "e.task_id", "t.name", "e.task_version", "e.scheduled_at", "e.cause", "e.state",
               "e.due_at", "e.attempt", "e.max_attempts", "e.deaths", "e.rerun_of", "e.parent_id", "e.shard_index",
               "e.shard_total", "e.cancel_requested_at", "e.reason", "e.created_at", "e.ended_at", "e.node", "e.client",
               "e.started_at", "e.finished_at", "e.outcome", "e.progress", "e.result", "e.error", "a.error",
               "t.version", "t.service", "t.handler");
    ask.column(first_began);
}

void join_task_and_attempt(statement& ask)
{
    ask(" LEFT JOIN task t ON t.id = e.task_id LEFT JOIN attempt a ON a.execution_id = e.id AND a.attempt = CASE WHEN ",
        "e.state IN ('planned', 'waiting') THEN e.attempt - 1 ELSE e.attempt END WHERE ");
}

// "SELECT ... WHERE ", by the primary key.
void select_execution(statement& ask)
{
    select_columns(ask);
    ask(" FROM execution e");
    join_task_and_attempt(ask);
}

// node to error, the columns that `execution` and `attempt` share.
void read_attempt(row& cells, attempt_record& attempt)
{
    attempt.node = cells.maybe_text();
    attempt.client = cells.maybe_text();
    attempt.started_at = cells.maybe_moment();
    attempt.finished_at = cells.maybe_moment();
    if (auto const outcome = cells.maybe_text()) {
        attempt.interrupted = *outcome == protocol::interrupted;
        attempt.outcome = attempt.interrupted ? protocol::state::failed : stored<protocol::state>(*outcome, "outcome");
    }
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
    record.started_at = record.first.started_at;
    if (!cells.flag())
        record.first.started_at.reset();
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

execution_page read_page(soci::session& sql, protocol::namespace_id name_space, execution_filter const& filter)
{
    execution_page page;
    execution_search const search(sql, name_space, filter);
    auto const limit = static_cast<std::size_t>(filter.limit);
    for (auto const part : search.parts()) {
        if (page.items.size() == limit)
            break;
        statement ask(sql);
        select_columns(ask);
        search.from(ask);
        join_task_and_attempt(ask);
        search.where(ask, part);
        search.order(ask);
        ask(static_cast<std::int64_t>(limit - page.items.size()));
        ask.each([&](row& cells) { page.items.push_back(read_execution(cells)); });
    }
    add_versions(sql, page.items);
    if (page.items.size() < limit)
        page.looked_to = search.end();
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

awaitable<std::map<task_id, std::vector<execution_id>>> executions::unresponsive_of(std::vector<task_id> tasks)
{
    std::map<task_id, std::vector<execution_id>> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        for (auto const chunk : chunks(sql, tasks, 1)) {
            statement ask(sql);
            ask.select("e.task_id", "e.id");
            ask(" FROM (SELECT execution_id FROM unresponsive WHERE namespace = ", name_space_,
                " ORDER BY execution_id LIMIT ", most_unresponsive,
                ") u JOIN execution e ON e.id = u.execution_id WHERE e.task_id IN ");
            ask.in(chunk)(" ORDER BY e.id").each([&](row& cells) {
                auto const task = cells.name<task_id>();
                found[task].push_back(cells.name<execution_id>());
            });
        }
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<bool> executions::release(execution_id id)
{
    auto const work = [&](soci::session& sql) {
        statement end(sql, "DELETE FROM unresponsive WHERE execution_id = ", id, " AND namespace = ", name_space_);
        bool const was_there = end.execute() == 1;
        if (was_there)
            raise_version(sql, name_space_, topic::executions);
        return was_there;
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

awaitable<std::optional<std::string>> executions::payload(execution_id id)
{
    std::optional<std::string> found;
    auto const work = [&](soci::session& sql) {
        found.reset();
        statement ask(sql);
        ask.select("COALESCE(e.payload, p.payload)", "v.definition")(
            " FROM execution e LEFT JOIN task_version v ON v.task_id = e.task_id AND v.version = e.task_version "
            "LEFT JOIN execution p ON p.id = e.parent_id WHERE e.id = ",
            id, " AND e.namespace = ", name_space_);
        ask.each([&](row& cells) {
            found = cells.maybe_text();
            if (auto const definition = cells.maybe_text(); definition && !found)
                found = payload_of_definition(*definition);
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
