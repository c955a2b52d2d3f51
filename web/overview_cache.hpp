#pragma once

#include "libs/base/time.hpp"
#include "libs/storage/overview.hpp"
#include "libs/storage/services.hpp"

#include <optional>
#include <vector>

namespace baton::web {

struct cluster_totals {
    storage::task_totals tasks;
    storage::client_totals clients;
    std::vector<protocol::service_key> deserted; // services that have tasks and no client; of the first 500 services
    std::vector<storage::failing_task> failing;  // in the last 24 hours, those with most dead letters first
    utc_time now;                                // by this host's clock; of the call
};

// Counts of tasks, clients and failures, which are read at most every ten seconds, however many pages ask: counting a
// million tasks takes a tenth of a second even in an index. On the loop only.
class overview_cache {
public:
    overview_cache(storage::database& shared, time_source& time) : overview_(shared), services_(shared), time_(time) {}

    awaitable<cluster_totals> read();

private:
    storage::overview overview_;
    storage::services services_;
    time_source& time_;
    std::optional<cluster_totals> last_;
    instant read_at_{};
};

} // namespace baton::web
