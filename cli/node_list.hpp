#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace baton::cli {

// The nodes that people look for, of the items of GET /nodes: without the dead processes whose name a live node has.
std::vector<nlohmann::json> nodes_for_people(nlohmann::json const& items);

// "master", "slave" or "gone".
std::string role_of(nlohmann::json const& node);

// "yes", "no", or "silent 2.4 s" of a node that counts as alive but has missed heartbeats for so long.
std::string alive_text(nlohmann::json const& node);

// The line about the lease of GET /nodes: who may act, or that there is no master yet and why.
std::string lease_text(nlohmann::json const& lease);

} // namespace baton::cli
