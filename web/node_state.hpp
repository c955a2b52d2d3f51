#pragma once

#include "libs/storage/nodes.hpp"

#include <nlohmann/json.hpp>

namespace baton::web {

// The one thing to know about a node: the worst that is true of it.
enum class node_state {
    live, // and nothing else is to be said of it
    draining,
    cut_off,     // the master takes no reports of it
    part_failed, // a part of the master does not work
    cannot_plan,
    silent,
    gone,
};
node_state state_of(storage::node_record const& node);

// Between two heartbeats, in milliseconds; null of a node of a release that did not tell it. `health`: of its row.
nlohmann::json heartbeat_of(nlohmann::json const& health);

// "steady", or "cut_off" while the master takes none of its reports, or "returning" for a while after that.
std::string contact_of(nlohmann::json const& health);

// The parts of the master that do not work: of each "part", "since" and "cause".
nlohmann::json failed_parts_of(nlohmann::json const& health);

// True if it has missed a heartbeat.
bool is_silent(storage::node_record const& node);

} // namespace baton::web
