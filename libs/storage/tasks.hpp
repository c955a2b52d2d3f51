#pragma once

#include "libs/base/id.hpp"
#include "libs/protocol/task.hpp"
#include "libs/storage/database.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace baton::storage {

struct task_record {
    task_id id;
    int version = 1;
    protocol::task_definition definition;
    std::optional<utc_time> next_fire_at;
    utc_time created_at;
    utc_time updated_at;
};

// The meaning of a schedule, which storage does not know: libs/schedule behind two pure functions. They may be called
// on a database thread.
struct schedule_rules {
    // The first firing at or after `from`.
    std::function<std::optional<utc_time>(protocol::task_definition const&, utc_time created_at, utc_time from)> first;
    // All firings in [from, until), at most `limit`.
    std::function<std::vector<utc_time>(protocol::task_definition const&, utc_time created_at, utc_time from,
                                        utc_time until, std::size_t limit)>
        between;
};

struct task_filter {
    std::optional<std::string> project{};
    std::optional<std::string> service{};
    std::optional<std::string> handler{};
    std::optional<std::string> name_contains{};
    std::optional<bool> enabled{};
    std::optional<protocol::schedule_kind> kind{};
    task_id after{}; // paging: ids rise with registration
    int limit = 50;
};

enum class edit_outcome { done, not_found, stale_version, name_taken, planner_behind };

struct edit_result {
    edit_outcome outcome = edit_outcome::done;
    task_record task;    // as it stands now
    utc_time valid_from; // no firing at or after this instant uses the old definition
    signal_id signal;    // what to tell the master
    int cancelled = 0;   // planned executions that the edit took back
};

enum class edit_action { edited, enabled, disabled, deleted };

// Tasks as people and programs register and edit them. Each edit is one transaction: it bumps the version, leaves a
// task_version row, and draws the line at `valid_from` = the database's now + `lead`: firings before it belong to the
// old definition (those not yet planned are inserted here), planned rows at or after it are cancelled with the reason
// and free their place in the ledger, and next_fire_at is the new definition's first firing from there. A signal row
// tells the master.
class tasks {
public:
    // `lead` covers the time in which a master may not have heard of the edit yet; see planner.
    tasks(database& shared, schedule_rules rules, duration lead)
        : shared_(shared), rules_(std::move(rules)), lead_(lead)
    {}

    // Throws already_exists when project and name are taken.
    awaitable<edit_result> create(id_generator& ids, protocol::task_definition definition);

    // `seen`: the version that the caller edits (If-Match), or none. `change` makes the new definition from the present
    // one and may throw invalid_input.
    awaitable<edit_result> edit(task_id id, std::optional<int> seen, edit_action action, id_generator& ids,
                                std::function<protocol::task_definition(task_record const&)> change);

    awaitable<edit_result> remove(task_id id, std::optional<int> seen, id_generator& ids);

    awaitable<std::optional<task_record>> find(task_id id);
    awaitable<std::optional<task_record>> find_by_name(std::string project, std::string name);
    awaitable<std::vector<task_record>> list(task_filter filter);
    awaitable<std::int64_t> count();

private:
    database& shared_;
    schedule_rules rules_;
    duration lead_;
};

} // namespace baton::storage
