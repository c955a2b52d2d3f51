#pragma once
// The member "schedule" of a task's definition as JSON.

#include "libs/protocol/task.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace baton::protocol {

class strict_object;

// As parse_task reads it. Throws invalid_input with the field ("schedule.cron").
schedule_spec parse_schedule(nlohmann::json const& value);

// `stored`: with the contents of its calendars and with its skips.
nlohmann::json to_json(schedule_spec const& spec, bool stored);

// Throws invalid_input("schedule.calendars"): of a schedule that its calendars leave no firing.
[[noreturn]] void refuse_never_firing();

// The member "cron" without white space around it, such as the line break of a file that it was read from.
std::string read_cron(strict_object& object);

} // namespace baton::protocol
