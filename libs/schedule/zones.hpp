#pragma once
// The zone databases of this process: the one by which it computes, and the newest one that it has found on its disk.
// They differ while a change waits for its line (docs/schedules.md, "A new zone database"). Any thread may call.

#include "libs/schedule/zone_database.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>

namespace baton::schedule {

using zone_database_pointer = std::shared_ptr<zone_database const>;

struct zones_in_use {
    zone_database_pointer database;
    int version = 0; // the number of the cluster's zone version; 0: this database is not known to be the cluster's
};

// At first a database that reads the files of zone_folder() when it needs them.
zones_in_use zones();
void use_zones(zones_in_use next);
// Computes by `newest` from the line on, and before the line by the database that was in use so far, if this process
// has that one (a fresh process does not). `changed`: the zones that differ.
void take_over_zones(zone_database_pointer newest, std::vector<std::string> const& changed, utc_time line, int version);
// Rises with each use_zones(). What was computed from zones under a lower one may be out of date.
std::uint64_t zones_generation();

// Null until one was offered.
zone_database_pointer newest_zones();
void offer_zones(zone_database_pointer newest);

// TZDIR, or that of the system.
std::filesystem::path zone_folder();

} // namespace baton::schedule
