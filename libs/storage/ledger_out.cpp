// The watermark, and the marks of attempts that may be at a client.

#include "libs/storage/ledger.hpp"
#include "libs/storage/rows.hpp"

#include <algorithm>
#include <unordered_map>

namespace baton::storage {

namespace {

using attempts_by_id = std::unordered_map<execution_id, int>;

attempts_by_id attempts_of(std::span<protocol::attempt_key const> attempts)
{
    attempts_by_id found;
    for (auto const& each : attempts)
        found.emplace(each.execution, each.attempt);
    return found;
}

std::vector<execution_id> sorted_ids(std::vector<protocol::attempt_key> const& attempts)
{
    std::vector<execution_id> ids;
    ids.reserve(attempts.size());
    for (auto const& each : attempts)
        ids.push_back(each.execution);
    std::ranges::sort(ids, {}, [](execution_id id) { return id.value(); });
    return ids;
}

// Those of the ids that are at these attempts.
std::vector<execution_id> at_attempts(statement& ask, attempts_by_id const& wanted)
{
    std::vector<execution_id> found;
    ask.each([&](row& cells) {
        auto const id = cells.name<execution_id>();
        if (wanted.at(id) == cells.small())
            found.push_back(id);
    });
    return found;
}

void mark(soci::session& sql, std::vector<execution_id> const& ids)
{
    for (auto const chunk : chunks(sql, ids, 1))
        statement(sql, "UPDATE execution SET out_attempt = attempt WHERE due_at IS NOT NULL AND id IN ")
            .in(chunk)
            .execute();
}

struct sendable {
    std::vector<execution_id> all;
    std::vector<execution_id> kept_back; // of these, those in state `waiting`
};

// Locks those that may be sent: a change that has committed since they were collected must not be lost, and one that is
// being made is not waited for.
sendable lock_sendable(soci::session& sql, std::span<execution_id const> ids, attempts_by_id const& wanted)
{
    sendable found;
    statement lock(sql);
    lock.select("e.id", "e.attempt", "e.state");
    lock(" FROM execution e WHERE e.due_at IS NOT NULL AND e.cancel_requested_at IS NULL AND e.state IN ('planned', "
         "'waiting') AND (e.begun = 1 OR e.parent_id IS NOT NULL OR NOT EXISTS (SELECT 1 FROM stopped_task s WHERE "
         "s.task_id = e.task_id AND s.version > e.task_version AND s.line <= ",
         now_us(sql), ")) AND e.id IN ");
    lock.in(ids)(" ORDER BY e.id", skip_locked(sql));
    lock.each([&](row& cells) {
        auto const id = cells.name<execution_id>();
        bool const present = wanted.at(id) == cells.small();
        bool const waits = cells.text() == protocol::to_string(protocol::state::waiting);
        if (present)
            found.all.push_back(id);
        if (present && waits)
            found.kept_back.push_back(id);
    });
    return found;
}

// It goes on: nothing keeps it back any more.
void end_waits(soci::session& sql, std::vector<execution_id> const& ids)
{
    for (auto const chunk : chunks(sql, ids, 1)) {
        statement(sql, "UPDATE execution SET state = 'planned' WHERE id IN ").in(chunk).execute();
        statement(sql, "UPDATE waiting SET waited_until = ", now_us(sql),
                  " WHERE waited_until IS NULL AND execution_id IN ")
            .in(chunk)
            .execute();
    }
}

} // namespace

awaitable<utc_time> ledger::watermark(std::string name_space)
{
    utc_time found{};
    auto const work = [&](soci::session& sql) {
        statement(sql).select("watermark")(" FROM lock_fence WHERE namespace = ", name_space).each([&](row& answer) {
            found = answer.moment();
        });
    };
    co_await deciding_.run(work);
    co_return found;
}

awaitable<std::vector<execution_id>> ledger::mark_before_sending(fence mine,
                                                                 std::vector<protocol::attempt_key> const& attempts)
{
    auto const wanted = attempts_of(attempts);
    auto const ids = sorted_ids(attempts);
    std::vector<execution_id> marked;
    auto const work = [&](soci::session& sql) {
        marked.clear();
        touch_fence(sql, mine);
        for (auto const chunk : chunks(sql, ids, 1)) {
            auto const some = lock_sendable(sql, chunk, wanted);
            mark(sql, some.all);
            end_waits(sql, some.kept_back);
            marked.insert(marked.end(), some.all.begin(), some.all.end());
        }
    };
    co_await deciding_.transact(work);
    co_return marked;
}

awaitable<std::vector<protocol::attempt_key>>
ledger::mark_sent(fence mine, std::vector<protocol::attempt_key> const& attempts, std::optional<utc_time> raise_to)
{
    auto const wanted = attempts_of(attempts);
    auto const ids = sorted_ids(attempts);
    std::vector<protocol::attempt_key> locked;
    auto const work = [&](soci::session& sql) {
        locked.clear();
        touch_fence(sql, mine);
        for (auto const chunk : chunks(sql, ids, 1)) {
            statement lock(sql);
            lock.select("id", "attempt")(" FROM execution WHERE due_at IS NOT NULL AND id IN ");
            lock.in(chunk)(" ORDER BY id", skip_locked(sql));
            mark(sql, at_attempts(lock, wanted));
            statement left(sql);
            left.select("id", "attempt")(" FROM execution WHERE due_at IS NOT NULL AND (out_attempt IS NULL OR "
                                         "out_attempt <> attempt) AND id IN ");
            left.in(chunk);
            for (auto const id : at_attempts(left, wanted))
                locked.push_back({id, wanted.at(id)});
        }
        if (raise_to && locked.empty())
            statement(sql, "UPDATE lock_fence SET watermark = ", *raise_to, " WHERE namespace = ", mine.name_space,
                      " AND watermark < ", *raise_to)
                .execute();
    };
    co_await deciding_.transact(work);
    co_return locked;
}

awaitable<void> ledger::unmark(fence mine, std::vector<protocol::attempt_key> const& attempts)
{
    auto const wanted = attempts_of(attempts);
    auto const ids = sorted_ids(attempts);
    auto const work = [&](soci::session& sql) {
        touch_fence(sql, mine);
        for (auto const chunk : chunks(sql, ids, 1)) {
            statement lock(sql);
            lock.select("id", "attempt")(" FROM execution WHERE due_at IS NOT NULL AND id IN ");
            lock.in(chunk)(" ORDER BY id", skip_locked(sql));
            auto const some = at_attempts(lock, wanted);
            for (auto const part : chunks(sql, some, 1))
                statement(sql, "UPDATE execution SET out_attempt = NULL WHERE id IN ").in(part).execute();
        }
    };
    co_await deciding_.transact(work);
}

} // namespace baton::storage
