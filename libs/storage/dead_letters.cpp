#include "libs/storage/dead_letters.hpp"

#include "libs/storage/fresh_ids.hpp"
#include "libs/storage/rows.hpp"
#include "libs/storage/task_parents.hpp"
#include "libs/storage/task_row.hpp"
#include "libs/storage/topic_versions.hpp"

namespace baton::storage {

namespace {

struct locked_letter {
    protocol::resolution resolution = protocol::resolution::open;
    std::optional<execution_id> rerun;
};

std::optional<locked_letter> lock_letter(soci::session& sql, protocol::namespace_id name_space, execution_id id)
{
    std::optional<locked_letter> found;
    statement(sql)
        .select("resolution", "rerun")(" FROM dead_letter WHERE execution_id = ", id, " AND namespace = ", name_space,
                                       for_update(sql))
        .each([&](row& cells) {
            found.emplace();
            found->resolution = protocol::parse<protocol::resolution>(cells.text(), "resolution");
            if (auto const rerun = cells.maybe_number())
                found->rerun = execution_id{*rerun};
        });
    return found;
}

// The parts of a failed execution that its rerun takes over.
struct estate {
    task_id task;
    int version = 0;
    utc_time scheduled_at;
    int shard_index = 0;
    int shard_total = 1;
    std::optional<std::string> shard_instance;
    std::optional<std::string> payload; // null: that of its version of the task
};

estate read_estate(soci::session& sql, execution_id id)
{
    estate left;
    statement ask(sql);
    ask.select("e.task_id", "e.task_version", "e.scheduled_at", "e.shard_index", "e.shard_total", "e.shard_instance",
               "COALESCE(e.payload, p.payload)");
    ask(" FROM execution e LEFT JOIN execution p ON p.id = e.parent_id WHERE e.id = ", id);
    ask.each([&](row& cells) {
        left.task = cells.name<task_id>();
        left.version = cells.small();
        left.scheduled_at = cells.moment();
        left.shard_index = cells.small();
        left.shard_total = cells.small();
        left.shard_instance = cells.maybe_text();
        left.payload = cells.maybe_text();
    });
    return left;
}

// The payload of that version of the task; nothing if the version is unknown.
std::optional<std::string> payload_of_version(soci::session& sql, task_id task, int version)
{
    std::optional<std::string> found;
    statement(sql)
        .select("definition")(" FROM task_version WHERE task_id = ", task, " AND version = ", version)
        .each([&](row& cells) {
            auto const document = nlohmann::json::parse(cells.text(), nullptr, false);
            if (document.is_object() && document.contains("payload"))
                found = document.at("payload").dump();
        });
    return found;
}

void insert_rerun(soci::session& sql, protocol::namespace_id name_space, new_execution const& row, estate const& left,
                  execution_id dead)
{
    statement(sql,
              "INSERT INTO execution (id, namespace, project, task_id, task_version, scheduled_at, run_key, cause, "
              "state, due_at, attempt, max_attempts, retry_delay_us, epoch, shard_index, shard_total, shard_instance, "
              "payload, rerun_of, created_at) VALUES (",
              row.id, ", ", name_space, ", ", row.project, ", ", row.task, ", ", row.version, ", ", row.scheduled_at,
              ", ", row.id, ", ", protocol::to_string(protocol::cause::rerun), ", 'planned', ", now_us(sql), ", 1, ",
              row.max_attempts, ", ", row.retry_delay, ", ", read_epoch(sql), ", ", left.shard_index, ", ",
              left.shard_total, ", ", left.shard_instance, ", ", row.payload, ", ", dead, ", ", now_us(sql), ")")
        .execute();
}

void resolve(soci::session& sql, execution_id id, protocol::resolution how, std::optional<execution_id> rerun)
{
    statement(sql, "UPDATE dead_letter SET resolution = ", protocol::to_string(how), ", resolved_at = ", now_us(sql),
              ", rerun = ", rerun, " WHERE execution_id = ", id)
        .execute();
}

bool still_runs(soci::session& sql, execution_id id)
{
    bool found = false;
    statement(sql).select("COUNT(*)")(" FROM unresponsive WHERE execution_id = ", id).each([&](row& cells) {
        found = cells.flag();
    });
    return found;
}

// Nothing if it is open; its row is locked then.
std::optional<resolved_letter> why_not(soci::session& sql, protocol::namespace_id name_space, execution_id id)
{
    auto const letter = lock_letter(sql, name_space, id);
    if (!letter)
        return resolved_letter{id, resolve_outcome::not_dead, {}};
    if (letter->resolution != protocol::resolution::open)
        return resolved_letter{id, resolve_outcome::resolved, letter->rerun};
    return std::nullopt;
}

resolved_letter retry_one(soci::session& sql, protocol::namespace_id name_space, execution_id dead, execution_id fresh,
                          std::optional<std::string> const& payload)
{
    if (auto const refused = why_not(sql, name_space, dead))
        return *refused;
    if (still_runs(sql, dead))
        return {dead, resolve_outcome::still_runs, {}};
    auto const left = read_estate(sql, dead);
    auto const task = find_task(sql, name_space, left.task, false);
    if (!task)
        return {dead, resolve_outcome::task_deleted, {}};
    auto const& present = task->record;
    auto row = make_execution(fresh, present.id, present.version, present.definition, left.scheduled_at);
    row.payload = payload ? payload : left.payload;
    if (!row.payload && present.version != left.version)
        row.payload = payload_of_version(sql, left.task, left.version);
    insert_rerun(sql, name_space, row, left, dead);
    follow_rerun(sql, fresh);
    insert_signal(sql, name_space, signal_id{fresh.value()}, protocol::signal_kind::run, fresh.value());
    resolve(sql, dead, protocol::resolution::retried, fresh);
    return {dead, resolve_outcome::done, fresh};
}

} // namespace

void add_failures(soci::session& sql, std::vector<execution_id> const& ids)
{
    for (auto const chunk : chunks(sql, ids, 1)) {
        statement insert(sql,
                         "INSERT INTO failure (execution_id, namespace, task_id, scheduled_at, error, first_error) ",
                         "SELECT e.id, e.namespace, e.task_id, e.scheduled_at, COALESCE(a.error, e.error), ",
                         "CASE WHEN e.attempt > 1 THEN e.error END FROM execution e ",
                         "LEFT JOIN attempt a ON a.execution_id = e.id AND a.attempt = e.attempt WHERE ",
                         "e.state IN ('failed', 'timed_out') AND e.due_at IS NULL AND NOT EXISTS ",
                         "(SELECT 1 FROM failure f WHERE f.execution_id = e.id) AND e.id IN ");
        insert.in(chunk).execute();
    }
}

void add_dead_letters(soci::session& sql, std::vector<execution_id> const& ids)
{
    add_failures(sql, ids);
    for (auto const chunk : chunks(sql, ids, 1)) {
        statement insert(sql, "INSERT INTO dead_letter (execution_id, namespace, project, task_id, died_at) ",
                         "SELECT e.id, e.namespace, e.project, e.task_id, e.ended_at FROM execution e WHERE ",
                         "e.state IN ('failed', 'timed_out') AND e.due_at IS NULL AND NOT EXISTS ",
                         "(SELECT 1 FROM dead_letter d WHERE d.execution_id = e.id) AND e.id IN ");
        insert.in(chunk).execute();
    }
}

awaitable<resolved_letters> dead_letters::retry(std::vector<execution_id> which, std::optional<std::string> payload,
                                                id_generator& ids)
{
    std::vector<execution_id> fresh;
    auto const work = [&](soci::session& sql) {
        resolved_letters done;
        for (std::size_t i = 0; i < which.size(); ++i) {
            auto const one = [&] { return retry_one(sql, name_space_, which[i], fresh[i], payload); };
            done.letters.push_back(try_again_if_taken(one));
            if (done.letters.back().outcome == resolve_outcome::done)
                done.signal = signal_id{fresh[i].value()};
        }
        raise_version(sql, name_space_, topic::dead_letters);
        return done;
    };
    auto const once = [&]() -> awaitable<resolved_letters> {
        fresh.clear();
        fresh.reserve(which.size());
        for (std::size_t i = 0; i < which.size(); ++i)
            fresh.push_back(ids.make<execution_id>());
        co_return co_await shared_.transact(work);
    };
    co_return co_await with_fresh_ids(once, "no free id for an execution");
}

awaitable<resolved_letters> dead_letters::dismiss(std::vector<execution_id> which)
{
    auto const work = [&](soci::session& sql) {
        resolved_letters done;
        for (auto const id : which) {
            auto const refused = why_not(sql, name_space_, id);
            if (!refused)
                resolve(sql, id, protocol::resolution::dismissed, std::nullopt);
            done.letters.push_back(refused.value_or(resolved_letter{id, resolve_outcome::done, {}}));
        }
        raise_version(sql, name_space_, topic::dead_letters);
        return done;
    };
    co_return co_await shared_.transact(work);
}

} // namespace baton::storage
