#pragma once
// The table of tasks, and the edits of a task.

#include "libs/base/id.hpp"
#include "libs/protocol/edit_plan.hpp"
#include "libs/protocol/names.hpp"
#include "libs/protocol/term_id.hpp"
#include "libs/storage/database.hpp"
#include "libs/storage/skipped.hpp"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace baton::storage {

// Since when the firings of a task are not planned, and why: its service has as many open executions as it may have.
struct parking {
    utc_time since;
    std::string reason;
};

struct task_record {
    task_id id;
    int version = 1;
    protocol::task_definition definition;
    std::optional<utc_time> next_fire_at; // the first firing that is not planned
    utc_time created_at;
    utc_time updated_at;
    std::optional<parking> parked{};
    std::int64_t firings = 0;            // that count for its maximum
    std::optional<utc_time> resume_at{}; // in place of next_fire_at, if it has fired as often as it may
    bool finds_new_parent = false;       // in an edit: its parent is deleted, and there is another task of that name
    std::optional<utc_time> line{};      // in an edit: from when on it holds
};

struct task_version_record {
    int version = 1;
    std::string action; // created, or an edit_action
    utc_time valid_from;
    utc_time created_at;
    protocol::task_definition definition;
};

struct deleted_task {
    task_id id;
    std::string project;
    std::string name;
    int version = 0; // that of the deletion
    utc_time deleted_at;
};

// The state of the firings of a task. A pause of its service changes none of these.
enum class task_state {
    enabled,
    disabled,
    parked, // enabled, but not planned: its service has as many open executions as it may have
};

} // namespace baton::storage

namespace baton::protocol {
template <>
inline constexpr std::array<std::string_view, 3> names_of<storage::task_state>{"enabled", "disabled", "parked"};
}

namespace baton::storage {

struct task_filter {
    std::optional<std::string> project{};
    std::optional<std::string> service{};
    std::optional<std::string> handler{};
    std::optional<std::string> name_contains{};
    std::optional<std::string> text{}; // a part of the name, service, handler or owner, in any case
    std::optional<bool> enabled{};
    std::optional<task_state> state{};
    std::optional<protocol::schedule_kind> kind{};
    std::optional<std::string> owner{};
    protocol::labels labels{}; // all of them
    task_id after{};           // paging: ids rise with registration
    int limit = 50;
    int look = 20'000; // tasks examined at most for one page, if no index covers the filter
};

struct task_page {
    std::vector<task_record> items;
    // Set if the search ended early: the last task that was examined. The next page begins behind it.
    std::optional<task_id> looked_to;
};

enum class edit_outcome { done, not_found, stale_version, name_taken };

struct edit_result {
    edit_outcome outcome = edit_outcome::done;
    task_record task;      // after the edit
    utc_time valid_from;   // no firing at or after this instant uses the old definition
    signal_id signal;      // for the master
    int cancelled = 0;     // planned executions
    int open = 0;          // of a deleted task: of its latest thousand executions, those that have not ended
    duration nodes_lead{}; // edit_lead of the master; 0 if none has led yet
};

enum class edit_action { edited, enabled, disabled, deleted, skip_next, undo_skip };

// Registers and edits tasks. Each edit is announced by a signal that is committed first, and is then one transaction,
// which removes the announcement: the master holds the task's firings back meanwhile. The transaction draws the line
// `valid_from` = the database's now + `lead`, or the instant until which a master may have fired if that is later,
// reads the task's firings, and writes what the planner (schedule::plan_edit) decides: firings of the old definition
// before the line are inserted, planned rows at or after the line are cancelled with the reason and free their place in
// the ledger, and next_fire_at becomes the new definition's first firing from the line on. It bumps the version, leaves
// a task_version row, and tells the master by a signal row. An edit that disables or deletes the task also leaves a row
// in stopped_task: the master then cancels the executions that no client has at the line. If more firings are overdue
// than one transaction takes, such transactions without a new version come first, each of which writes the next of
// them.
class tasks {
public:
    // `planner` is pure and runs on a database thread. `lead` covers the time until the master reads the signal. If the
    // master counts with a longer one, that one holds.
    tasks(database& shared, protocol::edit_planner planner, duration lead,
          protocol::namespace_id name_space = protocol::first_namespace)
        : shared_(shared), planner_(planner), lead_(lead), name_space_(name_space)
    {}

    // Throws already_exists if project and name are taken.
    awaitable<edit_result> create(id_generator& ids, protocol::task_definition definition);

    // `seen`: the version that the caller edits (If-Match), or none. `change` makes the new definition from the present
    // one; it may throw invalid_input. The line is not before `not_before`, so that several edits can share one. Throws
    // invalid_input ("schedule.calendars") for a calendar that does not exist, or if the new schedule never fires
    // because of its calendars; so does `create`.
    awaitable<edit_result> edit(task_id id, std::optional<int> seen, edit_action action, id_generator& ids,
                                std::function<protocol::task_definition(task_record const&)> change,
                                std::optional<utc_time> not_before = std::nullopt);

    awaitable<edit_result> remove(task_id id, std::optional<int> seen, id_generator& ids);

    awaitable<std::optional<task_record>> find(task_id id);
    awaitable<std::optional<task_record>> find_by_name(std::string project, std::string name);
    awaitable<task_page> list(task_filter filter);
    // The versions of a task below `before`, the newest first. They stay when the task is deleted.
    awaitable<std::vector<task_version_record>> versions(task_id id, std::optional<int> before, int limit);
    // The deleted tasks that had exactly this name, the latest deletion first.
    awaitable<std::vector<deleted_task>> deleted(std::string project, std::string name, int limit);
    // The ranges of a task's skipped firings that begin before `before`, the latest first. They stay when the task is
    // deleted.
    awaitable<std::vector<skipped_range>> skipped_ranges(task_id id, std::optional<utc_time> before, int limit);
    awaitable<std::int64_t> count();

private:
    void note_lead(duration of_nodes);

    database& shared_;
    protocol::edit_planner planner_;
    duration lead_;
    duration nodes_lead_{};             // by the last edit
    protocol::namespace_id name_space_; // whose tasks it makes and finds
};

} // namespace baton::storage
