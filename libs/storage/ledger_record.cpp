#include "libs/storage/late_reports.hpp"
#include "libs/storage/ledger.hpp"
#include "libs/storage/rows.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace baton::storage {

namespace {

bool is_running(result_row const& result)
{
    return result.outcome == protocol::state::running;
}

std::vector<execution_id> failures_among(std::vector<result_row> const& results)
{
    std::vector<execution_id> ids;
    for (auto const& each : results)
        if (each.outcome == protocol::state::failed || each.outcome == protocol::state::timed_out)
            ids.push_back(each.id);
    return ids;
}

// Keeps one result for each attempt, in the order of ids. A final result wins over "running", and the first final
// result over later ones. Texts are cut to fit their columns, since one that does not would fail the whole group.
std::vector<result_row> settled(std::vector<result_row> const& results)
{
    std::map<std::pair<execution_id, int>, result_row const*> chosen;
    for (auto const& each : results) {
        auto const [place, added] = chosen.try_emplace({each.id, each.attempt}, &each);
        if (!added && is_running(*place->second))
            place->second = &each;
    }
    std::vector<result_row> rows;
    for (auto const& [key, which] : chosen) {
        rows.push_back(*which);
        auto& row = rows.back();
        row.error = fitting(row.error, longest_error);
        if (row.value && row.value->size() > most_text) {
            row.error =
                "the result of " + std::to_string(row.value->size()) + " bytes was too long to keep. " + row.error;
            row.value.reset();
        }
    }
    return rows;
}

std::string_view outcome_of(result_row const& row)
{
    return row.interrupted ? std::string_view(protocol::interrupted) : protocol::to_string(row.outcome);
}

bool any_interrupted(std::span<result_row const> rows)
{
    return std::ranges::any_of(rows, &result_row::interrupted);
}

std::size_t text_of(result_row const& row)
{
    return row.error.size() + (row.value ? row.value->size() : 0);
}

// protocol::after_attempt in SQL. It holds whatever the order in which a database assigns the columns: of those that
// the statement assigns elsewhere it reads max_attempts alone, where that stays as it is.
void may_retry(batch_update& update, bool interrupted)
{
    auto const outcome = update["outcome"];
    if (interrupted)
        update.more("e.cancel_requested_at IS NULL AND (", outcome, " = 'interrupted' OR ");
    update.more("(", outcome, " IN ('failed', 'timed_out') AND e.cancel_requested_at IS NULL AND ", update["attempt"],
                " < e.max_attempts AND ", update["final"], " = 0)");
    if (interrupted)
        update.more(")");
}

// `interrupted`: one of the results may be an interruption.
void set_state(batch_update& update, soci::session& sql, bool interrupted)
{
    auto const outcome = update["outcome"];
    if (interrupted)
        update.more("max_attempts = e.max_attempts + CASE WHEN ", outcome, " = 'interrupted' THEN 1 ELSE 0 END, ");
    update.more("due_at = CASE WHEN ", outcome, " = 'running' THEN e.due_at WHEN ");
    may_retry(update, interrupted);
    update.more(" THEN ", now_us(sql), " + e.retry_delay_us ELSE NULL END, ended_at = CASE WHEN ", outcome,
                " = 'running' OR (");
    may_retry(update, interrupted);
    update.more(") THEN NULL ELSE ", now_us(sql), " END, state = CASE WHEN ");
    may_retry(update, interrupted);
    update.more(" THEN 'retrying' WHEN ", outcome,
                " IN ('failed', 'timed_out', 'interrupted') AND e.cancel_requested_at IS NOT NULL ",
                "THEN 'cancelled' WHEN ", outcome, " = 'running' AND e.state = 'stopping' THEN 'stopping' ELSE ",
                outcome, " END");
}

// A result counts once: not after the attempt has failed and waits for its successor, nor after the end. The success of
// an earlier attempt without an outcome (abandoned, because its client counted as gone) ends the execution too, since
// the work is done.
void where_awaited(batch_update& update, fragment earlier)
{
    update.where("e.due_at IS NOT NULL AND ((e.attempt = ", update["attempt"],
                 " AND e.state IN ('planned', 'running', 'stopping')) OR (e.attempt > ", update["attempt"], " AND ",
                 update["outcome"], " = 'succeeded'", earlier, "))");
}

constexpr fragment first_has_no_outcome{" AND e.outcome IS NULL"}; // the row of the execution holds the first attempt
constexpr fragment found_without_outcome{""};                      // by record_further

void set_result(batch_update& update)
{
    update.more("client = ", update["client"], ", started_at = COALESCE(", update["started"],
                ", started_at), finished_at = ", update["finished"], ", progress = ", update["progress"],
                ", result = ", update["result"], ", error = ", update["error"], ", outcome = CASE WHEN ",
                update["outcome"], " = 'running' THEN NULL ELSE ", update["outcome"], " END, ");
}

// False if some of the results are not awaited.
bool record_first(soci::session& sql, std::span<result_row const> rows, std::string const& node)
{
    batch_update update(
        sql, {"execution"},
        {"id", "attempt", "outcome", "client", "started", "finished", "progress", "result", "error", "final"});
    for (auto const& each : rows)
        update.row(each.id, each.attempt, outcome_of(each), fitting_name(each.client, longest_name), each.started_at,
                   each.finished_at, each.progress, each.value,
                   each.error.empty() ? std::nullopt : std::optional(each.error), each.final ? 1 : 0);
    update.set("node = ", fitting_name(node, longest_name), ", ");
    set_result(update);
    set_state(update, sql, any_interrupted(rows));
    where_awaited(update, first_has_no_outcome);
    return update.execute() == std::ssize(rows);
}

struct present_attempt {
    int attempt = 0;
    bool under_way = false;
};

bool is_awaited(result_row const& result, present_attempt const& present)
{
    return (present.attempt == result.attempt && present.under_way) ||
           (present.attempt > result.attempt && result.outcome == protocol::state::succeeded);
}

// The results of further attempts that are still awaited (see where_awaited), one for each execution, where a success
// wins. Locks the executions.
std::vector<result_row> lock_awaited(soci::session& sql, std::vector<result_row> const& rows)
{
    std::unordered_map<std::int64_t, present_attempt> present;
    std::vector<execution_id> ids;
    ids.reserve(rows.size());
    for (auto const& each : rows)
        ids.push_back(each.id);
    for (auto const chunk : chunks(sql, ids, 1)) {
        statement ask(sql);
        ask.select("id", "attempt", "state IN ('planned', 'running', 'stopping')")(
            " FROM execution WHERE due_at IS NOT NULL AND id IN ");
        ask.in(chunk)(" ORDER BY id", for_update(sql));
        ask.each([&](row& cells) {
            auto const id = cells.number();
            auto& found = present[id];
            found.attempt = cells.small();
            found.under_way = cells.flag();
        });
    }
    std::vector<result_row> awaited; // in the order of ids, as the rows are
    for (auto const& each : rows) {
        auto const found = present.find(each.id.value());
        if (found == present.end() || !is_awaited(each, found->second))
            continue;
        if (awaited.empty() || awaited.back().id != each.id)
            awaited.push_back(each);
        else if (awaited.back().outcome != protocol::state::succeeded)
            awaited.back() = each;
    }
    return awaited;
}

// An execution that was interrupted too often has failed. Its first attempt is in its own row.
void bound_interruptions(soci::session& sql, std::vector<result_row>& rows)
{
    std::vector<execution_id> ids;
    for (auto const& each : rows)
        if (each.interrupted && each.attempt >= protocol::most_interruptions)
            ids.push_back(each.id);
    std::unordered_map<std::int64_t, int> earlier;
    for (auto const chunk : chunks(sql, ids, 1)) {
        statement ask(sql);
        ask.select("e.id", "CASE WHEN e.outcome = 'interrupted' THEN 1 ELSE 0 END",
                   "(SELECT COUNT(*) FROM attempt a WHERE a.execution_id = e.id AND a.outcome = 'interrupted')")(
            " FROM execution e WHERE e.id IN ");
        ask.in(chunk);
        ask.each([&](row& cells) {
            auto const id = cells.number();
            auto const first = cells.small();
            earlier[id] = first + cells.small();
        });
    }
    for (auto& each : rows) {
        auto const found = earlier.find(each.id.value());
        if (found == earlier.end() || found->second + 1 < protocol::most_interruptions)
            continue;
        each.interrupted = false;
        each.final = true;
        each.error = protocol::reason_of_interruptions();
    }
}

// False when the attempt has an outcome already.
bool record_further(soci::session& sql, result_row const& each, std::string const& node)
{
    bool const running = is_running(each);
    statement update(sql, "UPDATE attempt SET node = ", fitting_name(node, longest_name),
                     ", client = ", fitting_name(each.client, longest_name), ", started_at = COALESCE(started_at, ",
                     each.started_at, "), finished_at = ", each.finished_at, ", progress = ", each.progress,
                     ", result = ", each.value,
                     ", error = ", each.error.empty() ? std::nullopt : std::optional(each.error),
                     ", outcome = ", running ? std::nullopt : std::optional(outcome_of(each)),
                     " WHERE execution_id = ", each.id, " AND attempt = ", each.attempt, " AND outcome IS NULL");
    return update.execute() == 1;
}

void record_further(soci::session& sql, std::vector<result_row> const& rows, std::string const& node)
{
    auto awaited = lock_awaited(sql, rows);
    if (awaited.size() < rows.size())
        note_late_reports(sql, rows);
    bound_interruptions(sql, awaited);
    std::erase_if(awaited, [&](auto const& each) { return !record_further(sql, each, node); });
    if (awaited.empty())
        return;
    for (auto const chunk : chunks(sql, awaited, 6)) {
        batch_update update(sql, {"execution"}, {"id", "attempt", "outcome", "started", "finished", "final"});
        for (auto const& each : chunk)
            update.row(each.id, each.attempt, outcome_of(each), each.started_at, each.finished_at, each.final ? 1 : 0);
        update.set("started_at = COALESCE(started_at, ", update["started"], "), ");
        set_state(update, sql, any_interrupted(chunk));
        where_awaited(update, found_without_outcome);
        update.execute();
    }
}

} // namespace

awaitable<void> ledger::record(std::vector<result_row> const& results, std::string node)
{
    std::vector<result_row> first;
    std::vector<result_row> further;
    for (auto& each : settled(results))
        (each.attempt == 1 ? first : further).push_back(std::move(each));
    auto const failures = failures_among(results);
    auto const slices = chunks(shared_.dialect(), first, 10, text_of);
    auto const work = [&](soci::session& sql) {
        for (auto const chunk : slices)
            if (!record_first(sql, chunk, node))
                note_late_reports(sql, chunk);
        if (!further.empty())
            record_further(sql, further, node);
        if (!failures.empty())
            add_dead_letters(sql, failures);
    };
    // As a rule a group is one statement, which needs no BEGIN and COMMIT around it. If its session turns out to be
    // lost, the statement may have been executed. It is repeated all the same, since a result that is recorded twice
    // counts once.
    if (further.empty() && failures.empty() && slices.size() <= 1) {
        try {
            co_await shared_.run(work);
            co_return;
        } catch (session_broken const&) {
            // Once more, below.
        }
    }
    co_await shared_.transact(work);
}

} // namespace baton::storage
