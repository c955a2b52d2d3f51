#pragma once
// How long tasks run, by the executions that succeeded in their first attempt: from its start to its end, both by the
// client's clock. Of a broadcast, its first shard counts.

#include "libs/base/id.hpp"
#include "libs/protocol/term_id.hpp"
#include "libs/storage/database.hpp"
#include "libs/storage/ledger.hpp"
#include "libs/storage/retention.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace baton::storage {

struct slow_task {
    task_id task;
    std::string project; // as the task stands, as are name and service
    std::string name;
    std::string service;
    duration usual{};
    duration recent{};
    utc_time since;
};

struct slow_task_row {
    task_id task;
    duration usual{};
    duration recent{};
    utc_time found_at; // a task that is listed already keeps its own
};

class run_times {
public:
    explicit run_times(database& shared, protocol::namespace_id name_space = protocol::first_namespace)
        : shared_(shared), name_space_(name_space)
    {}

    // The run times of each task, the newest first: up to 60, among its last 200 executions; of a broadcast, whose
    // shards are executions too, among its last 4,000. Without tasks that have none, or are deleted. A broadcast of
    // more than 199 shards has too few to be judged.
    awaitable<std::map<task_id, std::vector<duration>>> latest(std::vector<task_id> tasks);

    // Of the tasks that are listed as slow, up to `limit`.
    awaitable<std::vector<task_id>> listed(std::size_t limit);
    // Lists the slow ones, at most 1,000 in all, and takes the others off the list. Does nothing and returns false
    // unless the fence stands at this epoch.
    awaitable<bool> put(fence mine, std::vector<slow_task_row> slow, std::vector<task_id> others);

    // Those that are slower by the greatest factor first.
    awaitable<std::vector<slow_task>> slow(std::optional<std::string> project, int limit);

private:
    database& shared_;
    protocol::namespace_id name_space_;
};

} // namespace baton::storage
