#include "libs/protocol/firing_rules.hpp"

#include "libs/base/hash.hpp"
#include "libs/protocol/strict.hpp"

#include <limits>

namespace baton::protocol {

firing_rules parse_firing_rules(strict_object& object)
{
    firing_rules rules;
    if (object.find("max_firings") != nullptr)
        rules.max_firings = object.number("max_firings", 0, 1, most_firings);
    rules.jitter = object.millis("jitter_ms", 0s, 0s, longest_jitter);
    if (object.find("jitter_seed") != nullptr)
        rules.jitter_seed =
            static_cast<std::uint32_t>(object.number("jitter_seed", 0, 0, std::numeric_limits<std::uint32_t>::max()));
    return rules;
}

void write_firing_rules(nlohmann::json& schedule, firing_rules const& rules)
{
    if (rules.max_firings != 0)
        schedule["max_firings"] = rules.max_firings;
    if (rules.jitter != 0s)
        schedule["jitter_ms"] = rules.jitter / 1ms;
    if (rules.jitter_seed)
        schedule["jitter_seed"] = *rules.jitter_seed;
}

utc_time due_instant(firing_rules const& rules, utc_time firing)
{
    if (rules.jitter == 0s)
        return firing;
    auto const seed = mix64(rules.jitter_seed.value_or(0) + 0x9e3779b97f4a7c15);
    auto const drawn = mix64(seed + static_cast<std::uint64_t>(firing.time_since_epoch().count()));
    return firing + duration{static_cast<std::int64_t>(drawn % static_cast<std::uint64_t>(rules.jitter.count() + 1))};
}

} // namespace baton::protocol
