#include "libs/protocol/task_origins.hpp"

#include "libs/base/error.hpp"

#include <algorithm>

namespace baton::protocol {

std::vector<std::string> const& defaultable_members()
{
    static std::vector<std::string> const members{
        "concurrency", "context",        "limits", "max_attempts", "max_deaths",    "misfire",    "priority", "rate",
        "retry",       "retry_delay_ms", "route",  "routing",      "stop_grace_ms", "timeout_ms", "zone"};
    return members;
}

bool is_defaultable(std::string const& member)
{
    return std::ranges::binary_search(defaultable_members(), member);
}

task_origins parse_origins(nlohmann::json const& value)
{
    if (!value.is_object())
        throw invalid_input("origins", "origins is written by the server: leave it out");
    task_origins origins;
    for (auto const& [member, from] : value.items()) {
        if (!is_defaultable(member) || !from.is_string())
            throw invalid_input("origins", "origins is written by the server: leave it out");
        origins[member] = parse<origin>(from.get<std::string>(), "origins");
    }
    return origins;
}

nlohmann::json to_json(task_origins const& origins)
{
    auto value = nlohmann::json::object();
    for (auto const& [member, from] : origins)
        value[member] = to_string(from);
    return value;
}

} // namespace baton::protocol
