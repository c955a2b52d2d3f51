#include "libs/storage/retention.hpp"

#include "libs/storage/rows.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace baton::storage {

namespace {

constexpr std::size_t terms_kept = 1'000;
constexpr duration version_lifetime = 24h;   // of a topic's version; its session has changed nothing since
constexpr int most_versions_deleted = 1'000; // deleted at once

struct old_execution {
    execution_id id;
    std::optional<execution_id> parent{};
    ledger_place place;
    std::size_t attempts = 1;
    bool may_go = false;
    bool failed = false;  // it may have a dead letter
    bool stopped = false; // it may have ended without its handler
};

// The unique key, which is the order of time.
constexpr by_index in_order{"execution_firing"};

// In the form that the database reads as one range of the index.
void behind(statement& ask, soci::session& sql, ledger_place const& from, utc_time limit)
{
    auto const at = from.scheduled_at;
    if (dialect_of(sql).compares_rows())
        ask("(e.scheduled_at, e.task_id, e.run_key) > (", at, ", ", from.task, ", ", from.run_key,
            ") AND e.scheduled_at < ", limit);
    else
        ask("((e.scheduled_at = ", at, " AND e.task_id = ", from.task, " AND e.run_key > ", from.run_key,
            ") OR (e.scheduled_at = ", at, " AND e.task_id > ", from.task, ") OR (e.scheduled_at > ", at,
            " AND e.scheduled_at < ", limit, "))");
}

// A row that meets these conditions meets them for ever: an ended execution stays ended, no task moves back by more
// than it looks ahead, and no task begins to wait for an ended execution, nor do its handler or its successors. A
// handler that has not returned holds a slot.
void select_old(statement& ask, utc_time limit)
{
    ask.select("e.id", "e.scheduled_at", "e.task_id", "e.run_key", "e.attempt", "e.parent_id");
    ask.column({"e.due_at IS NULL AND COALESCE(e.ended_at, e.scheduled_at) < "})(limit);
    ask(" AND p.due_at IS NULL AND u.execution_id IS NULL AND s.execution_id IS NULL AND "
        "(t.waiting_for IS NULL OR t.waiting_for <> e.id) AND (e.run_key <> 0 OR t.next_fire_at IS NULL OR "
        "t.next_fire_at > e.scheduled_at)");
    ask.column({"e.state IN ('failed', 'timed_out')"});
    ask.column({"e.state IN ('cancelled', 'timed_out')"});
}

std::vector<old_execution> read_old(soci::session& sql, utc_time limit, ledger_place const& from, std::size_t rows)
{
    std::vector<old_execution> found;
    statement ask(sql);
    select_old(ask, limit);
    ask(" FROM execution e", in_order,
        " LEFT JOIN task t ON t.id = e.task_id LEFT JOIN execution p ON p.id = e.parent_id "
        "LEFT JOIN unresponsive u ON u.execution_id = e.id LEFT JOIN settle s ON s.execution_id = e.id WHERE ");
    behind(ask, sql, from, limit);
    ask(" ORDER BY e.scheduled_at, e.task_id, e.run_key LIMIT ", rows);
    ask.each([&](row& cells) {
        auto& one = found.emplace_back();
        one.id = cells.name<execution_id>();
        one.place.scheduled_at = cells.moment();
        one.place.task = cells.name<task_id>();
        one.place.run_key = cells.number();
        one.attempts = static_cast<std::size_t>(cells.number());
        if (auto const parent = cells.maybe_number())
            one.parent = execution_id{*parent};
        one.may_go = cells.flag();
        one.failed = cells.flag();
        one.stopped = cells.flag();
    });
    return found;
}

// The number of executions that one transaction may delete, so that it deletes about `rows` rows; at least one.
std::size_t count_deletable(std::vector<old_execution> const& found, std::size_t rows)
{
    std::size_t count = 0;
    std::size_t weight = 0;
    for (auto const& one : found) {
        weight += one.may_go ? one.attempts : 0;
        if (count != 0 && weight > rows)
            break;
        ++count;
    }
    return count;
}

// A broadcast has the payload of its shards, also of those that are run again, so it goes with the last of them. A
// statement of its own, because as a condition of the one above a database may evaluate it for the whole history.
void keep_parents(soci::session& sql, std::vector<old_execution>& going)
{
    std::unordered_map<std::int64_t, std::int64_t> shards_going;
    std::vector<execution_id> ids;
    ids.reserve(going.size());
    for (auto const& one : going) {
        ids.push_back(one.id);
        if (one.may_go && one.parent)
            ++shards_going[one.parent->value()];
    }
    std::unordered_set<std::int64_t> kept;
    for (auto const chunk : chunks(sql, ids, 1)) {
        statement ask(sql);
        ask.select("parent_id", "COUNT(*)");
        ask(" FROM execution", by_index{"execution_parent"}, " WHERE parent_id IN ").in(chunk)(" GROUP BY parent_id");
        ask.each([&](row& cells) {
            auto const parent = cells.number();
            if (cells.number() != shards_going[parent])
                kept.insert(parent);
        });
    }
    for (auto& one : going)
        one.may_go = one.may_go && !kept.contains(one.id.value());
}

void delete_by_key(soci::session& sql, char const* table, fragment key, std::vector<execution_id> const& ids)
{
    for (auto const chunk : chunks(sql, ids, 1)) {
        statement remove(sql);
        remove.delete_from(table)("e.", key, " IN ").in(chunk).execute();
    }
}

} // namespace

awaitable<forgotten> retention::executions(utc_time limit, ledger_place from, std::size_t rows)
{
    forgotten done;
    auto const read = [&](soci::session& sql) {
        auto old = read_old(sql, limit, from, rows);
        auto const count = count_deletable(old, rows);
        done.more = count < old.size() || old.size() == rows;
        old.resize(count);
        keep_parents(sql, old);
        return old;
    };
    auto const found = co_await shared_.run(read);
    done.last = found.empty() ? from : found.back().place;

    std::vector<execution_id> ids;
    std::vector<execution_id> retried;
    std::vector<execution_id> failed;
    std::vector<execution_id> stopped;
    for (auto const& one : found)
        if (one.may_go) {
            ids.push_back(one.id);
            if (one.attempts > 1)
                retried.push_back(one.id);
            if (one.failed)
                failed.push_back(one.id);
            if (one.stopped)
                stopped.push_back(one.id);
        }
    std::sort(ids.begin(), ids.end());
    auto const remove = [&](soci::session& sql) {
        delete_by_key(sql, "attempt", {"execution_id"}, retried);
        delete_by_key(sql, "dead_letter", {"execution_id"}, failed);
        delete_by_key(sql, "failure", {"execution_id"}, failed);
        delete_by_key(sql, "late_report", {"execution_id"}, stopped);
        delete_by_key(sql, "waiting", {"execution_id"}, ids);
        delete_by_key(sql, "stop_request", {"execution_id"}, ids);
        delete_by_key(sql, "execution", {"id"}, ids);
    };
    if (!ids.empty())
        co_await shared_.transact(remove);
    done.deleted = ids.size();
    co_return done;
}

awaitable<bool> retention::skipped(utc_time limit, std::size_t rows)
{
    bool more = false;
    auto const work = [&](soci::session& sql) {
        auto before = to_micros(limit);
        more = false;
        statement(sql)
            .select("last_at")(" FROM skipped_range WHERE last_at < ", limit, " ORDER BY last_at LIMIT 1 OFFSET ",
                               rows - 1)
            .each([&](row& cells) {
                before = cells.number() + 1;
                more = true;
            });
        statement(sql).delete_from("skipped_range", "skipped_range_age")("e.last_at < ", before).execute();
    };
    co_await shared_.run(work);
    co_return more;
}

awaitable<void> retention::topic_versions()
{
    auto const work = [](soci::session& sql) {
        auto const limit = read_now(sql) - version_lifetime.count();
        struct key {
            std::int64_t name_space;
            std::string topic;
            std::int64_t session;
        };
        std::vector<key> old;
        statement ask(sql);
        ask.select("namespace", "topic", "session")(" FROM topic_version WHERE changed_at <= ", limit, " LIMIT ",
                                                    most_versions_deleted);
        ask.each([&](row& cells) {
            key one;
            one.name_space = cells.number();
            one.topic = cells.text();
            one.session = cells.number();
            old.push_back(std::move(one));
        });
        for (auto const& one : old) // one by one, so that no lock is held while an edit keeps its row locked
            statement(sql, "DELETE FROM topic_version WHERE namespace = ", one.name_space, " AND topic = ", one.topic,
                      " AND session = ", one.session, " AND changed_at <= ", limit)
                .execute();
    };
    co_await shared_.run(work);
}

awaitable<bool> retention::keys(std::size_t rows)
{
    bool more = false;
    auto const work = [&](soci::session& sql) {
        auto last = read_now(sql) - key_lifetime.count();
        more = false;
        statement(sql)
            .select("created_at")(" FROM idempotency WHERE created_at <= ", last,
                                  " ORDER BY created_at LIMIT 1 OFFSET ", rows - 1)
            .each([&](row& cells) {
                last = cells.number();
                more = true;
            });
        statement(sql).delete_from("idempotency", "idempotency_age")("e.created_at <= ", last).execute();
    };
    co_await shared_.run(work);
    co_return more;
}

awaitable<bool> retention::terms(std::string name_space, std::size_t rows)
{
    bool more = false;
    auto const work = [&](soci::session& sql) {
        more = false;
        std::int64_t kept = 0;
        statement(sql)
            .select("epoch")(" FROM term WHERE namespace = ", name_space, " ORDER BY epoch DESC LIMIT 1 OFFSET ",
                             terms_kept - 1)
            .each([&](row& cells) { kept = cells.number(); });
        std::size_t count = 0;
        std::int64_t last = 0;
        statement(sql)
            .select("epoch")(" FROM term WHERE namespace = ", name_space, " AND epoch < ", kept,
                             " ORDER BY epoch LIMIT ", rows)
            .each([&](row& cells) {
                last = cells.number();
                ++count;
            });
        if (count != 0)
            statement(sql, "DELETE FROM term WHERE namespace = ", name_space, " AND epoch <= ", last).execute();
        more = count == rows;
    };
    co_await shared_.run(work);
    co_return more;
}

awaitable<bool> retention::calendar_versions(utc_time limit, std::size_t rows)
{
    bool more = false;
    auto const work = [&](soci::session& sql) {
        std::vector<std::pair<calendar_id, int>> old;
        statement ask(sql);
        ask.select("o.calendar_id", "o.version");
        ask(" FROM calendar_version o LEFT JOIN named_calendar c ON c.id = o.calendar_id LEFT JOIN calendar_version n "
            "ON "
            "n.calendar_id = o.calendar_id AND n.version = o.version + 1 WHERE o.created_at < ",
            limit, " AND (c.id IS NULL OR n.created_at < ", limit, ") LIMIT ", rows);
        ask.each([&](row& cells) {
            auto const calendar = cells.name<calendar_id>();
            old.emplace_back(calendar, cells.small());
        });
        for (auto const& [calendar, version] : old)
            statement(sql, "DELETE FROM calendar_version WHERE calendar_id = ", calendar, " AND version = ", version)
                .execute();
        more = old.size() == rows;
    };
    co_await shared_.transact(work);
    co_return more;
}

awaitable<bool> retention::pauses(utc_time limit, std::size_t rows)
{
    bool more = false;
    auto const work = [&](soci::session& sql) {
        auto const before = std::min(limit, from_micros(read_now(sql)) - pause_memory);
        std::vector<std::int64_t> old;
        statement ask(sql);
        ask.select("id")(" FROM pause WHERE ended_at > 0 AND ended_at < ", before, " LIMIT ", rows);
        ask.each([&](row& cells) { old.push_back(cells.number()); });
        for (auto const id : old)
            statement(sql, "DELETE FROM pause WHERE id = ", id).execute();
        more = old.size() == rows;
    };
    co_await shared_.transact(work);
    co_return more;
}

} // namespace baton::storage
