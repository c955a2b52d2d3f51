#include "cli/node_list.hpp"

#include <set>

namespace baton::cli {

std::vector<nlohmann::json> nodes_for_people(nlohmann::json const& items)
{
    std::set<std::string> live;
    for (auto const& each : items)
        if (each.value("alive", false))
            live.insert(each.value("name", ""));
    std::vector<nlohmann::json> shown;
    for (auto const& each : items)
        if (each.value("alive", false) || !live.contains(each.value("name", "")))
            shown.push_back(each);
    return shown;
}

std::string role_of(nlohmann::json const& node)
{
    return node.value("alive", false) ? node.value("role", "") : "gone";
}

} // namespace baton::cli
