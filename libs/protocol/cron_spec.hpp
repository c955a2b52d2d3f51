#pragma once
// How the expression of a cron schedule is read, and the policies for the changes of its zone's clock.

#include "libs/protocol/names.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>

namespace baton::protocol {

class strict_object;

enum class cron_dialect : std::uint8_t {
    crontab, // crontab(5), and six fields with the second first
    quartz,  // Quartz's CronExpression
};
template <>
inline constexpr std::array<std::string_view, 2> names_of<cron_dialect>{"crontab", "quartz"};

// A time that the clock skips when it is put forward.
enum class gap_policy : std::uint8_t {
    skip,       // no firing
    next_valid, // one firing at the end of the gap, for all times in it
    shift,      // as much later as the gap is long
};
template <>
inline constexpr std::array<std::string_view, 3> names_of<gap_policy>{"skip", "next_valid", "shift"};

// A time that the clock shows twice when it is put back.
enum class overlap_policy : std::uint8_t { first, second, both };
template <>
inline constexpr std::array<std::string_view, 3> names_of<overlap_policy>{"first", "second", "both"};

// A policy that is absent is that of the dialect (see schedule::cron::usual_policy) or of the kind. A window and a
// calendar interval have the policies, and no other member.
struct cron_rules {
    cron_dialect dialect = cron_dialect::crontab;
    std::optional<gap_policy> gap{};
    std::optional<overlap_policy> overlap{};
    std::optional<std::uint32_t> hash_seed{}; // of the values that the expression writes as H

    friend bool operator==(cron_rules const&, cron_rules const&) = default;
};

// The members dialect, gap, overlap and hash_seed of a schedule. Throws invalid_input with the field.
cron_rules parse_cron_rules(strict_object& object);
// The members gap and overlap.
cron_rules parse_clock_rules(strict_object& object);
void write_cron_rules(nlohmann::json& schedule, cron_rules const& rules); // without those that have their default

} // namespace baton::protocol
