#include "cli/crontab_tasks.hpp"

#include "libs/schedule/time_zone.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace baton::cli {

nlohmann::json task_of(schedule::crontab_entry const& entry, std::string const& origin, import_settings const& settings)
{
    auto const& zone = entry.zone.empty() ? settings.zone : entry.zone;
    nlohmann::json task{
        {"project", settings.project},
        {"name", settings.service == import_settings{}.service ? entry.name : settings.service + "-" + entry.name},
        {"description", origin},
        {"service", settings.service},
        {"handler", entry.name},
        {"schedule", {{"kind", "cron"}, {"cron", entry.schedule}, {"zone", zone}}}};
    if (settings.enable)
        task["enabled"] = true;
    return task;
}

std::string origin_of(std::string const& file)
{
    std::error_code none;
    auto path = std::filesystem::weakly_canonical(file, none).string();
    char host[256] = {};
    gethostname(host, sizeof host - 1);
    return "imported from " + (none ? file : path) + " on " + host;
}

bool is_former_origin(std::string const& description, std::string const& file)
{
    std::string_view rest = description;
    if (!rest.starts_with("line "))
        return false;
    rest.remove_prefix(5);
    auto const digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (digits == 0 || !rest.substr(digits).starts_with(" of "))
        return false;
    auto const path = rest.substr(digits + 4);
    std::error_code none;
    auto const whole = std::filesystem::weakly_canonical(file, none).string();
    return path == file || (!none && path == whole);
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
