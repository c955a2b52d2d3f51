#pragma once
// The table of named calendars. Tasks take a copy of a calendar's content when they are saved (task_calendars.hpp), so
// a change of a calendar is followed by an edit of each task that uses it.

#include "libs/base/id.hpp"
#include "libs/protocol/task.hpp"
#include "libs/protocol/term_id.hpp"
#include "libs/storage/database.hpp"

#include <optional>
#include <string>
#include <vector>

namespace baton::storage {

struct calendar_record {
    calendar_id id;
    int version = 1;
    protocol::calendar_definition definition;
    utc_time created_at;
    utc_time updated_at;
};

struct calendar_version_record {
    int version = 1;
    utc_time created_at;
    protocol::calendar_definition definition;
};

// A task whose present definition uses a calendar.
struct calendar_user {
    task_id id;
    std::string name;
    int version = 0; // of the calendar that it has
};

enum class calendar_outcome { done, not_found, stale_version, in_use };

struct calendar_result {
    calendar_outcome outcome = calendar_outcome::done;
    calendar_record calendar;         // after the change
    std::vector<calendar_user> users; // in_use: some of them
};

// Each method is one transaction. A calendar's row is locked by its changes and by the edits of tasks that take its
// content, so no task keeps an older content unnoticed.
class calendars {
public:
    explicit calendars(database& shared, protocol::namespace_id name_space = protocol::first_namespace)
        : shared_(shared), name_space_(name_space)
    {}

    // The schedule of a task of the project with the content that its calendars have now, as a save would take it.
    // Throws invalid_input("schedule.calendars") for one that the project does not have.
    awaitable<protocol::schedule_spec> with_contents(std::string project, protocol::schedule_spec schedule);

    // Throws already_exists if project and name are taken.
    awaitable<calendar_record> create(calendar_id id, protocol::calendar_definition definition);
    // `seen`: the version that the caller changes, or none. Project and name stay as they are.
    awaitable<calendar_result> replace(calendar_id id, std::optional<int> seen,
                                       protocol::calendar_definition definition);
    // Refused while a task uses it.
    awaitable<calendar_result> remove(calendar_id id, std::optional<int> seen);

    awaitable<std::optional<calendar_record>> find(calendar_id id);
    // In the order of their ids.
    awaitable<std::vector<calendar_record>> list(std::optional<std::string> project, std::optional<std::string> name,
                                                 calendar_id after, int limit);
    // Below `before`, the newest first.
    awaitable<std::vector<calendar_version_record>> versions(calendar_id id, std::optional<int> before, int limit);
    // In the order of their ids. `behind`: only those that have an older version than this.
    awaitable<std::vector<calendar_user>> users(calendar_id id, std::optional<int> behind, task_id after, int limit);

private:
    database& shared_;
    protocol::namespace_id name_space_;
};

} // namespace baton::storage
