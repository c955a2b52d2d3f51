#pragma once

#include "libs/base/time.hpp"
#include "libs/sim/trace.hpp"

#include <cstdint>
#include <string>

// The observations of a simulated election.
namespace baton::simulation {

struct report {
    int two_masters = 0;         // instants at which two nodes considered themselves active
    int epoch_went_back = 0;     // promotions that did not raise the epoch, and acts under an old epoch
    int served_outside_term = 0; // duties that continued after their term had ended
    int terms = 0;
    int succeeded = 0; // terms that were won by the guard
    int faults = 0;
    int acts = 0;
    duration led{};           // time with a master, under faults
    bool led_in_time = false; // a master led soon after the faults had healed
    bool kept_leading = false;
    std::uint64_t hash = 0;
    std::string tail; // the last lines of the trace
};

// Counts a violation, and keeps the trace up to the first one.
void record_violation(sim::trace& log, report& seen, int& count, std::string const& text);

} // namespace baton::simulation
