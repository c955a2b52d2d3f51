#pragma once
// Faults of the product that pairs_sim finds and that are not fixed yet. While one of them is open, the draw keeps
// apart what makes a run endless, and the judges count what it explains by its name. Set it to `fixed` when its fix
// lands.

#include "tests/simulation/pairs_judge.hpp"

#include <array>

namespace pairs_sim {

enum class standing { open, fixed };

struct known_fault {
    char const* name; // for the reports
    standing now;
};

enum class fault : std::size_t {
    shards_rerun_together,
    rerun_of_one_shard,
    forced_run_replaced,
    holder_forgotten,
    clock_moves_delay,
    edited_delay,
    unsent_after_take_over,
    child_of_ended_pause,
    raised_limit,
    returned_client,
    stalled_edit,
};

// In the order of `fault`. The second of the open ones concerns files of SQLite, where a writer that stalls locks
// everything.
inline constexpr std::array<known_fault, 11> known_faults{{
    {"shards that are rerun together and succeed at once stop the cluster", standing::fixed},
    {"the rerun of one shard starts the successor", standing::fixed},
    {"replace cancels a forced run", standing::fixed},
    {"the retention deletes what holds a slot", standing::fixed},
    {"a clock that is set forward shortens the pause of a fixed delay", standing::open},
    {"an edit starts a fixed delay at once", standing::fixed},
    {"unsent work counts as begun after a take-over", standing::fixed},
    {"a successor is skipped for a pause that has ended", standing::fixed},
    {"a raised limit admits nothing until an execution ends", standing::fixed},
    {"limits and cancel do not reach a client that returns", standing::fixed},
    {"an edit that stalls delays unrelated tasks", standing::open},
}};

constexpr bool is_open(fault which)
{
    return known_faults[static_cast<std::size_t>(which)].now == standing::open;
}

// The name of the open fault that explains a violation; empty: none does.
std::string explanation_of(facts const& seen, violation const& which);

// Events that are not drawn: see docs/testing.md.
constexpr bool is_drawn(item event)
{
    return event != item::zone_change;
}

} // namespace pairs_sim
