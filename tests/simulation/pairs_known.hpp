#pragma once
// Faults of the product that pairs_sim finds and that are not fixed yet. While one of them stands here as open, the
// draw keeps apart what leads to it, or the judges pass over it. Set it to `fixed` when its fix lands.

#include "tests/simulation/pairs_judge.hpp"

namespace pairs_sim {

enum class standing { open, fixed };

struct known_fault {
    char const* name; // for the tables and the reports
    standing now;
};

// The name of the open fault that explains a violation; empty: none does.
std::string explanation_of(facts const& seen, violation const& which);

// Events that are not drawn: see docs/testing.md.
constexpr bool is_drawn(item event)
{
    return event != item::zone_change;
}

} // namespace pairs_sim
