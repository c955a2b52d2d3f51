#include "libs/storage/free_executions.hpp"

#include "libs/storage/detail.hpp"

#include <unordered_set>

namespace baton::storage {

namespace {

std::vector<execution_id> open_among(soci::session& sql, std::vector<execution_id> const& ids, fragment lock)
{
    std::vector<execution_id> found;
    for (auto const chunk : chunks(sql, ids, 1)) {
        statement ask(sql);
        ask.select("id")(" FROM execution WHERE due_at IS NOT NULL AND id IN ").in(chunk)(" ORDER BY id", lock);
        ask.each([&](row& cells) { found.push_back(cells.name<execution_id>()); });
    }
    return found;
}

} // namespace

free_and_locked lock_executions(soci::session& sql, std::vector<execution_id> const& ids)
{
    free_and_locked out{open_among(sql, ids, skip_locked(sql))};
    if (out.free.size() == ids.size() || !dialect_of(sql).locks_rows())
        return out;
    std::unordered_set<execution_id> const free(out.free.begin(), out.free.end());
    std::vector<execution_id> missing;
    for (auto const id : ids)
        if (!free.contains(id))
            missing.push_back(id);
    out.locked = open_among(sql, missing, fragment{""});
    return out;
}

} // namespace baton::storage
