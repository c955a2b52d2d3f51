// Executions that limits keep back, and the states of slow rate limits.

#include "libs/storage/executions.hpp"
#include "libs/storage/free_executions.hpp"
#include "libs/storage/ledger.hpp"
#include "libs/storage/retention.hpp"
#include "libs/storage/rows.hpp"

namespace baton::storage {

namespace {

void write_states(soci::session& sql, protocol::namespace_id name_space, std::vector<limit_state> const& states)
{
    for (auto const chunk : chunks(sql, states, 2)) {
        statement write(sql, "INSERT INTO limit_state (namespace, task_id, project, service, full_at) VALUES ");
        for (auto const& each : chunk)
            write(fragment{&each == &chunk.front() ? "(" : ", ("}, name_space, ", ", each.task, ", ", each.of.project,
                  ", ", each.of.service, ", ", each.full_at, ")");
        write.on_taken("namespace, task_id, project, service", {"full_at"}).execute();
    }
}

} // namespace

awaitable<std::vector<execution_id>> ledger::keep_back(fence mine, std::vector<kept_back> const& executions)
{
    std::vector<execution_id> ids;
    ids.reserve(executions.size());
    for (auto const& each : executions)
        ids.push_back(each.id);
    auto const work = [&](soci::session& sql) {
        touch_fence(sql, mine);
        auto some = lock_executions(sql, ids);
        for (auto const chunk : chunks(sql, some.free, 1))
            statement(sql, "UPDATE execution SET state = 'waiting' WHERE due_at IS NOT NULL AND state = 'planned' AND "
                           "(out_attempt IS NULL OR out_attempt <> attempt) AND id IN ")
                .in(chunk)
                .execute();
        auto const noted = items_of(some.free, executions);
        for (auto const chunk : chunks(sql, noted, 1)) {
            statement note(sql, "INSERT INTO waiting (execution_id, since, blocker) VALUES ");
            for (auto const& each : chunk)
                note(fragment{&each == &chunk.front() ? "(" : ", ("}, each.id, ", ", each.since, ", ",
                     protocol::to_string(each.blocker), ")");
            note.on_taken("execution_id, since", {"blocker"}).execute();
        }
        return std::move(some.locked);
    };
    co_return co_await deciding_.transact(work);
}

awaitable<void> ledger::record_limit_states(fence mine, std::vector<limit_state> const& states)
{
    auto const work = [&](soci::session& sql) {
        touch_fence(sql, mine);
        write_states(sql, name_space_, states);
    };
    co_await deciding_.transact(work);
}

awaitable<std::vector<limit_state>> ledger::limit_states()
{
    std::vector<limit_state> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        statement ask(sql);
        ask.select("task_id", "project", "service", "full_at")(" FROM limit_state WHERE namespace = ", name_space_,
                                                               " AND full_at > ", now_us(sql));
        ask.each([&](row& cells) {
            auto& one = found.emplace_back();
            one.task = cells.name<task_id>();
            one.of.project = cells.text();
            one.of.service = cells.text();
            one.full_at = cells.moment();
        });
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<std::map<execution_id, std::vector<wait_record>>> executions::waits(std::vector<execution_id> ids)
{
    std::map<execution_id, std::vector<wait_record>> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        for (auto const chunk : chunks(sql, ids, 1)) {
            statement ask(sql);
            ask.select("execution_id", "blocker", "since", "waited_until")(" FROM waiting WHERE execution_id IN ");
            ask.in(chunk)(" ORDER BY execution_id, since");
            ask.each([&](row& cells) {
                auto& one = found[cells.name<execution_id>()].emplace_back();
                one.blocker = protocol::parse<protocol::blocker>(cells.text(), "blocker");
                one.since = cells.moment();
                one.until = cells.maybe_moment();
            });
        }
    };
    co_await shared_.run(work);
    co_return found;
}

awaitable<bool> retention::limit_states(std::size_t rows)
{
    bool more = false;
    auto const work = [&](soci::session& sql) {
        auto last = read_now(sql);
        more = false;
        statement(sql)
            .select("full_at")(" FROM limit_state WHERE full_at <= ", last, " ORDER BY full_at LIMIT 1 OFFSET ",
                               rows - 1)
            .each([&](row& cells) {
                last = cells.number();
                more = true;
            });
        statement(sql).delete_from("limit_state", "limit_state_age")("e.full_at <= ", last).execute();
    };
    co_await shared_.run(work);
    co_return more;
}

} // namespace baton::storage
