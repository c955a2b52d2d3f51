#include "cli/crontab_tasks.hpp"

#include "libs/schedule/time_zone.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace baton::cli {

nlohmann::json task_of(schedule::crontab_entry const& entry, std::string const& source, import_settings const& settings)
{
    return {{"project", settings.project},
            {"name", entry.name},
            {"description", "line " + std::to_string(entry.line) + " of " + source},
            {"service", settings.service},
            {"handler", entry.name},
            {"schedule",
             {{"kind", "cron"}, {"cron", entry.schedule}, {"zone", entry.zone.empty() ? settings.zone : entry.zone}}},
            {"enabled", !settings.disabled}};
}

std::string host_zone()
{
    std::string name;
    if (char const* const set = std::getenv("TZ"); set != nullptr)
        name = *set == ':' ? set + 1 : set;
    if (schedule::zone_exists(name))
        return name;
    std::ifstream("/etc/timezone") >> name;
    if (schedule::zone_exists(name))
        return name;
    std::error_code none;
    auto const target = std::filesystem::read_symlink("/etc/localtime", none).string();
    std::string const folder = "zoneinfo/";
    if (auto const at = target.find(folder); at != std::string::npos)
        name = target.substr(at + folder.size());
    return schedule::zone_exists(name) ? name : "UTC";
}

} // namespace baton::cli
