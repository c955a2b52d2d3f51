#pragma once
// The executions of tasks that run after another one. Each firing of a parent has a row in `settle` from its planning
// on. When it has ended, one transaction inserts the executions of its successors and deletes the row, so a success is
// followed exactly once through any crash.

#include "libs/storage/ledger.hpp"

#include <vector>

namespace baton::storage {

// A firing of a parent that has ended.
struct ended_parent {
    execution_id execution;
    task_id task;
    utc_time scheduled_at;
    bool succeeded = false;
};

// A task that is on and runs after a parent.
struct successor_task {
    task_id parent;
    task_id id;
    int version = 0;
    std::string definition; // JSON, protocol::parse_task
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

    // Executions that follow ended parents. They have the `scheduled_at` of these and place 0 in the ledger.
    struct followers {
        std::vector<new_execution> executions;
        std::vector<skipped_firings> skipped; // one firing each, with its id
    };
    // Inserts them and forgets the parents. One that has its row already, or whose task is off or gone, is left out. If
    // a task has been edited meanwhile, nothing is done: the parents are to be looked at again. Returns the executions
    // that were inserted. Throws not_master.
    awaitable<std::vector<execution_id>> follow(fence mine, followers const& those,
                                                std::vector<execution_id> const& parents);

private:
    database& deciding_;
    database& shared_;
    protocol::namespace_id name_space_;
};

} // namespace baton::storage
