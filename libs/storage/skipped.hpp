#pragma once
// Firings that were skipped, in the ledger.

#include "libs/base/id.hpp"
#include "libs/base/time.hpp"
#include "libs/protocol/task.hpp"

#include <functional>
#include <string>
#include <vector>

namespace baton::storage {

// Firings of one task that were skipped together. With ids, one for each, they become executions in state `skipped`;
// without, one row of skipped_range.
struct skipped_firings {
    task_id task;
    int version = 0;
    std::string project;
    std::string reason;
    std::vector<utc_time> firings; // in order
    std::vector<execution_id> ids;
};

inline constexpr std::size_t most_skipped_rows = 20;   // more firings of a task become a range
inline constexpr std::size_t most_in_a_range = 10'000; // firings

// The firings in the form in which they are stored.
std::vector<skipped_firings> divide_skipped(skipped_firings all, std::function<execution_id()> const& make_id);

// Firings of the task that people asked to skip (schedule_spec::skips), as rows with their reasons.
std::vector<skipped_firings> skips_on_request(task_id task, int version, protocol::task_definition const& definition,
                                              std::vector<utc_time> const& firings,
                                              std::function<execution_id()> const& make_id);

// A row of skipped_range.
struct skipped_range {
    utc_time first;
    utc_time last;
    int firings = 0;
    int version = 0; // of the task
    std::string reason;
    utc_time created_at;
};

} // namespace baton::storage
