// The firings of parents that have ended, and whether they succeeded.

#include "libs/storage/broadcast_rule.hpp"
#include "libs/storage/rows.hpp"
#include "libs/storage/successors.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <utility>

namespace baton::storage {

namespace {

// An ended execution of `settle`, and whether its own end tells if the successors run.
struct ended_row {
    ended_parent parent;
    bool of_shards = false; // no: it is a broadcast that has failed, or ran something again
};

std::vector<ended_row> read_ended(soci::session& sql, protocol::namespace_id name_space, execution_id after, int limit,
                                  int& seen, execution_id& last)
{
    std::vector<ended_row> found;
    statement ask(sql);
    ask.select("s.execution_id", "s.task_id", "s.scheduled_at", "e.due_at IS NULL",
               "COALESCE(e.state, '') = 'succeeded'",
               "CASE WHEN e.due_at IS NULL AND e.state = 'succeeded' THEN e.rerun_of IS NOT NULL "
               "WHEN e.due_at IS NULL AND e.state IN ('failed', 'timed_out') THEN "
               "EXISTS (SELECT 1 FROM execution c WHERE c.parent_id = e.id) ELSE 0 END");
    ask(" FROM settle s LEFT JOIN execution e ON e.id = s.execution_id WHERE s.namespace = ", name_space,
        " AND s.execution_id > ", after, " ORDER BY s.execution_id LIMIT ", limit);
    ask.each([&](row& cells) {
        ++seen;
        ended_row one;
        one.parent.execution = last = cells.name<execution_id>();
        one.parent.task = cells.name<task_id>();
        one.parent.scheduled_at = cells.moment();
        bool const over = cells.flag(); // or its row is gone
        one.parent.succeeded = cells.flag();
        one.of_shards = cells.flag();
        if (over)
            found.push_back(one);
    });
    return found;
}

// All executions of one firing.
struct firing_rows {
    std::vector<firing_execution> all;
    std::set<execution_id> shards;                            // also those that ran one again
    std::map<execution_id, protocol::broadcast_end> followed; // the rules of broadcasts that may still meet theirs
};

protocol::broadcast_end rule_of(std::string const& definition)
{
    auto const document = nlohmann::json::parse(definition, nullptr, false);
    auto const ends = document.is_object() && document.contains("route") && document["route"].is_object()
                          ? document["route"].value("ends", std::string())
                          : std::string();
    return ends == protocol::to_string(protocol::broadcast_end::any) ? protocol::broadcast_end::any
                                                                     : protocol::broadcast_end::all;
}

// Its broadcast, if any, has run at one version; a rerun of it at a later one. So each row names its own.
firing_rows read_firing(soci::session& sql, task_id task, utc_time scheduled_at)
{
    firing_rows found;
    statement ask(sql);
    ask.select("e.id", "e.parent_id", "e.rerun_of", "e.shard_total", "e.state", "e.due_at IS NULL",
               "e.shard_instance IS NOT NULL", "CASE WHEN e.parent_id IS NULL THEN v.definition END");
    ask(" FROM execution e LEFT JOIN task_version v ON v.task_id = e.task_id AND v.version = e.task_version WHERE "
        "e.scheduled_at = ",
        scheduled_at, " AND e.task_id = ", task);
    ask.each([&](row& cells) {
        auto& one = found.all.emplace_back();
        one.id = cells.name<execution_id>();
        if (auto const parent = cells.maybe_number())
            one.parent = execution_id{*parent};
        if (auto const dead = cells.maybe_number())
            one.rerun_of = execution_id{*dead};
        one.shard_total = cells.small();
        auto const state = cells.text();
        bool const over = cells.flag();
        one.succeeded = over && state == protocol::to_string(protocol::state::succeeded);
        bool const of_client = cells.flag();
        auto const definition = cells.text();
        if (one.parent || of_client || one.shard_total > 1)
            found.shards.insert(one.id);
        else if (!over || state == protocol::to_string(protocol::state::failed) ||
                 state == protocol::to_string(protocol::state::timed_out))
            found.followed.emplace(one.id, rule_of(definition));
    });
    return found;
}

// A shard that was run again starts the successors if its broadcast meets its rule by that. One that has succeeded by
// itself has started them, and one that was cancelled or skipped starts none.
bool starts_successors(firing_rows const& firing, ended_parent const& one)
{
    bool const shard = firing.shards.contains(one.execution);
    if (!shard && one.succeeded)
        return true;
    auto const broadcast = shard ? broadcast_of(firing.all, one.execution) : one.execution;
    if (!broadcast)
        return false;
    auto const rule = firing.followed.find(*broadcast);
    return rule != firing.followed.end() && meets_rule(firing.all, *broadcast, rule->second);
}

std::vector<ended_parent> judge(soci::session& sql, std::vector<ended_row> const& rows)
{
    std::vector<ended_parent> found;
    std::map<std::pair<task_id, utc_time>, firing_rows> firings;
    for (auto const& each : rows) {
        auto& one = found.emplace_back(each.parent);
        if (!each.of_shards)
            continue;
        auto const [place, added] = firings.try_emplace({one.task, one.scheduled_at});
        if (added)
            place->second = read_firing(sql, one.task, one.scheduled_at);
        one.succeeded = starts_successors(place->second, one);
    }
    return found;
}

} // namespace

awaitable<std::vector<ended_parent>> successors::ended(execution_id& after, int limit, int& seen)
{
    std::vector<ended_parent> found;
    execution_id last;
    auto const work = [&](soci::session& sql) {
        seen = 0;
        auto const rows = read_ended(sql, name_space_, after, limit, seen, last);
        found = judge(sql, rows);
    };
    co_await shared_.run(work);
    after = seen < limit ? execution_id{} : last;
    co_return found;
}

} // namespace baton::storage
