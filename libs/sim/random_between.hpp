#pragma once
// A uniformly distributed duration, for latencies and for the times of faults.

#include "libs/base/random.hpp"
#include "libs/base/time.hpp"

namespace baton::sim {

inline duration random_between(random_source& random, duration least, duration most)
{
    auto const width = static_cast<std::uint64_t>((most - least).count());
    return least + duration{static_cast<std::int64_t>(random.below(width + 1))};
}

} // namespace baton::sim
