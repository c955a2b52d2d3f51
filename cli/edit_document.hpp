#pragma once
// Changes of a task's definition by a person. Pure functions on tasks as REST shows them.

#include <nlohmann/json.hpp>

#include <string>

namespace baton::cli {

// The definition alone, without the members that only the server writes.
nlohmann::json definition_of(nlohmann::json const& task);

// Applies "member=value", such as "max_attempts=5", "schedule.cron=0 3 * * *", "payload={\"a\": 1}" or "payload.a=1".
// The value is text if the member is text now or the value is not JSON; "member=" with nothing sets an empty text or,
// for another member, removes it. Throws invalid_input with the field "--set" for anything else.
void apply_setting(nlohmann::json& definition, std::string const& setting);

} // namespace baton::cli
