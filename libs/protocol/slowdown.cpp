#include "libs/protocol/slowdown.hpp"

#include <algorithm>

namespace baton::protocol {

namespace {

// The middle one; of an even number, the longer of the two in the middle.
median_time median_of(std::vector<duration> times)
{
    auto const middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return {times.size(), *middle};
}

} // namespace

bool run_time_summary::slow() const
{
    return recent && earlier && recent->median >= slow_factor * earlier->median &&
           recent->median >= earlier->median + slow_margin;
}

run_time_summary summarise(std::vector<duration> const& latest)
{
    run_time_summary found;
    if (latest.size() < recent_runs)
        return found;
    auto const middle = latest.begin() + recent_runs;
    found.recent = median_of({latest.begin(), middle});
    auto const count = std::min(latest.size() - recent_runs, earlier_runs);
    if (count >= least_earlier_runs)
        found.earlier = median_of({middle, middle + static_cast<std::ptrdiff_t>(count)});
    return found;
}

} // namespace baton::protocol
