#include "libs/protocol/misfire.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"
#include "libs/protocol/strict.hpp"
#include "libs/protocol/task.hpp"

#include <algorithm>

namespace baton::protocol {

misfire_policy parse_misfire(nlohmann::json const& value)
{
    strict_object object(value, "misfire");
    misfire_policy policy;
    auto const name = object.text("action", "fire_once", 32);
    if (std::ranges::find(names_of<misfire_action>, name) == names_of<misfire_action>.end())
        throw invalid_input("misfire.action", "misfire.action must be one of " + list_names<misfire_action>() +
                                                  ", not " + in_quotes(name));
    policy.action = parse<misfire_action>(name, "misfire.action");
    policy.after = std::chrono::milliseconds{object.number("after_ms", 60'000, 0, longest_misfire_after / 1ms)};
    if (policy.action == misfire_action::fire_all) {
        policy.limit = static_cast<int>(object.number("limit", policy.limit, 1, most_fire_all));
        policy.within = std::chrono::milliseconds{object.number("within_ms", 0, 0, longest_span / 1ms)};
    }
    object.finish();
    return policy;
}

nlohmann::json to_json(misfire_policy const& policy)
{
    nlohmann::json value{{"action", to_string(policy.action)}, {"after_ms", policy.after / 1ms}};
    if (policy.action == misfire_action::fire_all) {
        value["limit"] = policy.limit;
        value["within_ms"] = policy.within / 1ms;
    }
    return value;
}

} // namespace baton::protocol
