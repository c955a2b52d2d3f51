#pragma once
// Rules for documents that come in. A definition that was stored before there was such a rule is still read.

#include "libs/protocol/task.hpp"

#include <string>

namespace baton::protocol {

class strict_object;

// Refuses control characters in the names of a definition, also U+0080 to U+009F. Throws invalid_input with the field.
void check_new_names(task_definition const& task);

// The member "schedule" of a definition, as parse_task reads it. Throws invalid_input with the field ("schedule.cron").
schedule_spec parse_schedule(nlohmann::json const& value);

// Throws invalid_input("schedule.calendars"): of a schedule that its calendars leave no firing.
[[noreturn]] void refuse_never_firing();

// The member "cron" without white space around it, such as the line break of a file that it was read from.
std::string read_cron(strict_object& object);

} // namespace baton::protocol
