#include "cli/node_list.hpp"

#include "cli/span.hpp"
#include "cli/table.hpp"

#include <cstdio>
#include <set>

namespace baton::cli {

namespace {

std::string seconds(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.1f s", value);
    return text;
}

} // namespace

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

std::string alive_text(nlohmann::json const& node)
{
    if (node.value("silent", false))
        return "silent " + span_text(static_cast<std::int64_t>(node.value("age_ms", 0.0)));
    return cell(node, "alive");
}

std::string lease_text(nlohmann::json const& lease)
{
    if (lease.is_null())
        return "no master yet: no trigger has made the row of the lease, or it cannot be read";
    if (cell(lease, "owner") == "-")
        return "no master yet: the lease is free, its last epoch is " + cell(lease, "epoch");
    auto const renewed = "renewed " + seconds(lease.value("age_ms", 0.0) / 1'000) + " ago";
    if (lease.value("expired", false))
        return "no master yet: the lease of epoch " + cell(lease, "epoch") + " has expired, " + renewed;
    return "lease: epoch " + cell(lease, "epoch") + ", " + renewed + ", " + seconds(lease.value("seconds_left", 0.0)) +
           " left";
}

} // namespace baton::cli
