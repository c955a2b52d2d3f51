#pragma once

#include "tests/simulation/cluster_world.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

// The tasks of a simulated cluster, the firings that are expected of them, and the check of the ledger against these.
namespace baton::simulation {

// The expected firings are computed from the meaning of the schedule, not by the product.
struct expectation {
    task_id task;
    std::string name;
    std::set<std::int64_t> instants; // microseconds since the epoch
};

// A task with the handler "work", active in [from, until), without a schedule yet.
protocol::task_definition make_task(std::string name, utc_time from, utc_time until);

// The same with this handler, every 100 ms.
protocol::task_definition often(char const* name, char const* handler, utc_time from, utc_time until);

std::set<std::int64_t> instants_of(duration period, utc_time from, utc_time until);

// Registers one task of each kind.
std::vector<expectation> register_tasks(cluster_world& world, utc_time from, utc_time until,
                                        std::string const& project = "default");

// A moment at least 3 s ahead at which all schedules of register_tasks() begin.
utc_time begin_of(cluster_world& world);

// The host of the node that hears the client of this number; empty: none does.
std::string home_of(cluster_world& world, std::size_t client);

// One line about an execution, for a report.
std::string describe(std::string const& task, cluster_world::ledger_row const& row, std::string const& problem);

// The problems with the firings of one task, one per line; empty if there are none.
std::string firing_problems(cluster_world& world, expectation const& expected);

// All problems of a run: firings, open executions, the history of terms, and incidents with the events before them.
std::string problems(cluster_world& world, std::vector<expectation> const& expected);

} // namespace baton::simulation
