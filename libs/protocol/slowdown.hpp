#pragma once
// Is a task slower than it used to be? Decided by the run times of its latest successes.

#include "libs/base/time.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace baton::protocol {

// Ten runs, so that a few slow ones are no news: their median rises only when at least five are slow. Fifty before them
// are the past, and ten are the least that can be called usual.
inline constexpr std::size_t recent_runs = 10;
inline constexpr std::size_t earlier_runs = 50;
inline constexpr std::size_t least_earlier_runs = 10;
// Twice as long is beyond the spread of a handler that does the same work. A second more keeps out handlers of
// milliseconds, whose times follow the load of their machine.
inline constexpr int slow_factor = 2;
inline constexpr duration slow_margin = 1s;

struct median_time {
    std::size_t runs = 0;
    duration median{};
};

struct run_time_summary {
    std::optional<median_time> recent;  // of the last ten runs; none if there are fewer
    std::optional<median_time> earlier; // of up to fifty before them; none if there are fewer than ten

    // The median of the recent runs is at least twice that of the earlier ones, and a second more.
    bool slow() const;
};

// `latest`: the run times, the newest first.
run_time_summary summarise(std::vector<duration> const& latest);

} // namespace baton::protocol
