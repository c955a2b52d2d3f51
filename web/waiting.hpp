#pragma once
// Why an execution has not begun, or how it ended, in one line for people.

#include "libs/protocol/pause.hpp"
#include "libs/protocol/whereabouts_wire.hpp"
#include "libs/storage/clients.hpp"
#include "libs/storage/executions.hpp"
#include "libs/storage/task_routes.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace baton::web {

// The state of the services that executions wait for, read from the tables.
struct cluster_view {
    utc_time now;                   // the database's
    std::optional<bool> has_master; // nothing if the lock row could not be read
    std::vector<storage::clients::alike> clients;
    storage::routes routes;                                            // of the executions that wait
    std::vector<protocol::pause> pauses{};                             // in force
    std::map<execution_id, std::vector<storage::wait_record>> waits{}; // of those of held_by_limits()
    // Executions of their tasks that have ended although their handlers have not returned.
    std::map<task_id, std::vector<execution_id>> unresponsive{};
    std::map<execution_id, protocol::whereabouts> places{}; // of those of not_begun(), as far as the master told
};

// Those that have been due for a while: a client may have one of them and not have begun it.
std::vector<execution_id> not_begun(std::vector<storage::execution_record> const& executions, utc_time now);

// The services whose clients decide why these executions wait. Empty if none of them waits; one that is only planned
// does not wait yet.
std::vector<protocol::service_key> awaited_services(std::vector<storage::execution_record> const& executions,
                                                    utc_time now);

// The versions of tasks whose routes decide why these executions wait, likewise.
std::vector<storage::task_at> awaited_routes(std::vector<storage::execution_record> const& executions, utc_time now);

// Those that limits keep back, or may have let go a moment ago.
std::vector<execution_id> held_by_limits(std::vector<storage::execution_record> const& executions, utc_time now);

// The executions, ended already, whose handlers may keep this one back because they still run. Pure.
std::vector<execution_id> kept_back_by(storage::execution_record const& execution, cluster_view const& seen);

// The stored reason; the first line of the error of a failed execution; or why an open one waits. Nothing for an
// execution that runs, has succeeded or is not due yet. Pure.
std::optional<std::string> reason_of(storage::execution_record const& execution, cluster_view const& seen);

} // namespace baton::web
