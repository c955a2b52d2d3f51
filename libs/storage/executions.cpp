#include "libs/storage/executions.hpp"

#include "libs/storage/fresh_ids.hpp"
#include "libs/storage/task_row.hpp"

namespace baton::storage {

namespace {

struct known_key {
    std::string fingerprint;
    execution_id execution;
    std::int64_t created_at = 0;
};

std::optional<known_key> find_key(soci::session& sql, std::string const& project, std::string const& key)
{
    std::optional<known_key> found;
    statement(sql)
        .select("fingerprint", "execution_id", "created_at")(" FROM idempotency WHERE project = ", project,
                                                             " AND `key` = ", key)
        .each([&](row& cells) {
            found.emplace();
            found->fingerprint = cells.text();
            found->execution = cells.name<execution_id>();
            found->created_at = cells.number();
        });
    return found;
}

// Deletes the expired key, unless another call has replaced it since it was read.
void forget_key(soci::session& sql, std::string const& project, std::string const& key, known_key const& seen)
{
    statement(sql, "DELETE FROM idempotency WHERE project = ", project, " AND `key` = ", key,
              " AND created_at = ", seen.created_at)
        .execute();
}

new_execution make_run(run_request const& request, task_record const& task, execution_id id, utc_time now)
{
    auto row = make_execution(id, task.id, task.version, task.definition, now);
    row.cause = request.force ? protocol::cause::forced : protocol::cause::manual;
    row.payload = request.payload;
    return row;
}

run_result run(soci::session& sql, protocol::namespace_id name_space, run_request const& request, execution_id id,
               signal_id signal)
{
    auto const task = find_task(sql, name_space, request.task, false);
    if (!task)
        return {run_outcome::not_found, {}, {}};
    auto const now = read_now(sql);
    auto const& project = task->record.definition.project;
    if (request.idempotency_key) {
        auto const known = find_key(sql, project, *request.idempotency_key);
        if (known && known->created_at >= now - key_lifetime.count()) {
            bool const same = known->fingerprint == request.fingerprint;
            return {same ? run_outcome::repeated : run_outcome::key_reused, known->execution, {}};
        }
        if (known) // expired; retention deletes the others
            forget_key(sql, project, *request.idempotency_key, *known);
        statement(sql, "INSERT INTO idempotency (project, `key`, fingerprint, execution_id, created_at) VALUES (",
                  project, ", ", *request.idempotency_key, ", ", request.fingerprint, ", ", id, ", ", now, ")")
            .execute();
    }
    protocol::term_id const present{name_space, read_epoch(sql)};
    insert_executions(sql, present, {make_run(request, task->record, id, from_micros(now))});
    insert_signal(sql, name_space, signal, protocol::signal_kind::run, id.value());
    return {run_outcome::created, id, signal};
}

// The state of the execution, and whether it is open.
std::optional<std::pair<protocol::state, bool>> read_state(soci::session& sql, protocol::namespace_id name_space,
                                                           execution_id id)
{
    std::optional<std::pair<protocol::state, bool>> found;
    statement(sql)
        .select("state", "due_at IS NOT NULL")(" FROM execution WHERE id = ", id, " AND namespace = ", name_space)
        .each([&](row& cells) {
            auto const state = protocol::parse<protocol::state>(cells.text(), "state");
            found.emplace(state, cells.flag());
        });
    return found;
}

std::int64_t mark_cancelled(soci::session& sql, fragment column, execution_id id)
{
    return statement(sql, "UPDATE execution SET cancel_requested_at = COALESCE(cancel_requested_at, ", now_us(sql),
                     ") WHERE ", column, " = ", id, " AND due_at IS NOT NULL")
        .execute();
}

// Each statement stands for itself: a web that stalls between two of them must not hold a lock on the execution, for
// which a master would wait. A signal that is missing then costs the master a second, as it compares its executions
// with the ledger.
cancel_result request(soci::session& sql, protocol::namespace_id name_space, execution_id id, signal_id signal)
{
    auto const found = read_state(sql, name_space, id);
    if (!found)
        return {cancel_outcome::not_found, {}, {}};
    auto const [state, open] = *found;
    if (!open || mark_cancelled(sql, {"id"}, id) == 0)
        return {cancel_outcome::already_ended, open ? read_state(sql, name_space, id)->first : state, {}};
    mark_cancelled(sql, {"parent_id"}, id); // its shards, if it is a broadcast
    insert_signal(sql, name_space, signal, protocol::signal_kind::cancel, id.value());
    return {cancel_outcome::requested, state, signal};
}

} // namespace

awaitable<run_result> executions::run_now(run_request request, id_generator& ids)
{
    execution_id id;
    signal_id signal;
    auto const work = [&](soci::session& sql) {
        return try_again_if_taken([&] { return run(sql, name_space_, request, id, signal); });
    };
    auto const once = [&]() -> awaitable<run_result> {
        id = ids.make<execution_id>();
        signal = ids.make<signal_id>();
        co_return co_await shared_.transact(work);
    };
    co_return co_await with_fresh_ids(once, "no free id for an execution");
}

awaitable<cancel_result> executions::request_cancel(execution_id id, id_generator& ids)
{
    signal_id signal;
    auto const work = [&](soci::session& sql) {
        return try_again_if_taken([&] { return request(sql, name_space_, id, signal); });
    };
    auto const once = [&]() -> awaitable<cancel_result> {
        signal = ids.make<signal_id>();
        co_return co_await shared_.run(work);
    };
    co_return co_await with_fresh_ids(once, "no free id for a signal");
}

} // namespace baton::storage
