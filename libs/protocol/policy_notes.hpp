#pragma once
// Notes on policies that are valid and leave a task next to nothing to run, for the person who saves it.

#include "libs/protocol/task.hpp"

#include <string>
#include <vector>

namespace baton::protocol {

struct policy_note {
    std::string field; // the member to change
    std::string text;  // what will happen, and what to write instead
};

// In the order of the members in the document. Few tasks have any.
std::vector<policy_note> policy_notes(task_definition const& task);

} // namespace baton::protocol
