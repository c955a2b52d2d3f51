#pragma once
// The state of the whole cluster at a glance, besides the counts (execution_counts.hpp). No statement
// reads history: tasks are counted in an index, failures are found by dead letters.

#include "libs/base/id.hpp"
#include "libs/protocol/service_key.hpp"
#include "libs/protocol/term_id.hpp"
#include "libs/storage/bounded_count.hpp"
#include "libs/storage/database.hpp"

#include <map>
#include <optional>
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
    // How many clients of each service there are, and how many of them can be given work.
    struct of_service {
        std::int64_t live = 0;
        std::int64_t taking = 0;
    };
    std::map<protocol::service_key, of_service> services;
};

struct failing_task {
    task_id task;
    std::string project; // as the task stands; empty if it was deleted, as are name and service
    std::string name;
    std::string service;
    std::int64_t failures = 0;
    std::int64_t open = 0; // of these: neither retried nor dismissed
    utc_time last_at;
    std::optional<std::string> error; // of the latest of them
};

struct next_firing {
    utc_time at;
    task_id task;
    std::string project;
    std::string name;
    std::string service;
    std::optional<execution_id> execution; // if it is planned
};

// With a project, each answer is of this project alone.
class overview {
public:
    explicit overview(database& shared, protocol::namespace_id name_space = protocol::first_namespace)
        : shared_(shared), name_space_(name_space)
    {}

    awaitable<task_totals> tasks(); // of all projects
    awaitable<client_totals> clients(std::optional<std::string> project);
    // The tasks with most dead letters since then, among at most 20,000 of them.
    awaitable<std::vector<failing_task>> failing(std::optional<std::string> project, utc_time since, int limit);
    // Up to 10,000.
    awaitable<bounded_count> open_letters(std::optional<std::string> project);
    // Executions that failed after their last attempt and were scheduled since then, among at most 20,000 of these.
    awaitable<bounded_count> failed(std::optional<std::string> project, utc_time since);
    // In order of time: executions that are planned, and tasks whose next firing is not planned yet. Of a project:
    // among the 5,000 that are due first, or else among 20,000 of its tasks.
    awaitable<std::vector<next_firing>> due_next(std::optional<std::string> project, int limit);

private:
    database& shared_;
    protocol::namespace_id name_space_;
};

} // namespace baton::storage
