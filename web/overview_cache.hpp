#pragma once

#include "libs/base/time.hpp"
#include "libs/storage/overview.hpp"
#include "libs/storage/run_times.hpp"
#include "libs/storage/services.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace baton::web {

// A service that has tasks, and no client that can be given their work.
struct unserved_service {
    protocol::service_key which;
    std::int64_t clients = 0; // it has, which drain or cannot be reached
};

struct cluster_totals {
    storage::task_totals tasks; // of all projects
    storage::client_totals clients;
    std::vector<unserved_service> unserved;     // of the first 500 services
    std::vector<storage::failing_task> failing; // in the last 24 hours, those with most dead letters first
    storage::bounded_count failed;              // in the last hour
    std::vector<storage::slow_task> slow;       // that run slower than they used to, the worst first
    utc_time now;                               // by this host's clock; of the call
};

// Counts of tasks, clients and failures, of all or of one project. They are read at most every ten seconds for each
// project, however many pages ask: counting a million tasks takes a tenth of a second even in an index. On the loop
// only.
class overview_cache {
public:
    overview_cache(storage::database& shared, time_source& time)
        : overview_(shared), services_(shared), times_(shared), time_(time)
    {}

    awaitable<cluster_totals> read(std::optional<std::string> project);

private:
    struct kept_totals {
        cluster_totals totals;
        instant read_at;
    };
    struct kept_tasks {
        storage::task_totals totals;
        instant read_at;
    };

    awaitable<cluster_totals> make(std::optional<std::string> project);
    awaitable<storage::task_totals> tasks();

    storage::overview overview_;
    storage::services services_;
    storage::run_times times_;
    time_source& time_;
    std::optional<kept_tasks> tasks_;
    std::map<std::optional<std::string>, kept_totals> kept_; // by project; of all without one
};

} // namespace baton::web
