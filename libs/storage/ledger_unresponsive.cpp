#include "libs/storage/free_executions.hpp"
#include "libs/storage/late_reports.hpp"
#include "libs/storage/ledger.hpp"
#include "libs/storage/rows.hpp"

#include <algorithm>
#include <map>

namespace baton::storage {

namespace {

// Of these, whose rows are locked, those that are at their attempt.
std::vector<unresponsive_attempt> at_attempt(soci::session& sql, std::vector<execution_id> const& free,
                                             std::vector<unresponsive_attempt> const& wanted)
{
    std::map<execution_id, unresponsive_attempt const*> by_id;
    for (auto const& each : wanted)
        by_id[each.id] = &each;
    std::vector<unresponsive_attempt> open;
    for (auto const chunk : chunks(sql, free, 1)) {
        statement ask(sql);
        ask.select("id", "attempt")(" FROM execution WHERE id IN ").in(chunk)(" ORDER BY id");
        ask.each([&](row& cells) {
            auto const* which = by_id.at(cells.name<execution_id>());
            if (cells.small() == which->attempt)
                open.push_back(*which);
        });
    }
    return open;
}

// The attempt has no result, and will have none that counts.
void note_attempt(soci::session& sql, unresponsive_attempt const& one)
{
    auto const first = one.attempt == 1;
    statement note(sql, "UPDATE ", fragment{first ? "execution" : "attempt"},
                   " SET outcome = ", protocol::to_string(one.state), ", finished_at = ", now_us(sql),
                   ", client = ", fitting_name(one.client, longest_name), ", error = ", one.reason, " WHERE ",
                   fragment{first ? "id" : "execution_id"}, " = ", one.id, " AND outcome IS NULL");
    if (!first)
        note(" AND attempt = ", one.attempt);
    note.execute();
}

void end_one(soci::session& sql, protocol::namespace_id name_space, unresponsive_attempt const& one)
{
    expect_late_report(sql, one.id, one.runs());
    note_attempt(sql, one);
    statement(sql, "UPDATE execution SET state = ", protocol::to_string(one.state),
              ", due_at = NULL, ended_at = ", now_us(sql), ", reason = COALESCE(reason, ",
              fitting(one.reason, longest_reason), ") WHERE id = ", one.id)
        .execute();
    statement(sql, "INSERT INTO unresponsive (execution_id, namespace, attempt, client, since) VALUES (", one.id, ", ",
              name_space, ", ", one.runs(), ", ", fitting_name(one.client, longest_name), ", ", now_us(sql), ")")
        .execute();
}

std::vector<execution_id> with_rows(soci::session& sql, std::vector<execution_id> const& ids)
{
    std::vector<execution_id> found;
    for (auto const chunk : chunks(sql, ids, 1)) {
        statement ask(sql);
        ask.select("execution_id")(" FROM unresponsive WHERE execution_id IN ").in(chunk);
        ask.each([&](row& cells) { found.push_back(cells.name<execution_id>()); });
    }
    return found;
}

} // namespace

awaitable<ended_runs> ledger::end_unresponsive(fence mine, std::vector<unresponsive_attempt> const& attempts)
{
    std::vector<execution_id> ids;
    ids.reserve(attempts.size());
    for (auto const& each : attempts)
        ids.push_back(each.id);
    auto const work = [&](soci::session& sql) {
        touch_fence(sql, mine);
        auto some = lock_executions(sql, ids);
        auto const open = at_attempt(sql, some.free, attempts);
        for (auto const& each : open)
            end_one(sql, name_space_, each);
        ended_runs done{with_rows(sql, ids), std::move(some.locked)}; // also those of an earlier try, answered or not
        add_dead_letters(sql, done.ended);
        return done;
    };
    co_return co_await deciding_.transact(work);
}

awaitable<void> ledger::note_unresponsive(fence mine, std::vector<unresponsive_attempt> const& attempts)
{
    auto const work = [&](soci::session& sql) {
        touch_fence(sql, mine);
        for (auto const& each : attempts)
            statement(sql, "INSERT INTO unresponsive (execution_id, namespace, attempt, client, since) SELECT id, ",
                      name_space_, ", ", each.runs(), ", ", fitting_name(each.client, longest_name), ", ", now_us(sql),
                      " FROM execution WHERE due_at IS NULL AND NOT EXISTS (SELECT 1 FROM unresponsive u WHERE "
                      "u.execution_id = execution.id) AND id = ",
                      each.id)
                .execute();
    };
    co_await deciding_.transact(work);
}

awaitable<std::vector<unresponsive_row>> ledger::unresponsive()
{
    std::vector<unresponsive_row> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        statement ask(sql);
        ask.select("u.execution_id", "u.attempt", "u.client", "e.task_id", "e.task_version", "e.scheduled_at",
                   "COALESCE(e.payload, p.payload)", "v.definition");
        ask(" FROM unresponsive u JOIN execution e ON e.id = u.execution_id LEFT JOIN task_version v ON ",
            "v.task_id = e.task_id AND v.version = e.task_version LEFT JOIN execution p ON p.id = e.parent_id WHERE ",
            "u.namespace = ", name_space_);
        ask.each([&](row& cells) {
            auto& one = found.emplace_back();
            one.id = cells.name<execution_id>();
            one.attempt = cells.small();
            one.client = cells.text();
            one.task = cells.name<task_id>();
            one.version = cells.small();
            one.scheduled_at = cells.moment();
            one.payload = cells.maybe_text();
            one.definition = cells.text();
        });
    };
    co_await deciding_.run(work);
    co_return found;
}

awaitable<std::vector<execution_id>> ledger::still_unresponsive(std::vector<execution_id> const& ids)
{
    auto const work = [&](soci::session& sql) { return with_rows(sql, ids); };
    co_return co_await shared_.run(work);
}

awaitable<void> ledger::forget_unresponsive(fence mine, std::vector<execution_id> const& ids)
{
    auto const work = [&](soci::session& sql) {
        touch_fence(sql, mine);
        for (auto const chunk : chunks(sql, ids, 1)) {
            statement remove(sql);
            remove.delete_from("unresponsive")("e.execution_id IN ").in(chunk).execute();
        }
    };
    co_await deciding_.transact(work);
}

} // namespace baton::storage
