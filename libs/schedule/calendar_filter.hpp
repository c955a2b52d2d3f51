#pragma once
// The named calendars of a task, compiled, and the firings that people asked to skip: which instants they let through.

#include "libs/protocol/firing_skips.hpp"
#include "libs/protocol/named_calendar.hpp"
#include "libs/schedule/time_zone.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace baton::schedule {

// Whether an instant is in a calendar, and until when at least that stays so.
struct calendar_state {
    bool inside;
    utc_time until; // later than the instant
};

// One calendar as the parts of the seven days of a week, days of the year and spans of dates.
class compiled_calendar {
public:
    // Throws invalid_input("schedule.zone") for a zone that the machine does not know.
    explicit compiled_calendar(protocol::calendar_content const& content);

    calendar_state at(utc_time when) const;
    bool contains(utc_time when) const; // as at(), without the search for the end of that state

private:
    struct day_part { // of a day, in seconds
        std::int32_t from;
        std::int32_t until;
    };
    using day_parts = std::vector<day_part>; // in order, none touches another

    day_parts const& parts_of(std::chrono::local_days day) const;
    bool is_whole(std::chrono::local_days day) const;
    local_time end_of_inside(std::chrono::local_days day, std::int32_t end) const;
    local_time next_inside(std::chrono::local_days day, std::int32_t after) const;

    time_zone zone_;
    std::vector<protocol::date_span> dates_;
    std::array<std::vector<protocol::year_day>, 12> yearly_; // by month
    std::array<day_parts, 7> week_;                          // from Sunday on
    bool each_year_ = false;                                 // some month has a day
    bool weekly_ = false;                                    // some day of the week has a part
};

class calendar_filter {
public:
    // Calendars whose content is not known yet, because the task has not been stored, let everything through.
    explicit calendar_filter(std::vector<protocol::calendar_use> const& uses,
                             std::vector<protocol::firing_skip> const& skips = {});

    // The first instant at or after `from` that the calendars let through and that is not skipped. Empty if there is
    // none, or none up to the year 9000. `steps` is lowered for each change of a calendar and each skip that is passed;
    // empty as well when it reaches zero. `from` moves on to where the search stands.
    std::optional<utc_time> admitted(utc_time& from, int& steps) const;

    // The instants in [from, until) that people asked to skip and that the calendars let through, in order.
    std::vector<utc_time> skips_between(utc_time from, utc_time until) const;

private:
    struct use {
        compiled_calendar calendar;
        protocol::calendar_mode mode;
    };
    // When to look again at the earliest if the calendars keep this instant back.
    std::optional<utc_time> kept_back_until(utc_time at) const;

    bool is_skipped(utc_time at) const;

    std::vector<use> uses_;
    std::vector<utc_time> skips_; // in order
};

// The changes of calendars that the search for one firing passes: enough for ten years of two a day. A schedule that
// has no firing within them counts as one that never fires again.
inline constexpr int most_calendar_steps = 8'000;

} // namespace baton::schedule
