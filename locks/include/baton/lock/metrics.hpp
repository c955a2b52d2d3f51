#pragma once
// Counters of the locks of a store since it was opened, for each kind of lock.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace baton::lock {

// Upper bounds of the histogram's buckets in seconds; a last bucket takes longer waits.
inline constexpr std::array<double, 12> wait_bounds_s{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                      0.1,   0.25,   0.5,   1,    5,     30};

struct kind_metrics {
    // "record", "lease", "row", "classic", "redis", "redlock", "zookeeper", "semaphore", "read" or "write"
    std::string kind;
    std::uint64_t acquired = 0;   // grants
    std::uint64_t taken_over = 0; // grants that ended the expired hold of another holder
    std::uint64_t refused = 0;    // tries and waits that ended without a grant
    std::uint64_t released = 0;
    std::uint64_t lost = 0;                                       // holds that ended before their release
    std::uint64_t expired = 0;                                    // lost holds that were not renewed in time
    std::uint64_t unknown = 0;                                    // releases that the store did not answer
    std::uint64_t held = 0;                                       // holds at present
    std::array<std::uint64_t, wait_bounds_s.size() + 1> waited{}; // grants by the time they took; one bucket each
    double waited_s = 0;                                          // sum of these times
};

// The text format of Prometheus, with the prefix "baton_lock_".
std::string to_prometheus(std::vector<kind_metrics> const& all);

} // namespace baton::lock
