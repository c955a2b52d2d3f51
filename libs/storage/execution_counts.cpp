#include "libs/storage/execution_counts.hpp"

#include "libs/storage/ledger_range.hpp"

#include <limits>
#include <set>
#include <string_view>

namespace baton::storage {

namespace {

using protocol::service_key;

std::optional<ledger_place> last_of(soci::session& sql, ledger_place const& from, utc_time until, std::size_t rows)
{
    std::optional<ledger_place> last;
    statement ask(sql);
    ask.select("e.scheduled_at", "e.task_id", "e.run_key")(" FROM execution e", ledger_order, " WHERE ");
    in_ledger_range(ask, sql, from, until);
    ask("1 OFFSET ", rows - 1);
    ask.each([&](row& cells) {
        last.emplace();
        last->scheduled_at = cells.moment();
        last->task = cells.name<task_id>();
        last->run_key = cells.number();
    });
    return last;
}

tally read_tally(row& cells)
{
    tally found;
    for (auto* const each :
         {&found.fired, &found.succeeded, &found.failed, &found.cancelled, &found.skipped, &found.open})
        *each = cells.number();
    for (auto& each : found.lags)
        each = cells.number();
    return found;
}

// An execution that an edit cancelled before its time has not fired.
void select_counts(statement& ask)
{
    ask.select("x.project", "COALESCE(t.service, '')", "x.long_task", "x.counted",
               "SUM(CASE WHEN x.state = 'skipped' OR (x.state = 'cancelled' AND x.ended_at <= x.scheduled_at) THEN 0 "
               "ELSE 1 END)",
               "SUM(CASE WHEN x.state = 'succeeded' THEN 1 ELSE 0 END)",
               "SUM(CASE WHEN x.state IN ('failed', 'timed_out') THEN 1 ELSE 0 END)",
               "SUM(CASE WHEN x.state = 'cancelled' AND x.ended_at > x.scheduled_at THEN 1 ELSE 0 END)",
               "SUM(CASE WHEN x.state = 'skipped' THEN 1 ELSE 0 END)",
               "SUM(CASE WHEN x.due_at IS NOT NULL THEN 1 ELSE 0 END)");
    duration from = duration::min();
    for (auto const bound : lag_bounds) {
        ask.column({"SUM(CASE WHEN x.started_at - x.scheduled_at > "})(
            from, " AND x.started_at - x.scheduled_at <= ", bound, " THEN 1 ELSE 0 END)");
        from = bound;
    }
    ask.column({"SUM(CASE WHEN x.started_at - x.scheduled_at > "})(from, " THEN 1 ELSE 0 END)");
}

// The task of a run that took at least this time, or else 0.
void select_long_task(statement& ask, std::optional<duration> least)
{
    if (least)
        ask(", CASE WHEN e.state = 'succeeded' AND e.attempt = 1 AND e.finished_at - e.started_at >= ", *least,
            " THEN e.task_id ELSE 0 END AS long_task");
    else
        ask(", 0 AS long_task");
}

// Shards are not counted: the row of their broadcast is. Each task that ran for long makes a group, so the sums of a
// service may come in several groups.
void read_piece(soci::session& sql, protocol::namespace_id name_space, ledger_place const& from, utc_time until,
                std::size_t rows, std::optional<duration> long_run, counted_piece& found)
{
    statement ask(sql);
    select_counts(ask);
    ask(" FROM (SELECT e.namespace, e.project, e.task_id, e.state, e.due_at, e.started_at, e.ended_at, "
        "e.scheduled_at, CASE WHEN e.parent_id IS NULL THEN 1 ELSE 0 END AS counted");
    select_long_task(ask, long_run);
    ask(" FROM execution e", ledger_order, " WHERE ");
    in_ledger_range(ask, sql, from, until);
    ask(rows, ") x LEFT JOIN task t ON t.id = x.task_id WHERE (x.counted = 1 OR x.long_task <> 0) AND x.namespace = ",
        name_space, " GROUP BY x.project, COALESCE(t.service, ''), x.long_task, x.counted");
    std::set<task_id> tasks;
    ask.each([&](row& cells) {
        service_key key;
        key.project = cells.text();
        key.service = cells.text();
        if (auto const task = cells.number(); task != 0)
            tasks.insert(task_id{task});
        bool const counted = cells.flag();
        auto const counts = read_tally(cells);
        if (counted)
            found.counts[key] += counts;
    });
    found.long_runs.assign(tasks.begin(), tasks.end());
}

void upsert(soci::session& sql, protocol::namespace_id name_space, count_span span, utc_time since,
            tallies const& counts)
{
    std::vector<tallies::value_type> const rows(counts.begin(), counts.end());
    for (auto const chunk : chunks(sql, rows, 2)) {
        statement insert(sql,
                         "INSERT INTO execution_count (namespace, project, service, span, since, fired, succeeded, "
                         "failed, cancelled, skipped, still_open, lag_10ms, lag_30ms, lag_100ms, lag_300ms, "
                         "lag_1s, lag_3s, lag_10s, lag_60s, lag_more) VALUES ");
        char const* between = "(";
        for (auto const& [key, each] : chunk) {
            insert(fragment{between}, name_space, ", ", key.project, ", ", key.service, ", ", static_cast<int>(span),
                   ", ", since, ", ", each.fired, ", ", each.succeeded, ", ", each.failed, ", ", each.cancelled, ", ",
                   each.skipped, ", ", each.open);
            for (auto const lag : each.lags)
                insert(", ", lag);
            insert(")");
            between = ", (";
        }
        insert.on_taken("namespace, project, service, span, since",
                        {"fired", "succeeded", "failed", "cancelled", "skipped", "still_open", "lag_10ms", "lag_30ms",
                         "lag_100ms", "lag_300ms", "lag_1s", "lag_3s", "lag_10s", "lag_60s", "lag_more"});
        insert.execute();
    }
}

void select_sums(statement& ask)
{
    ask.select("SUM(fired)", "SUM(succeeded)", "SUM(failed)", "SUM(cancelled)", "SUM(skipped)", "SUM(still_open)",
               "SUM(lag_10ms)", "SUM(lag_30ms)", "SUM(lag_100ms)", "SUM(lag_300ms)", "SUM(lag_1s)", "SUM(lag_3s)",
               "SUM(lag_10s)", "SUM(lag_60s)", "SUM(lag_more)");
}

tallies sum_of_hour(soci::session& sql, protocol::namespace_id name_space, utc_time hour)
{
    tallies found;
    statement ask(sql);
    ask.select("project", "service");
    select_sums(ask);
    ask(" FROM execution_count", by_index{"execution_count_age"}, " WHERE span = 1 AND since >= ", hour,
        " AND since < ", hour + 1h, " AND namespace = ", name_space, " GROUP BY project, service");
    ask.each([&](row& cells) {
        auto project = cells.text();
        auto service = cells.text();
        found[{std::move(project), std::move(service)}] = read_tally(cells);
    });
    return found;
}

} // namespace

awaitable<counted_piece> execution_counts::count(ledger_place from, utc_time until, std::size_t rows,
                                                 std::optional<duration> long_run)
{
    auto const work = [&](soci::session& sql) {
        counted_piece piece;
        auto const last = last_of(sql, from, until, rows);
        constexpr auto end = std::numeric_limits<std::int64_t>::max();
        piece.last = last ? *last : ledger_place{until - 1us, task_id{end}, end};
        piece.more = last.has_value();
        read_piece(sql, name_space_, from, until, rows, long_run, piece);
        return piece;
    };
    co_return co_await shared_.run(work);
}

awaitable<tallies> execution_counts::skipped(utc_time from, utc_time until)
{
    auto const work = [&](soci::session& sql) {
        tallies found;
        statement ask(sql);
        ask.select("COALESCE(t.project, '')", "COALESCE(t.service, '')",
                   "r.firings")(" FROM skipped_range r", by_index{"skipped_range_age"},
                                " LEFT JOIN task t ON t.id = r.task_id WHERE r.last_at >= ", from, " AND r.last_at < ",
                                until, " AND r.namespace = ", name_space_);
        ask.each([&](row& cells) {
            auto project = cells.text();
            auto service = cells.text();
            found[{std::move(project), std::move(service)}].skipped += cells.number();
        });
        return found;
    };
    co_return co_await shared_.run(work);
}

awaitable<bool> execution_counts::put(fence mine, utc_time minute, tallies counts, bool with_hour)
{
    tally all;
    for (auto const& [key, each] : counts)
        all += each;
    counts[{}] = all;
    auto const work = [&](soci::session& sql) {
        if (!fence_holds(sql, mine))
            return false;
        upsert(sql, name_space_, count_span::minute, minute, counts);
        auto const hour = std::chrono::floor<std::chrono::hours>(minute);
        if (with_hour)
            upsert(sql, name_space_, count_span::hour, hour, sum_of_hour(sql, name_space_, hour));
        return true;
    };
    co_return co_await shared_.transact(work);
}

awaitable<std::optional<utc_time>> execution_counts::first_since(utc_time from)
{
    auto const work = [&](soci::session& sql) {
        std::optional<utc_time> found;
        statement ask(sql);
        ask.select("e.scheduled_at")(" FROM execution e", ledger_order, " WHERE e.scheduled_at >= ", from,
                                     " ORDER BY e.scheduled_at LIMIT 1");
        ask.each([&](row& cells) { found = cells.moment(); });
        return found;
    };
    co_return co_await shared_.run(work);
}

awaitable<std::vector<counted_minute>> execution_counts::minutes(utc_time since)
{
    std::vector<counted_minute> found;
    service_key const all;
    auto const rows = co_await read(count_span::minute, since, all);
    found.reserve(rows.size());
    for (auto const& each : rows)
        found.push_back({each.since, each.counts.open});
    co_return found;
}

awaitable<std::vector<count_row>> execution_counts::read(count_span span, utc_time since, service_key of)
{
    auto const work = [&](soci::session& sql) {
        std::vector<count_row> found;
        statement ask(sql);
        ask.select("since", "fired", "succeeded", "failed", "cancelled", "skipped", "still_open", "lag_10ms",
                   "lag_30ms", "lag_100ms", "lag_300ms", "lag_1s", "lag_3s", "lag_10s", "lag_60s", "lag_more");
        ask(" FROM execution_count WHERE namespace = ", name_space_, " AND project = ", of.project,
            " AND service = ", of.service, " AND span = ", static_cast<int>(span), " AND since >= ", since,
            " ORDER BY since");
        ask.each([&](row& cells) {
            auto& each = found.emplace_back();
            each.since = cells.moment();
            each.counts = read_tally(cells);
        });
        return found;
    };
    co_return co_await shared_.run(work);
}

awaitable<bool> execution_counts::forget(count_span span, utc_time limit, std::size_t rows)
{
    struct key {
        std::string project;
        std::string service;
        std::int64_t since;
    };
    auto const work = [&](soci::session& sql) {
        std::vector<key> old;
        statement ask(sql);
        ask.select("project", "service", "since")(" FROM execution_count", by_index{"execution_count_age"},
                                                  " WHERE span = ", static_cast<int>(span), " AND since < ", limit,
                                                  " AND namespace = ", name_space_, " ORDER BY since LIMIT ", rows);
        ask.each([&](row& cells) {
            auto& each = old.emplace_back();
            each.project = cells.text();
            each.service = cells.text();
            each.since = cells.number();
        });
        for (auto const& each : old)
            statement(sql, "DELETE FROM execution_count WHERE namespace = ", name_space_,
                      " AND project = ", each.project, " AND service = ", each.service,
                      " AND span = ", static_cast<int>(span), " AND since = ", each.since)
                .execute();
        return old.size() == rows;
    };
    co_return co_await shared_.transact(work);
}

} // namespace baton::storage
