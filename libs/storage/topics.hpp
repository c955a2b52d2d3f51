#pragma once

#include "libs/protocol/names.hpp"

#include <array>
#include <string>
#include <string_view>

namespace baton::storage {

// The topics whose changes web announces. The texts are those of docs/openapi.yaml.
enum class topic { tasks, executions, dead_letters, services, clients, nodes, terms, calendars, zones, projects };

} // namespace baton::storage

namespace baton::protocol {
template <>
inline constexpr std::array<std::string_view, 10> names_of<storage::topic>{
    "tasks", "executions", "dead_letters", "services", "clients", "nodes", "terms", "calendars", "zones", "projects"};
}

namespace baton::storage {

inline constexpr std::size_t topics = protocol::names_of<topic>.size();
using marks = std::array<std::string, topics>; // by topic

} // namespace baton::storage
