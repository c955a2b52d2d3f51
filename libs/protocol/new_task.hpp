#pragma once
// Rules for documents that come in. A definition that was stored before there was such a rule is still read.

#include "libs/base/error.hpp"
#include "libs/protocol/task.hpp"

namespace baton::protocol {

// Refuses control characters in the names of a definition, also U+0080 to U+009F. Throws invalid_input with the field.
void check_new_names(task_definition const& task);

// Refuses a time-out that is longer than the limit of all attempts, which ends the execution before. Throws
// invalid_input("timeout_ms").
void check_new_limits(task_definition const& task);

// The refusal of a schedule that has no firing from now on, with the member at fault.
invalid_input no_firing_ahead(schedule_spec const& spec);

} // namespace baton::protocol
