#pragma once
// Which pairs were drawn together in a run.

#include "tests/simulation/pairs_facts.hpp"

#include <string>

namespace pairs_sim {

// How often each pair was drawn together. Two features: of one task. A feature and an action: the action was done to
// the task and not refused. Two actions: done to one task. A feature or action and an event: the event came while the
// task was there, or within five seconds of the action.
std::map<item_pair, int> pairs_in(facts const& seen);

// All pairs that a plan can draw, each with the count 0, to the same file.
void append_all_pairs();

// Appends a line "count TAB a TAB b" for each pair to the file that BATON_PAIRS names, if there is one.
void append_pairs(facts const& seen);

} // namespace pairs_sim
