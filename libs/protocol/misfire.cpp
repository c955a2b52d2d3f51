#include "libs/protocol/misfire.hpp"

#include "libs/protocol/strict.hpp"
#include "libs/protocol/task.hpp"

namespace baton::protocol {

misfire_policy parse_misfire(nlohmann::json const& value)
{
    strict_object object(value, "misfire");
    misfire_policy policy;
    policy.action = parse<misfire_action>(object.text("action", "fire_once", 32), "misfire.action");
    policy.after = object.millis("after_ms", 60s, 0s, longest_misfire_after);
    if (policy.action == misfire_action::fire_all) {
        policy.limit = static_cast<int>(object.number("limit", policy.limit, 1, most_fire_all));
        policy.within = object.millis("within_ms", 0s, 0s, longest_span);
    } else {
        object.refuse({"limit", "within_ms"}, "is only for misfire.action fire_all");
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
