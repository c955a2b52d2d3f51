#pragma once
// Where an execution stands under the limits of its task, and in the lines of its rate, its service and its project.

#include "trigger/master/concurrency_gate.hpp"
#include "trigger/master/limit_tree.hpp"
#include "trigger/master/open_execution.hpp"

namespace baton::trigger {

inline constexpr char const* took_its_place = "a newer execution took its place";

// True if its task limits how many are under way. A broadcast counts once, for all its shards.
bool has_gate(open_execution const& one);
concurrency_gate::place place_of(open_execution const& one);

// Where the newest replaces others, a priority must not make it older.
utc_time place_in_gate(protocol::task_definition const& task, utc_time due);
utc_time place_in_gate(open_execution const& one);
concurrency_gate::candidate candidate_of(open_execution const& one, bool may_skip);

// With the rate of `holding`, a version of its task. Both must outlive it.
limit_tree::member member_of(open_execution const& one, known_task const& holding);

} // namespace baton::trigger
