#pragma once
// Where the policies of a task come from: its own definition, the defaults of its service or project, or the program.

#include "libs/protocol/names.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace baton::protocol {

enum class origin {
    built_in, // no value was named
    project,  // the defaults of its project, as they were when the task was saved
    service,  // those of its service
    task,     // its own
};
template <>
inline constexpr std::array<std::string_view, 4> names_of<origin>{"built_in", "project", "service", "task"};

// By the names of defaultable members. What is absent is built in.
using task_origins = std::map<std::string, origin>;

// The members of a task for which services and projects may have defaults; "zone" is that of its schedule.
std::vector<std::string> const& defaultable_members();
bool is_defaultable(std::string const& member);

// Throws invalid_input("origins").
task_origins parse_origins(nlohmann::json const& value);
nlohmann::json to_json(task_origins const& origins);

} // namespace baton::protocol
