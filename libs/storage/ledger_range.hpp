#pragma once
// A range of the ledger in the order of its unique key. For .cpp files that hold SQL.

#include "libs/storage/ledger.hpp"
#include "libs/storage/retention.hpp"
#include "libs/storage/statement.hpp"

namespace baton::storage {

inline constexpr by_index ledger_order{"execution_firing"};

// Appends the condition on rows of `execution e` behind `from` and before `until`, in the form that the database reads
// as one range of the index, with their order and "LIMIT ".
inline void in_ledger_range(statement& ask, soci::session& sql, ledger_place const& from, utc_time until)
{
    auto const at = from.scheduled_at;
    if (dialect_of(sql).compares_rows())
        ask("(e.scheduled_at, e.task_id, e.run_key) > (", at, ", ", from.task, ", ", from.run_key, ")");
    else
        ask("((e.scheduled_at = ", at, " AND e.task_id = ", from.task, " AND e.run_key > ", from.run_key,
            ") OR (e.scheduled_at = ", at, " AND e.task_id > ", from.task, ") OR e.scheduled_at > ", at, ")");
    ask(" AND e.scheduled_at >= ", at, " AND e.scheduled_at < ", until,
        " ORDER BY e.scheduled_at, e.task_id, e.run_key LIMIT ");
}

// Does the fence stand at this epoch?
inline bool fence_holds(soci::session& sql, fence const& mine)
{
    bool found = false;
    statement(sql)
        .select("COUNT(*)")(" FROM lock_fence WHERE namespace = ", mine.name_space, " AND epoch = ", mine.epoch)
        .each([&](row& cells) { found = cells.flag(); });
    return found;
}

} // namespace baton::storage
