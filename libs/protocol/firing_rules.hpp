#pragma once
// Rules that hold for the firings of a schedule of any repeated kind: how many there are, and how far each is moved.
// Members of the schedule's JSON.

#include "libs/base/time.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>

namespace baton::protocol {

class strict_object;

inline constexpr std::int64_t most_firings = 1'000'000'000;
inline constexpr duration longest_jitter = 24h;

//   {"max_firings": 10, "jitter_ms": 60000, "jitter_seed": 4711}
struct firing_rules {
    std::int64_t max_firings = 0; // 0: no maximum
    duration jitter{};            // each firing is due up to so much after its instant
    std::optional<std::uint32_t> jitter_seed{};

    friend bool operator==(firing_rules const&, firing_rules const&) = default;
};

// Throws invalid_input with the field ("schedule.max_firings").
firing_rules parse_firing_rules(strict_object& object);
void write_firing_rules(nlohmann::json& schedule, firing_rules const& rules); // without those that have their default

// The instant at which the firing is due: from `firing` to `firing` + jitter. It follows from the seed and the firing
// alone, so every master computes the same one.
utc_time due_instant(firing_rules const& rules, utc_time firing);

} // namespace baton::protocol
