#pragma once
// Notes on the clock changes of a schedule's zone, for the person who saves it.

#include "libs/protocol/task.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace baton::schedule {

enum class clock_change : std::uint8_t {
    gap,     // put forward
    overlap, // put back
};

struct clock_note {
    utc_time at; // the change
    clock_change kind;
    std::string text; // "on 2027-03-28 the clock of Europe/Berlin skips 02:30: fires once, at 03:00"
};

inline constexpr std::chrono::days days_noted{400};

// The changes within days_noted after `now` that times of the schedule meet; none for kinds without a zone. Looks at a
// thousand times for each change, so the work is bounded. Throws invalid_input like timetable.
std::vector<clock_note> clock_notes(protocol::schedule_spec const& spec, utc_time created_at, utc_time now);

} // namespace baton::schedule

namespace baton::protocol {
template <>
inline constexpr std::array<std::string_view, 2> names_of<schedule::clock_change>{"gap", "overlap"};
} // namespace baton::protocol
