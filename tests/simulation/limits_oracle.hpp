#pragma once
// Says from the instants of firings and runs by hand, from the ends of runs, and from the times of masters, which
// execution goes when, which one is skipped and why, and which one waits. Shares no code with trigger/ and libs/.

#include "tests/simulation/limits_facts.hpp"

#include <string>

namespace limits_sim {

// How the record differs from the computation; empty if it does not.
std::string judge(record const& seen);

// The broken invariants, which hold whatever has been computed: two runs beside each other that a limit forbids, more
// attempts in a span than the rate and its burst, a firing without its row.
std::string broken_rules(record const& seen);

// All executions with what happened to them, for people.
std::string text_of(record const& seen);
std::string clock_of(record const& seen, utc_time at); // since the begin, for people

} // namespace limits_sim
