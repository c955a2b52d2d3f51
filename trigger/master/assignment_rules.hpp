#pragma once

#include "libs/base/time.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace baton::trigger {

// The decisions of the assigner. All are pure.

// The next step for the executions of an assignment whose request has ended.
enum class assignment_end {
    taken,     // the node took the first of them; the others may go elsewhere
    passed_on, // the node had got them before, and reports on them
    elsewhere, // the node has none of them
    repeat     // the node may have them: it alone is asked again, until it counts as gone
};
// `status`: of the answer; nothing without one. `maybe_there`: this or an earlier request may have reached the node.
assignment_end end_of(std::optional<int> status, bool maybe_there);

// Cuts executions with payloads of these sizes into groups: the index behind the last one of each. A group has at most
// `most` executions and `bytes` of payloads, but for a single one that is larger.
std::vector<std::size_t> cut(std::vector<std::size_t> const& sizes, std::size_t most, std::size_t bytes);

// The times that decide when the assigner looks at its executions again.
struct firing_times {
    std::optional<utc_time> next_due;
    utc_time marked;                  // the mark in the database: nothing later may fire
    utc_time limit;                   // the signals are known until then: nothing later may fire
    std::optional<instant> unblocked; // when a service without a free credit is looked at again
    std::optional<instant> paused{};  // the end of the next pause of an execution
};
struct next_look {
    instant at;
    bool wants_mark = false; // something is due that the mark does not cover
};
next_look look_after(firing_times const& times, instant now, utc_time clock);

} // namespace baton::trigger
