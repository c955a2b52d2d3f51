#pragma once
// The named calendars of a task, inside the transaction that saves it. For .cpp files of this folder.

#include "libs/protocol/task.hpp"
#include "libs/protocol/term_id.hpp"
#include "libs/storage/statement.hpp"

#include <string>
#include <vector>

namespace baton::storage {

// A calendar whose version a task takes.
struct calendar_link {
    calendar_id calendar;
    int version = 0;
};

enum class calendar_rows { read, lock };

// Gives the schedule's calendars the content that they have now. Throws invalid_input
// ("schedule.calendars") for one that the project does not have.
std::vector<calendar_link> take_calendars(soci::session& sql, protocol::namespace_id name_space,
                                          std::string const& project, protocol::schedule_spec& schedule,
                                          calendar_rows how);

// Replaces what is recorded for the task. `had`: the definition before had calendars.
void write_calendar_links(soci::session& sql, task_id task, std::vector<calendar_link> const& links, bool had);

} // namespace baton::storage
