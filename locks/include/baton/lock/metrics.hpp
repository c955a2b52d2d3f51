#pragma once
// What the locks of a store have done since it was opened.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace baton::lock {

// The upper bounds of the histogram, in seconds; a last bucket takes what is longer.
inline constexpr std::array<double, 12> wait_bounds_s{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                      0.1,   0.25,   0.5,   1,    5,     30};

struct kind_metrics {
    std::string kind;             // "record", "lease", "row", "redis", "semaphore", "read", "write" ...
    std::uint64_t acquired = 0;   // all grants
    std::uint64_t taken_over = 0; // of these, from a holder whose time was over
    std::uint64_t refused = 0;    // tries and waits that ended without a grant
    std::uint64_t released = 0;
    std::uint64_t lost = 0;    // ended by its time, by the store or by another before it was released
    std::uint64_t expired = 0; // of these, by its time: it was not renewed, or not in time
    std::uint64_t unknown = 0; // releases without an answer
    std::uint64_t held = 0;    // now
    std::array<std::uint64_t, wait_bounds_s.size() + 1> waited{}; // of the grants, each counted in one bucket
    double waited_s = 0;                                          // all together
};

// In the text format of Prometheus, with the prefix "baton_lock_".
std::string to_prometheus(std::vector<kind_metrics> const& all);

} // namespace baton::lock
