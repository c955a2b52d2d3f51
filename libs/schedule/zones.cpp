#include "libs/schedule/zones.hpp"

#include <atomic>
#include <cstdlib>
#include <mutex>

namespace baton::schedule {

namespace {

std::atomic<std::uint64_t> generation{1};

struct process_zones {
    std::mutex guard;
    zones_in_use used{std::make_shared<zone_database>(zone_folder()), 0};
    zone_database_pointer newest;
};

process_zones& of_process()
{
    static process_zones all;
    return all;
}

} // namespace

zones_in_use zones()
{
    auto& all = of_process();
    std::lock_guard const lock(all.guard);
    return all.used;
}

void use_zones(zones_in_use next)
{
    auto& all = of_process();
    std::lock_guard const lock(all.guard);
    all.used = std::move(next);
    ++generation;
}

void take_over_zones(zone_database_pointer newest, std::vector<std::string> const& changed, utc_time line, int version)
{
    auto const used = zones().database;
    if (used->is_complete() && used->version() != newest->version())
        newest = zone_database::spliced(*used, *newest, changed, line);
    use_zones({std::move(newest), version});
}

std::uint64_t zones_generation()
{
    return generation;
}

zone_database_pointer newest_zones()
{
    auto& all = of_process();
    std::lock_guard const lock(all.guard);
    return all.newest;
}

void offer_zones(zone_database_pointer newest)
{
    auto& all = of_process();
    std::lock_guard const lock(all.guard);
    all.newest = std::move(newest);
}

std::filesystem::path zone_folder()
{
    auto const* const chosen = std::getenv("TZDIR");
    return chosen != nullptr && *chosen != '\0' ? chosen : "/usr/share/zoneinfo";
}

} // namespace baton::schedule
