#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace baton::cli {

// The nodes that people look for, of the items of GET /nodes: without the dead processes whose name a live node has.
std::vector<nlohmann::json> nodes_for_people(nlohmann::json const& items);

// "master", "slave" or "gone".
std::string role_of(nlohmann::json const& node);

} // namespace baton::cli
