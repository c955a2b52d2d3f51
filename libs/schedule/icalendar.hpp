#pragma once
// Reads the whole days of iCalendar files (RFC 5545), such as lists of public holidays.

#include "libs/protocol/named_calendar.hpp"

#include <string>
#include <vector>

namespace baton::schedule {

// The days of the events of a file, in order and joined. An event that recurs is followed for ten years from `now`;
// days more than a year past are left out. Throws invalid_input("icalendar"), naming the event, for one that is not of
// whole days, whose recurrence is not in days, weeks, months or years, or for text that is no iCalendar. May be called
// from any thread.
std::vector<protocol::date_span> whole_days(std::string const& text, utc_time now);

} // namespace baton::schedule
