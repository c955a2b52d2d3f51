#pragma once
// Changes of a task's definition by a person. Pure functions on tasks as REST shows them.

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace baton::cli {

// The definition alone, without the members that only the server writes.
nlohmann::json definition_of(nlohmann::json const& task);

// The place and the reason in plain words if the text is not JSON: "not JSON at line 3, column 5: ...".
std::optional<std::string> json_problem(std::string const& text);

// Throws invalid_input with the field "--set" if "member=value" names a member that only the server writes, such as
// the version, or a member of a schedule without "schedule." before it.
void check_settable(nlohmann::json const& task, std::string const& setting);

// Applies the settings, those of the schedule's kind first: another kind takes the members away that only the former
// kind has, such as the expression of cron.
void apply_settings(nlohmann::json& definition, std::vector<std::string> settings);

// Applies "member=value", such as "max_attempts=5", "schedule.cron=0 3 * * *", "payload={\"a\": 1}" or "payload.a=1".
// The value is text if the member is text now or the value is not JSON; "member=" with nothing sets an empty text or,
// for another member, removes it. Throws invalid_input with the field "--set" for anything else.
void apply_setting(nlohmann::json& definition, std::string const& setting);

} // namespace baton::cli
