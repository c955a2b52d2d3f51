#pragma once

#include "libs/base/time.hpp"

#include <cstdint>
#include <optional>

namespace baton::trigger {

// When an attempt began and ended, by its client's clock, which may be wrong.
struct reported_times {
    std::optional<utc_time> started;
    std::optional<utc_time> finished;
};

// The bounds of these, by clocks of the cluster.
struct known_times {
    utc_time created;  // the execution
    utc_time reported; // the result has arrived
};

inline constexpr duration clock_tolerance = 1s; // of a client, before its times are worth a line in the log

// In unix microseconds; what is not above 0 is no time.
reported_times read_times(std::int64_t started, std::int64_t finished);

// The same between `created` and `reported`, and in order. They are moved together as far as possible, so that a clock
// that is wrong by a fixed time does not change for how long the attempt has run.
reported_times plausible(reported_times times, known_times const& known);

// True if one of them is further outside than the tolerance.
bool is_absurd(reported_times const& times, known_times const& known);

} // namespace baton::trigger
