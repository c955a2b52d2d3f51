#pragma once
// What follows from the zone versions of the cluster for one task. Pure.

#include "libs/storage/zones.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace baton::trigger {

using zone_history = std::vector<storage::zone_version>; // in any order

// Each zone that has changed, and the latest version in which it has.
std::map<std::string, int> latest_changes(zone_history const& history);

// The instant from which other rules apply to a task than those by which its next firing was computed: the earliest
// line of all versions that the task has to follow. `zones`: the zones that the task reads, with the version by which
// its next firing was computed. Nothing if a database that was not the cluster's computed it.
std::optional<utc_time> line_of(std::map<std::string, int> const& zones, zone_history const& history);

} // namespace baton::trigger
