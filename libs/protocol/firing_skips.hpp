#pragma once
// Firings of a task that a person asked to skip, by their instants. They stand in the stored schedule, so a version of
// a task always has the same firings, and the planner reads nothing more for them.

#include "libs/base/time.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace baton::protocol {

class strict_object;

struct firing_skip {
    utc_time firing;
    utc_time asked_at;
    std::string by;     // a person or a program; may be empty
    std::string reason; // may be empty

    friend bool operator==(firing_skip const&, firing_skip const&) = default;
};

inline constexpr std::size_t most_skips = 100;          // of a task, ahead
inline constexpr std::size_t most_stored_skips = 1'000; // past ones included
inline constexpr std::size_t longest_skip_reason = 120;
inline constexpr std::size_t longest_skip_author = 100;

// The member "skips" of a stored schedule, in order of time; none without it. Throws invalid_input with the field.
std::vector<firing_skip> parse_skips(strict_object& schedule);
// Writes nothing without skips.
void write_skips(nlohmann::json& schedule, std::vector<firing_skip> const& skips);

// Throws invalid_input if a person gives skips in a definition.
void check_no_skips(std::vector<firing_skip> const& skips);

// The skip of this firing; null if there is none.
firing_skip const* skip_of(std::vector<firing_skip> const& skips, utc_time firing);

// The reason in the ledger: "skipped on request of ann: maintenance".
std::string to_text(firing_skip const& skip);

} // namespace baton::protocol
