#pragma once
// A change of a named calendar reaches the tasks that use it: each gets an edit, all with the same line.

#include "libs/protocol/named_calendar.hpp"
#include "libs/storage/calendars.hpp"
#include "web/context.hpp"

#include <string>
#include <vector>

namespace baton::web {

// A calendar that more tasks use cannot be changed.
inline constexpr int most_users = 5'000;

struct calendar_change {
    utc_time valid_from; // no firing of the tasks at or after this uses the old content
    int edited = 0;      // tasks
    std::vector<std::string>
        left_behind; // names of tasks that still have the old content, as more is due than an edit takes
};

// Refuses (422) a content with which a task that uses the calendar would never fire again.
awaitable<void> check_users(context& site, storage::calendar_record const& calendar,
                            protocol::calendar_content const& content);

// Edits the tasks that have an older version than the calendar. May be repeated: it goes on where it was interrupted.
awaitable<calendar_change> follow_change(context& site, storage::calendar_record const& calendar);

} // namespace baton::web
