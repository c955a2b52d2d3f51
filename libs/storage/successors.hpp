#pragma once
// The executions of tasks that run after another one. Each firing of a parent has a row in `settle` from its planning
// on. When it has ended, one transaction inserts the executions of its successors and deletes the row, so a success is
// followed exactly once through any crash.

#include "libs/storage/ledger.hpp"

#include <set>
#include <string>
#include <vector>

namespace baton::storage {

// A firing of a parent that has ended, or an execution that ran it, or a shard of it, again.
struct ended_parent {
    execution_id execution;
    task_id task;
    utc_time scheduled_at;
    bool succeeded = false; // so its successors run. A broadcast: it meets its rule, counting shards that ran again
};

// A task that is on and runs after a parent.
struct successor_task {
    task_id parent;
    task_id id;
    int version = 0;
    std::string definition; // JSON, protocol::parse_task
};

// An execution that follows an ended parent. `row` has the parent's `scheduled_at`, and place 0 in the ledger.
struct follower {
    execution_id parent;
    new_execution row;
    std::string skip_reason{}; // not empty: it is skipped
};

struct followed {
    std::vector<execution_id> inserted; // that are open
    std::set<execution_id> again;       // parents of tasks that have been edited meanwhile: to be looked at again
};

class successors {
public:
    successors(database& deciding, database& shared, protocol::namespace_id name_space = protocol::first_namespace)
        : deciding_(deciding), shared_(shared), name_space_(name_space)
    {}

    // Looks at `limit` rows behind `after`, and moves it behind them, or back to the beginning when there are no more.
    // `seen`: how many there were.
    awaitable<std::vector<ended_parent>> ended(execution_id& after, int limit, int& seen);

    awaitable<std::vector<successor_task>> of(std::vector<task_id> const& parents);

    // Inserts the executions and forgets the parents in `over`. One that has its row already, or whose task is off or
    // gone, is left out. One whose task has been edited meanwhile is not inserted yet, and its parent is not forgotten.
    // Throws not_master.
    awaitable<followed> follow(fence mine, std::vector<follower> const& those, std::vector<execution_id> const& over);

private:
    database& deciding_;
    database& shared_;
    protocol::namespace_id name_space_;
};

} // namespace baton::storage
