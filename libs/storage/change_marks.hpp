#pragma once
// Marks that show cheaply whether the tables have changed: two equal marks of a topic mean that nothing that a reader
// of the topic shows has changed between them.

#include "libs/protocol/names.hpp"
#include "libs/storage/database.hpp"
#include "libs/storage/signals.hpp"

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

// Reads the marks. No statement reads more than a thousand rows, however many there are, and none a row of history.
// Tasks, services and projects have no mark: they are told by signals (signals.hpp), so their marks stay empty.
class change_marks {
public:
    change_marks(database& shared, std::string name_space, protocol::namespace_id id = protocol::first_namespace)
        : shared_(shared), name_space_(std::move(name_space)), id_(id)
    {}

    // The mark of executions covers the newest execution, and state, attempt and progress of the 500 open ones that
    // were due first. Among more open ones, a change that comes without any new execution may be missed.
    awaitable<marks> read();

private:
    database& shared_;
    std::string name_space_;
    protocol::namespace_id id_;
};

} // namespace baton::storage
