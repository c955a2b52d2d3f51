#include "libs/storage/statement.hpp"
#include "tests/simulation/pairs_world.hpp"

#include <soci/soci.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>

// The rows of the tables, as facts.

namespace pairs_sim {

namespace storage = baton::storage;

namespace {

constexpr char copy_of_deleted[] =
    "CREATE TRIGGER pairs_deleted AFTER DELETE ON execution BEGIN INSERT INTO pairs_execution SELECT OLD.id, "
    "OLD.task_id, "
    "OLD.task_version, OLD.scheduled_at, OLD.run_key, OLD.cause, OLD.state, OLD.reason, OLD.attempt, OLD.max_attempts, "
    "OLD.deaths, OLD.parent_id, OLD.rerun_of, OLD.shard_index, OLD.shard_total, OLD.due_at, OLD.created_at, "
    "OLD.ended_at, OLD.payload; END";

constexpr char columns[] =
    "id, task_id, task_version, scheduled_at, run_key, cause, state, reason, attempt, max_attempts, deaths, parent_id, "
    "rerun_of, shard_index, shard_total, due_at, created_at, ended_at, payload";

void read_executions(soci::session& sql, std::vector<execution_row>& out, char const* table)
{
    storage::statement ask(sql);
    ask.select("id", "task_id", "task_version", "scheduled_at", "run_key = 0", "cause", "state", "reason", "attempt",
               "max_attempts", "deaths", "parent_id", "rerun_of", "shard_index", "shard_total", "due_at", "created_at",
               "ended_at", "COALESCE(json_extract(payload, '$.k'), 'a')");
    auto const from = fmt::format(" FROM {} ORDER BY scheduled_at, id", table);
    ask(storage::fragment{from.c_str()});
    ask.each([&](storage::row& cells) {
        auto& one = out.emplace_back();
        one.id = cells.number();
        one.task = cells.number();
        one.version = cells.small();
        one.scheduled_at = cells.moment();
        one.is_firing = cells.flag();
        one.cause = cells.text();
        one.state = cells.text();
        one.reason = cells.maybe_text().value_or("");
        one.attempt = cells.small();
        one.max_attempts = cells.small();
        one.deaths = cells.small();
        one.parent = cells.maybe_number();
        one.rerun_of = cells.maybe_number();
        one.shard = cells.small();
        one.shards = cells.small();
        one.due_at = cells.maybe_moment();
        one.created_at = cells.moment();
        one.ended_at = cells.maybe_moment();
        one.key = cells.text();
        one.deleted = table == std::string("pairs_execution");
    });
}

void read_versions(soci::session& sql, facts& seen)
{
    storage::statement ask(sql);
    ask.select("task_id", "version", "action", "valid_from", "created_at",
               "definition")(" FROM task_version ORDER BY task_id, version");
    ask.each([&](storage::row& cells) {
        auto& one = seen.versions.emplace_back();
        one.task = cells.number();
        one.version = cells.small();
        one.action = cells.text();
        one.valid_from = cells.moment();
        one.created_at = cells.moment();
        one.definition = json::parse(cells.text());
    });
}

void read_others(soci::session& sql, facts& seen)
{
    storage::statement ranges(sql);
    ranges.select("task_id", "first_at", "last_at", "firings")(" FROM skipped_range");
    ranges.each([&](storage::row& cells) {
        auto const task = cells.number();
        auto const first = cells.moment();
        auto const last = cells.moment();
        seen.ranges.push_back({task, first, last, cells.number()});
    });
    storage::statement pauses(sql);
    pauses.select("project", "service", "firings = 'skip'", "since", "ended_at")(" FROM pause ORDER BY since");
    pauses.each([&](storage::row& cells) {
        auto& one = seen.pauses.emplace_back();
        one.project = cells.text();
        one.service = cells.text();
        one.skips = cells.flag();
        one.since = cells.moment();
        auto const ended = cells.number();
        if (ended != 0)
            one.ended_at = baton::from_micros(ended);
    });
    storage::statement terms(sql);
    terms.select("began_at", "acting_at", "ended_at", "COALESCE(why_ended, '')")(" FROM term ORDER BY epoch");
    terms.each([&](storage::row& cells) {
        auto& one = seen.terms.emplace_back();
        one.began = cells.moment();
        one.acting = cells.moment();
        one.ended = cells.maybe_moment();
        one.why = cells.text();
    });
    storage::statement letters(sql);
    letters.select("execution_id", "task_id", "resolution", "rerun")(" FROM dead_letter");
    letters.each([&](storage::row& cells) {
        auto& one = seen.letters.emplace_back();
        one.execution = cells.number();
        one.task = cells.number();
        one.resolution = cells.text();
        one.rerun = cells.maybe_number();
    });
}

} // namespace

// What the retention deletes is copied first.
void pairs_world::watch_deletions()
{
    auto const table = fmt::format("CREATE TABLE pairs_execution AS SELECT {} FROM execution WHERE 0", columns);
    store_->inspect([&](soci::session& sql) {
        sql << table;
        sql << copy_of_deleted;
    });
}

void pairs_world::read_tables()
{
    store_->inspect([&](soci::session& sql) {
        read_executions(sql, seen_.rows, "execution");
        read_executions(sql, seen_.rows, "pairs_execution");
        read_versions(sql, seen_);
        read_others(sql, seen_);
    });
}

} // namespace pairs_sim
