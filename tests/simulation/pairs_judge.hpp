#pragma once
// The judges of pairs_sim, one for each invariant. They read the facts of a run and share no code with what they judge.

#include "tests/simulation/pairs_facts.hpp"

namespace pairs_sim {

struct violation {
    int invariant = 0;
    int task = -1;              // drawn_task::number
    std::int64_t execution = 0; // 0: none
    std::string text;
    std::string known{}; // the open fault that explains it; see pairs_known.hpp
};
using violations = std::vector<violation>;

violations judge_firings(facts const& seen); // 1: each due firing has a row or a recorded skip, and none has two
violations judge_stops(facts const& seen);   // 2: nothing begins that an edit, a pause or a policy has stopped
violations judge_limits(facts const& seen);  // 3: no limit is exceeded, and no slot is lost
violations judge_idle(facts const& seen);    // 3: no limit has unused slots while an execution waits under it
violations judge_chains(facts const& seen);  // 4: fixed delays never overlap, and each success has one child
violations judge_ends(facts const& seen);    // 5: all ends within its limits
violations judge_bounds(facts const& seen);  // 6: attempts, terms and rows are bounded
violations judge_probe(facts const& seen);   // 7: unrelated tasks fire on time, and a failure is logged once

violations judge(facts const& seen); // all of them

// What an engineer needs for one of them: the task with its features, rows, calls, actions and events in order.
std::string report_of(facts const& seen, violation const& which);

} // namespace pairs_sim
