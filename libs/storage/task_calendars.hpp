#pragma once
// The named calendars of a task, inside the transaction that saves it. For .cpp files of this folder.

#include "libs/protocol/task.hpp"
#include "libs/protocol/term_id.hpp"
#include "libs/storage/statement.hpp"

#include <vector>

namespace baton::storage {

// A calendar whose version a task takes.
struct calendar_link {
    calendar_id calendar;
    int version = 0;
};

// Gives the schedule's calendars the content that they have now, and locks their rows. Throws invalid_input
// ("schedule.calendars") for one that the project does not have.
std::vector<calendar_link> take_calendars(soci::session& sql, protocol::namespace_id name_space,
                                          protocol::task_definition& definition);

// Replaces what is recorded for the task. `had`: the definition before had calendars.
void write_calendar_links(soci::session& sql, task_id task, std::vector<calendar_link> const& links, bool had);

// Throws invalid_input ("schedule.calendars").
[[noreturn]] void refuse_never_firing();

} // namespace baton::storage
