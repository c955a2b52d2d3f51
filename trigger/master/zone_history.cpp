#include "trigger/master/zone_history.hpp"

#include <algorithm>

namespace baton::trigger {

std::map<std::string, int> latest_changes(zone_history const& history)
{
    std::map<std::string, int> found;
    for (auto const& one : history)
        for (auto const& zone : one.changed)
            found[zone] = std::max(found[zone], one.version);
    return found;
}

std::optional<utc_time> line_of(std::map<std::string, int> const& zones, zone_history const& history)
{
    auto line = utc_time::max();
    for (auto const& [zone, version] : zones) {
        if (version == 0)
            return std::nullopt;
        for (auto const& one : history)
            if (one.version > version && std::ranges::find(one.changed, zone) != one.changed.end())
                line = std::min(line, one.valid_from);
    }
    return line;
}

} // namespace baton::trigger
