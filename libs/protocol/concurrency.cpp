#include "libs/protocol/concurrency.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"
#include "libs/protocol/payload_key.hpp"
#include "libs/protocol/strict.hpp"

#include <functional>
#include <optional>

namespace baton::protocol {

concurrency_policy parse_concurrency(nlohmann::json const& value)
{
    strict_object object(value, "concurrency");
    concurrency_policy policy;
    policy.limit = static_cast<int>(object.number("limit", 0, 0, most_concurrent));
    if (policy.limit == 0) {
        object.refuse({"when_full", "queue", "key"}, R"(needs concurrency.limit, such as in {"limit": 1})");
    } else {
        policy.when_full = parse<protocol::when_full>(object.text("when_full", "wait", 32), "concurrency.when_full");
        if (policy.when_full == when_full::wait)
            policy.queue = static_cast<int>(object.number("queue", 0, 0, most_concurrent));
        else
            object.refuse({"queue"}, "is only for concurrency.when_full wait");
        policy.key = object.text("key", {}, longest_pointer);
        check_pointer(policy.key, "concurrency.key");
    }
    object.finish();
    return policy;
}

nlohmann::json to_json(concurrency_policy const& policy)
{
    nlohmann::json value{{"limit", policy.limit}};
    if (policy.limit == 0)
        return value;
    value["when_full"] = to_string(policy.when_full);
    if (policy.when_full == when_full::wait)
        value["queue"] = policy.queue;
    value["key"] = policy.key;
    return value;
}

void check_key(concurrency_policy const& policy, json_text const& payload)
{
    if (!policy.key.empty() && !value_at(policy.key, payload))
        throw invalid_input("payload", "payload has nothing at " + in_quotes(policy.key) +
                                           ", which is the concurrency.key of the task");
}

std::uint64_t key_hash(concurrency_policy const& policy, json_text const& payload)
{
    if (policy.key.empty())
        return 0;
    auto const value = value_at(policy.key, payload);
    return value ? std::hash<std::string>()(*value) : 0;
}

} // namespace baton::protocol
