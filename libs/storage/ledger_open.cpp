#include "libs/storage/free_tasks.hpp"
#include "libs/storage/ledger.hpp"
#include "libs/storage/rows.hpp"

#include <algorithm>
#include <map>

namespace baton::storage {

namespace {

// Of the attempt that has ended last. The row of the execution has the client of the first attempt. A text without a
// value for all other executions, so that they cost no look into `attempt`.
constexpr char last_client[] = "CASE WHEN e.attempt = 1 AND e.state <> 'retrying' THEN NULL "
                               "WHEN e.attempt = 1 OR (e.attempt = 2 AND e.state <> 'retrying') THEN e.client "
                               "ELSE (SELECT a.client FROM attempt a WHERE a.execution_id = e.id AND a.attempt = "
                               "CASE WHEN e.state = 'retrying' THEN e.attempt ELSE e.attempt - 1 END) END";

void select_open(statement& ask)
{
    ask.select("e.id", "e.task_id", "e.task_version", "e.scheduled_at", "e.due_at", "e.cause", "e.state", "e.attempt",
               "e.max_attempts", "e.deaths", "CASE WHEN e.out_attempt = e.attempt THEN 1 ELSE 0 END", "e.begun",
               "e.epoch", "e.cancel_requested_at IS NOT NULL", "e.parent_id", "e.shard_index", "e.shard_total",
               "e.shard_instance", last_client, "e.payload", "e.created_at", "v.definition");
}

// The index on namespace and due_at holds the open rows together; an index on the task would grow with history.
constexpr by_index open_rows{"execution_open"};

constexpr char with_definition[] =
    " LEFT JOIN task_version v ON v.task_id = e.task_id AND v.version = e.task_version WHERE ";

// A value that this version does not know, as after a downgrade, must not keep the master from all other rows.
void read_names(row& cells, open_execution_row& open)
{
    auto const cause = cells.text();
    auto const state = cells.text();
    try {
        open.cause = protocol::parse<protocol::cause>(cause, "cause");
        open.state = protocol::parse<protocol::state>(state, "state");
    } catch (invalid_input const& failure) {
        open.unreadable = failure.what();
    }
}

void read_payload(std::optional<std::string> text, open_execution_row& open)
{
    if (!text)
        return;
    try {
        open.payload = protocol::json_text::check(std::move(*text), "payload");
    } catch (invalid_input const& failure) {
        open.unreadable = failure.what();
    }
}

open_execution_row read_open(row& cells)
{
    open_execution_row open;
    open.id = cells.name<execution_id>();
    open.task = cells.name<task_id>();
    open.version = cells.small();
    open.scheduled_at = cells.moment();
    open.due_at = cells.moment();
    read_names(cells, open);
    open.attempt = cells.small();
    open.max_attempts = cells.small();
    open.deaths = cells.small();
    open.out = cells.flag();
    open.begun = cells.flag();
    open.epoch = cells.number();
    open.cancel_requested = cells.flag();
    if (auto const parent = cells.maybe_number())
        open.parent = execution_id{*parent};
    open.shard_index = cells.small();
    open.shard_total = cells.small();
    open.shard_instance = cells.text();
    open.last_client = cells.text();
    read_payload(cells.maybe_text(), open);
    open.created_at = cells.moment();
    open.definition = cells.text();
    return open;
}

// Shards have the payload of their broadcast. Where many are read, its text is read once.
void add_payloads_of_parents(soci::session& sql, std::vector<open_execution_row>& rows)
{
    std::map<execution_id, std::vector<open_execution_row*>> shards;
    for (auto& each : rows)
        if (each.parent && !each.payload)
            shards[*each.parent].push_back(&each);
    std::vector<execution_id> parents;
    parents.reserve(shards.size());
    for (auto const& [parent, of] : shards)
        parents.push_back(parent);
    for (auto const chunk : chunks(sql, parents, 1)) {
        statement ask(sql);
        ask.select("id", "payload")(" FROM execution WHERE payload IS NOT NULL AND id IN ").in(chunk);
        ask.each([&](row& cells) {
            auto const& its = shards.at(cells.name<execution_id>());
            open_execution_row read;
            read_payload(cells.maybe_text(), read);
            for (auto* const shard : its) {
                shard->payload = read.payload;
                if (!read.unreadable.empty())
                    shard->unreadable = read.unreadable;
            }
        });
    }
}

void select_key(statement& ask)
{
    ask.select("e.id", "e.attempt", "e.state", "e.due_at", "e.cancel_requested_at IS NOT NULL");
}

open_key read_key(row& cells)
{
    open_key key;
    key.id = cells.name<execution_id>();
    key.attempt = cells.small();
    key.retrying = cells.text() == protocol::to_string(protocol::state::retrying);
    key.due_at = cells.moment();
    key.cancel_requested = cells.flag();
    return key;
}

void behind(statement& ask, protocol::namespace_id name_space, utc_time until, open_cursor const& after, int limit)
{
    ask("e.namespace = ", name_space, " AND e.due_at <= ", until, " AND e.due_at >= ", after.due_at,
        " AND (e.due_at > ", after.due_at, " OR e.id > ", after.id, ") ORDER BY e.due_at, e.id LIMIT ", limit);
}

} // namespace

awaitable<std::vector<open_execution_row>> ledger::open(utc_time until, open_cursor after, int limit)
{
    std::vector<open_execution_row> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        statement ask(sql);
        select_open(ask);
        ask(" FROM execution e", open_rows, with_definition);
        behind(ask, name_space_, until, after, limit);
        ask.each([&](row& cells) { found.push_back(read_open(cells)); });
        add_payloads_of_parents(sql, found);
        add_stops(sql, found);
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<std::vector<open_execution_row>> ledger::open_among(std::vector<execution_id> const& ids)
{
    std::vector<open_execution_row> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        for (auto const chunk : chunks(sql, ids, 1)) {
            statement ask(sql);
            select_open(ask);
            ask(" FROM execution e", with_definition, "e.due_at IS NOT NULL AND e.id IN ");
            ask.in(chunk);
            ask.each([&](row& cells) { found.push_back(read_open(cells)); });
        }
        add_payloads_of_parents(sql, found);
        add_stops(sql, found);
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<std::vector<execution_id>> ledger::still_open(std::vector<execution_id> const& ids)
{
    std::vector<execution_id> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        for (auto const chunk : chunks(sql, ids, 1)) {
            statement ask(sql);
            ask.select("id")(" FROM execution WHERE due_at IS NOT NULL AND id IN ").in(chunk);
            ask.each([&](row& cells) { found.push_back(cells.name<execution_id>()); });
        }
    };
    if (!ids.empty())
        co_await shared_.run(work);
    co_return found;
}

awaitable<std::vector<open_key>> ledger::open_keys(utc_time until, open_cursor after, int limit)
{
    std::vector<open_key> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        statement ask(sql);
        select_key(ask);
        ask(" FROM execution e", open_rows, " WHERE ");
        behind(ask, name_space_, until, after, limit);
        ask.each([&](row& cells) { found.push_back(read_key(cells)); });
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<std::vector<open_key>> ledger::open_keys_among(std::vector<execution_id> const& ids)
{
    std::vector<open_key> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        for (auto const chunk : chunks(sql, ids, 1)) {
            statement ask(sql);
            select_key(ask);
            ask(" FROM execution e WHERE e.due_at IS NOT NULL AND e.id IN ").in(chunk);
            ask.each([&](row& cells) { found.push_back(read_key(cells)); });
        }
    };
    if (!ids.empty())
        co_await shared_.run(work);
    co_return found;
}

namespace {

void select_delayed(statement& ask, soci::session& sql)
{
    ask.select("t.id", "t.version", "t.waiting_for", "e.ended_at", "t.created_at", "t.definition", "t.firings");
    ask.column(now_us(sql));
}

delayed_task read_delayed(row& cells)
{
    delayed_task task;
    task.id = cells.name<task_id>();
    task.version = cells.small();
    task.execution = cells.name<execution_id>();
    auto const ended = cells.maybe_moment();
    task.created_at = cells.moment();
    task.definition = cells.text();
    task.firings = cells.number();
    task.read_at = cells.moment();
    task.ended_at = ended.value_or(task.read_at); // its row is gone: as good as ended now
    return task;
}

} // namespace

awaitable<std::vector<delayed_task>> ledger::delayed_ready(std::vector<execution_id> const& ended)
{
    std::vector<delayed_task> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        for (auto const chunk : chunks(sql, ended, 1)) {
            statement ask(sql);
            select_delayed(ask, sql);
            ask(" FROM task t", by_index{"task_waiting"},
                " LEFT JOIN execution e ON e.id = t.waiting_for WHERE e.due_at IS NULL AND t.namespace = ", name_space_,
                " AND NOT EXISTS (SELECT 1 FROM unresponsive u WHERE u.execution_id = t.waiting_for)"
                " AND t.waiting_for IN ")
                .in(chunk);
            ask.each([&](row& cells) { found.push_back(read_delayed(cells)); });
        }
    };
    if (!ended.empty())
        co_await shared_.run(work);
    co_return found;
}

awaitable<std::vector<delayed_task>> ledger::delayed_ready(execution_id& after, int limit)
{
    std::vector<execution_id> ended;
    execution_id last;
    int seen = 0;
    auto const work = [&](soci::session& sql) {
        ended.clear();
        seen = 0;
        statement(sql)
            .select("t.waiting_for", "e.due_at IS NULL AND NOT EXISTS "
                                     "(SELECT 1 FROM unresponsive u WHERE u.execution_id = t.waiting_for)")(
                " FROM task t", by_index{"task_waiting"}, " LEFT JOIN execution e ON e.id = t.waiting_for WHERE ",
                "t.waiting_for > ", after, " ORDER BY t.waiting_for LIMIT ", limit)
            .each([&](row& cells) {
                ++seen;
                last = cells.name<execution_id>();
                if (cells.flag())
                    ended.push_back(last);
            });
    };
    co_await shared_.run(work);
    auto found = co_await delayed_ready(ended);
    after = seen < limit ? execution_id{} : last;
    co_return found;
}

awaitable<std::set<task_id>> ledger::resume_delayed(fence mine, std::vector<advance> const& tasks)
{
    std::set<task_id> locked;
    auto const work = [&](soci::session& sql) {
        touch_fence(sql, mine);
        locked = lock_tasks_of(sql, tasks);
        auto const free = without(tasks, locked);
        for (auto const chunk : chunks(sql, free, 4)) {
            batch_update update(sql, {"task"}, {"id", "version", "next", "waiting"});
            for (auto const& task : chunk)
                update.row(task.id, task.version, task.next, task.waiting_for);
            update.set("next_fire_at = ", update["next"], ", waiting_for = NULL");
            update.where("e.version = ", update["version"], " AND e.waiting_for = ", update["waiting"]);
            update.execute();
        }
    };
    co_await deciding_.transact(work);
    co_return locked;
}

} // namespace baton::storage
