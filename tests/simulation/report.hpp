#pragma once

#include "libs/base/time.hpp"
#include "libs/sim/trace.hpp"

#include <cstdint>
#include <string>

// What was seen of an election.
namespace baton::simulation {

struct report {
    int two_masters = 0;     // instants at which two nodes held themselves for active
    int epoch_went_back = 0; // a promotion or an act under an epoch that is not above (for acts: below) the last one
    int duty_outside = 0;    // a duty that goes on when its term is over
    int terms = 0;
    int succeeded = 0; // of the terms: won by the guard
    int faults = 0;
    int acts = 0;
    duration led{};           // of the faulty time
    bool led_in_time = false; // after the healing
    bool kept_leading = false;
    std::uint64_t hash = 0;
    std::string tail; // of the trace
};

// Counts a violation. The trace up to the first one tells more than that to the end.
void blame(sim::trace& log, report& seen, int& count, std::string const& what);

} // namespace baton::simulation
