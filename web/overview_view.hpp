#pragma once
// The members of the answer of GET /api/v1/overview.

#include "libs/storage/execution_counts.hpp"
#include "libs/storage/nodes.hpp"
#include "web/overview_cache.hpp"

#include <nlohmann/json.hpp>

#include <vector>

namespace baton::web {

using count_rows = std::vector<storage::count_row>;

struct overview_counts {
    count_rows minutely; // of the last two hours
    count_rows hourly;   // of 30 days
};

// The row of the present hour is written once a minute, its minutes every few seconds.
void renew_present_hour(count_rows& hourly, count_rows const& minutely, utc_time present);

// How many nodes are in each condition. A dead process whose node was started anew is not counted.
void add_nodes(nlohmann::json& body, std::vector<storage::node_record> const& all);
void add_counts(nlohmann::json& body, overview_counts const& found, utc_time now);
void add_totals(nlohmann::json& body, cluster_totals const& totals);
nlohmann::json show(std::vector<storage::next_firing> const& firings);

} // namespace baton::web
