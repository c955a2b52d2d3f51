#include "libs/storage/firing_counts.hpp"
#include "libs/storage/free_executions.hpp"
#include "libs/storage/ledger.hpp"
#include "libs/storage/rows.hpp"

#include <algorithm>
#include <unordered_map>

namespace baton::storage {

namespace {

constexpr std::size_t longest_error_of_many = 4'000; // a statement with 500 stays well below max_allowed_packet

struct open_attempt {
    int number = 0;
    bool retrying = false; // its failure is recorded
};

// Which of the wanted attempts may begin; their rows are locked from here on. One that another transaction has locked
// may not, as if it had changed. An attempt whose failure is recorded was not lost: its successor waits for the pause
// of the retry policy.
std::vector<next_attempt> lock_beginnable(soci::session& sql, std::vector<next_attempt> const& wanted)
{
    std::unordered_map<std::int64_t, open_attempt> present;
    std::vector<execution_id> ids;
    ids.reserve(wanted.size());
    for (auto const& each : wanted)
        ids.push_back(each.id);
    for (auto const chunk : chunks(sql, ids, 1)) {
        statement ask(sql);
        ask.select("id", "attempt", "state = 'retrying'")(
            " FROM execution WHERE due_at IS NOT NULL AND cancel_requested_at IS NULL AND id IN ");
        ask.in(chunk)(" ORDER BY id", skip_locked(sql));
        ask.each([&](row& cells) {
            auto const id = cells.number();
            auto& found = present[id];
            found.number = cells.small();
            found.retrying = cells.flag();
        });
    }
    std::vector<next_attempt> able;
    for (auto const& each : wanted) {
        auto const found = present.find(each.id.value());
        if (found == present.end() || found->second.number != each.attempt ||
            (found->second.retrying && protocol::replaces_lost(each.cause)))
            continue;
        able.push_back(each);
        present.erase(found); // named twice, it begins once
    }
    return able;
}

// "given up: client_gone; client-1 had it since 2026-11-24T22:00:00Z"
std::string why_given_up(next_attempt const& lost)
{
    auto why = "given up: " + std::string(protocol::to_string(lost.cause));
    if (!lost.client.empty())
        why += "; " + lost.client + " had it" + (lost.since ? " since " + to_rfc3339(*lost.since) : "");
    return why;
}

void note_given_up(soci::session& sql, std::vector<next_attempt const*> const& lost, fragment table, fragment key)
{
    batch_update update(sql, table, {"id", "attempt", "error", "client"}, key);
    for (auto const* each : lost)
        update.row(each->id, each->attempt, fitting(why_given_up(*each), longest_error_of_many),
                   each->client.empty() ? std::nullopt : fitting_name(each->client, longest_name));
    update.set("error = ", update["error"], ", client = COALESCE(e.client, ", update["client"], ")");
    update.where("e.outcome IS NULL AND e.attempt = ", update["attempt"]);
    update.execute();
}

// Notes the cause in each attempt without a result, which its client or node can no longer report.
void give_up_silent(soci::session& sql, std::span<next_attempt const> chunk)
{
    std::vector<next_attempt const*> first;
    std::vector<next_attempt const*> further;
    for (auto const& each : chunk)
        if (protocol::replaces_lost(each.cause))
            (each.attempt == 1 ? first : further).push_back(&each);
    if (!first.empty())
        note_given_up(sql, first, {"execution"}, {"id"});
    if (!further.empty())
        note_given_up(sql, further, {"attempt"}, {"execution_id"});
}

void begin_chunk(soci::session& sql, std::span<next_attempt const> chunk, std::int64_t epoch)
{
    give_up_silent(sql, chunk);
    batch_update update(sql, {"execution"}, {"id", "attempt", "due", "more", "died", "begun"});
    for (auto const& each : chunk) // an attempt that was lost does not count against the task's own
        update.row(each.id, each.attempt + 1, each.due_at, protocol::replaces_lost(each.cause) ? 1 : 0,
                   each.died ? 1 : 0, each.begun ? 1 : 0);
    update.set("attempt = ", update["attempt"], ", max_attempts = max_attempts + ", update["more"],
               ", deaths = deaths + ", update["died"], ", begun = CASE WHEN ", update["begun"],
               " = 1 THEN 1 ELSE begun END", ", due_at = ", update["due"], ", state = 'planned'");
    update.where("e.due_at IS NOT NULL");
    update.execute();

    statement insert(sql, "INSERT INTO attempt (execution_id, attempt, cause, due_at, epoch) VALUES ");
    for (std::size_t i = 0; i < chunk.size(); ++i)
        insert(fragment{i == 0 ? "(" : ", ("}, chunk[i].id, ", ", chunk[i].attempt + 1, ", ",
               protocol::to_string(chunk[i].cause), ", ", chunk[i].due_at, ", ", epoch, ")");
    insert.execute();
}

void cancel_open(soci::session& sql, std::vector<execution_id> const& ids, std::string const& reason)
{
    for (auto const chunk : chunks(sql, ids, 1)) {
        statement end(sql, "UPDATE execution SET state = 'cancelled', due_at = NULL, ended_at = ", now_us(sql),
                      ", reason = COALESCE(reason, ", fitting(reason, longest_reason),
                      ") WHERE due_at IS NOT NULL AND id IN ");
        end.in(chunk).execute();
    }
}

void skip_unsent(soci::session& sql, std::vector<execution_id> const& ids, std::string const& reason)
{
    for (auto const chunk : chunks(sql, ids, 1)) {
        statement end(sql, "UPDATE execution SET state = 'skipped', due_at = NULL, ended_at = ", now_us(sql),
                      ", reason = ", fitting(reason, longest_reason),
                      " WHERE due_at IS NOT NULL AND begun = 0 AND state IN ('planned', 'waiting') AND id IN ");
        end.in(chunk).execute();
    }
}

void fail_open(soci::session& sql, std::vector<undeliverable> const& executions)
{
    for (auto const chunk : chunks(sql, executions, 5)) {
        batch_update update(sql, {"execution"}, {"id", "reason", "error", "died", "state"});
        for (auto const& each : chunk)
            update.row(each.id, fitting(each.reason, longest_reason), fitting(each.reason, longest_error_of_many),
                       each.died ? 1 : 0, protocol::to_string(each.state));
        update.set("state = ", update["state"], ", due_at = NULL, ended_at = ", now_us(sql),
                   ", reason = ", update["reason"], ", error = ", update["error"], ", deaths = e.deaths + ",
                   update["died"]);
        update.where("e.due_at IS NOT NULL");
        update.execute();
    }
}

struct shards_of {
    std::int64_t open = 0;
    std::int64_t succeeded = 0;
    std::int64_t all = 0;
};

std::unordered_map<std::int64_t, shards_of> count_shards(soci::session& sql, std::span<execution_id const> parents)
{
    std::unordered_map<std::int64_t, shards_of> counts;
    statement ask(sql);
    ask.select("parent_id", "COUNT(*)", "COUNT(due_at)", "COUNT(CASE WHEN state = 'succeeded' THEN 1 END)");
    ask(" FROM execution WHERE parent_id IN ").in(parents)(" GROUP BY parent_id");
    ask.each([&](row& cells) {
        auto& count = counts[cells.number()];
        count.all = cells.number();
        count.open = cells.number();
        count.succeeded = cells.number();
    });
    return counts;
}

// Their broadcast has ended without them.
void cancel_shards(soci::session& sql, execution_id parent)
{
    statement(sql, "UPDATE execution SET cancel_requested_at = COALESCE(cancel_requested_at, ", now_us(sql),
              "), reason = COALESCE(reason, 'another shard of its broadcast has succeeded') WHERE due_at IS NOT NULL "
              "AND parent_id = ",
              parent)
        .execute();
}

void close_chunk(soci::session& sql, std::span<execution_id const> parents, std::set<execution_id> const& ended_by_any,
                 std::vector<execution_id>& closed)
{
    std::unordered_map<std::int64_t, bool> cancel_requested;
    std::vector<execution_id> open;
    statement ask(sql);
    ask.select("id", "cancel_requested_at IS NOT NULL")(" FROM execution WHERE due_at IS NOT NULL AND id IN ");
    ask.in(parents)(" ORDER BY id", skip_locked(sql)); // what is locked is looked at again
    ask.each([&](row& cells) {
        open.push_back(cells.name<execution_id>());
        cancel_requested[open.back().value()] = cells.flag();
    });
    if (open.empty())
        return;
    auto const counts = count_shards(sql, open);
    std::vector<execution_id> failed;
    for (auto const parent : open) {
        auto const found = counts.find(parent.value());
        bool const expanded = found != counts.end();
        bool const cancelled = cancel_requested.at(parent.value());
        bool const by_any = expanded && found->second.succeeded > 0 && ended_by_any.contains(parent);
        if (!by_any && (expanded ? found->second.open > 0 : !cancelled))
            continue; // for its shards, or for a client to expand it to
        bool const all = by_any || (expanded && found->second.succeeded == found->second.all);
        if (by_any && found->second.open > 0)
            cancel_shards(sql, parent);
        auto const ended = all         ? protocol::state::succeeded
                           : cancelled ? protocol::state::cancelled
                                       : protocol::state::failed;
        statement(sql, "UPDATE execution SET due_at = NULL, ended_at = ", now_us(sql), ", finished_at = ", now_us(sql),
                  ", outcome = ", protocol::to_string(ended), ", state = ", protocol::to_string(ended),
                  " WHERE id = ", parent)
            .execute();
        closed.push_back(parent);
        if (ended == protocol::state::failed)
            failed.push_back(parent);
    }
    if (!failed.empty())
        add_failures(sql, failed);
}

} // namespace

awaitable<std::vector<execution_id>> ledger::begin_attempts(fence mine, std::vector<next_attempt> const& attempts)
{
    auto wanted = attempts;
    std::sort(wanted.begin(), wanted.end(),
              [](next_attempt const& a, next_attempt const& b) { return a.id.value() < b.id.value(); });
    std::vector<execution_id> begun;
    auto const work = [&](soci::session& sql) {
        begun.clear();
        touch_fence(sql, mine);
        auto const able = lock_beginnable(sql, wanted);
        for (auto const chunk : chunks(sql, able, 6))
            begin_chunk(sql, chunk, mine.epoch);
        for (auto const& each : able)
            begun.push_back(each.id);
    };
    co_await deciding_.transact(work);
    co_return begun;
}

awaitable<std::vector<execution_id>> ledger::cancel(fence mine, std::vector<execution_id> const& ids,
                                                    std::string reason)
{
    auto const work = [&](soci::session& sql) {
        touch_fence(sql, mine);
        auto some = lock_executions(sql, ids);
        cancel_open(sql, some.free, reason);
        return std::move(some.locked);
    };
    co_return co_await deciding_.transact(work);
}

awaitable<skipped_runs> ledger::skip(fence mine, std::vector<execution_id> const& ids, std::string reason)
{
    auto const work = [&](soci::session& sql) {
        touch_fence(sql, mine);
        auto some = lock_executions(sql, ids);
        auto done = give_back_unsent(sql, some.free);
        std::erase_if(some.free, [&](auto id) { return std::ranges::find(done.left, id) != done.left.end(); });
        skip_unsent(sql, some.free, reason);
        done.left.insert(done.left.end(), some.locked.begin(), some.locked.end());
        return done;
    };
    co_return co_await deciding_.transact(work);
}

awaitable<std::vector<execution_id>> ledger::request_cancel(fence mine, std::vector<execution_id> const& ids,
                                                            std::string reason)
{
    auto const work = [&](soci::session& sql) {
        touch_fence(sql, mine);
        auto some = lock_executions(sql, ids);
        for (auto const chunk : chunks(sql, some.free, 1)) {
            statement mark(sql, "UPDATE execution SET cancel_requested_at = COALESCE(cancel_requested_at, ",
                           now_us(sql), "), reason = COALESCE(reason, ", fitting(reason, longest_reason),
                           ") WHERE due_at IS NOT NULL AND id IN ");
            mark.in(chunk).execute();
        }
        return std::move(some.locked);
    };
    co_return co_await deciding_.transact(work);
}

awaitable<std::vector<execution_id>> ledger::fail(fence mine, std::vector<undeliverable> const& executions)
{
    std::vector<execution_id> ids;
    ids.reserve(executions.size());
    for (auto const& each : executions)
        ids.push_back(each.id);
    auto const work = [&](soci::session& sql) {
        touch_fence(sql, mine);
        auto some = lock_executions(sql, ids);
        fail_open(sql, items_of(some.free, executions));
        auto ended = ids; // also those of an earlier try whose answer was lost
        std::erase_if(ended, [&](auto id) { return std::ranges::find(some.locked, id) != some.locked.end(); });
        add_dead_letters(sql, ended);
        return std::move(some.locked);
    };
    co_return co_await deciding_.transact(work);
}

awaitable<bool> ledger::expand(fence mine, execution_id parent, std::vector<new_execution> const& shards)
{
    auto const work = [&](soci::session& sql) {
        touch_fence(sql, mine);
        statement mark(sql, "UPDATE execution SET started_at = COALESCE(started_at, ", now_us(sql),
                       "), state = 'running' WHERE id = ", parent,
                       " AND due_at IS NOT NULL AND cancel_requested_at IS NULL AND NOT EXISTS "
                       "(SELECT 1 FROM (SELECT id FROM execution WHERE parent_id = ",
                       parent, ") shard)");
        if (mark.execute() != 1)
            return false;
        statement(sql, "UPDATE waiting SET waited_until = ", now_us(sql),
                  " WHERE waited_until IS NULL AND execution_id = ", parent)
            .execute();
        insert_executions(sql, {name_space_, mine.epoch}, shards);
        return true;
    };
    co_return co_await deciding_.transact(work);
}

awaitable<std::vector<execution_id>> ledger::close_parents(fence mine, std::vector<execution_id> const& parents,
                                                           std::set<execution_id> const& ended_by_any)
{
    std::vector<execution_id> closed;
    auto const work = [&](soci::session& sql) {
        closed.clear();
        touch_fence(sql, mine);
        for (auto const chunk : chunks(sql, parents, 1))
            close_chunk(sql, chunk, ended_by_any, closed);
    };
    co_await deciding_.transact(work);
    co_return closed;
}

} // namespace baton::storage
