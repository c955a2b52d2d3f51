#pragma once
// The next firings of a schedule that need not be saved yet, with what the clock and the calendars do to them. Pure.

#include "libs/protocol/task.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace baton::schedule {

// The effect of a clock change on a firing.
enum class clock_effect : std::uint8_t {
    moved,         // the clock skips the time that the schedule names, so it fires later
    first_of_two,  // the clock shows the time twice, and this is the first
    second_of_two, // this is the second
};

// The scheduled times between the firing before and this one that the calendars exclude.
struct left_out {
    std::size_t count = 0; // at most most_left_out
    bool more = false;     // there are more than these
    utc_time first{};
    std::vector<std::string> calendars; // the names of those that keep them back, each once
};

struct previewed_firing {
    utc_time at;
    std::optional<utc_time> due_at; // later by the jitter; empty if its seed is not known yet
    std::optional<clock_effect> clock;
    left_out before;
};

enum class preview_end : std::uint8_t {
    more,        // there are further firings, or may be
    over,        // the schedule has no further firing
    max_firings, // the task has fired as often as it may
    bound,       // the search has passed most_preview_steps changes of the calendars
};

// Why a schedule has no planned times.
enum class unplanned : std::uint8_t { fixed_delay, after, api };

struct schedule_preview {
    std::vector<previewed_firing> firings;
    preview_end end = preview_end::more;
    std::optional<schedule::unplanned> unplanned; // then there is no firing
    bool never = false; // no firing is found within most_calendar_steps: with calendars, a save refuses that as new
};

struct preview_bounds {
    utc_time from;                                                // the first instant at which a firing may be
    std::size_t count;                                            // of firings, at least 1
    std::int64_t left = std::numeric_limits<std::int64_t>::max(); // of the task's maximum of firings
};

inline constexpr std::size_t most_left_out = 1'000; // that are counted before a firing
inline constexpr int most_preview_steps = 20'000;   // changes of the calendars, for all firings together

// A preview in pieces, for a thread that serves others in between: a piece takes some milliseconds, and all of them
// together a few hundred at most.
class preview_search {
public:
    // Throws invalid_input like timetable. The calendars of the schedule need their contents.
    preview_search(protocol::schedule_spec const& spec, utc_time created_at, preview_bounds bounds);
    ~preview_search();
    preview_search(preview_search&&) noexcept;
    preview_search& operator=(preview_search&&) noexcept;

    bool advance(); // computes the next piece; false when the preview is whole
    schedule_preview take();

private:
    class work;
    std::unique_ptr<work> work_;
};

// The whole at once.
schedule_preview preview(protocol::schedule_spec const& spec, utc_time created_at, preview_bounds bounds);

// A sentence for people: "it has no planned times: each run is due 30 s after the end of the run before, ...".
std::string explain(unplanned why, protocol::schedule_spec const& spec);

} // namespace baton::schedule

namespace baton::protocol {
template <>
inline constexpr std::array<std::string_view, 3> names_of<schedule::clock_effect>{"moved", "first_of_two",
                                                                                  "second_of_two"};
template <>
inline constexpr std::array<std::string_view, 4> names_of<schedule::preview_end>{"more", "over", "max_firings",
                                                                                 "bound"};
template <>
inline constexpr std::array<std::string_view, 3> names_of<schedule::unplanned>{"fixed_delay", "after", "api"};
} // namespace baton::protocol
