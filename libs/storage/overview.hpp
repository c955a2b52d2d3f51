#pragma once
// The state of the whole cluster at a glance, besides the counts (execution_counts.hpp). No statement
// reads history: tasks are counted in an index, failures are found by dead letters.

#include "libs/base/id.hpp"
#include "libs/protocol/service_key.hpp"
#include "libs/protocol/term_id.hpp"
#include "libs/storage/database.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace baton::storage {

struct task_totals {
    std::int64_t enabled = 0; // and not parked
    std::int64_t disabled = 0;
    std::int64_t parked = 0;
};

struct client_totals {
    std::int64_t live = 0; // with the others
    std::int64_t unreachable = 0;
    std::int64_t draining = 0;
    std::set<protocol::service_key> services; // that have a client
};

struct failing_task {
    task_id task;
    std::string project; // as the task stands; empty if it was deleted, as are name and service
    std::string name;
    std::string service;
    std::int64_t failures = 0;
    utc_time last_at;
};

struct next_firing {
    utc_time at;
    task_id task;
    std::string project;
    std::string name;
    std::string service;
    std::optional<execution_id> execution; // if it is planned
};

class overview {
public:
    explicit overview(database& shared, protocol::namespace_id name_space = protocol::first_namespace)
        : shared_(shared), name_space_(name_space)
    {}

    awaitable<task_totals> tasks();
    awaitable<client_totals> clients();
    // The tasks with most dead letters since then, among at most 20,000 of them.
    awaitable<std::vector<failing_task>> failing(utc_time since, int limit);
    // In order of time: executions that are planned, and tasks whose next firing is not planned yet.
    awaitable<std::vector<next_firing>> due_next(int limit);

private:
    database& shared_;
    protocol::namespace_id name_space_;
};

} // namespace baton::storage
