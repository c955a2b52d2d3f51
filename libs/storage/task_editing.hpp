#pragma once
// One edit of a task inside its transaction. For .cpp files of this folder.

#include "libs/storage/task_calendars.hpp"
#include "libs/storage/task_row.hpp"
#include "libs/storage/tasks.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace baton::storage {

using change_function = std::function<protocol::task_definition(task_record const&)>;

// Ends the transaction without a change; the edit answers with this outcome.
struct refused {
    edit_outcome outcome;
};
// Ends the transaction: the edit inserts more firings than it has ids for.
struct ids_wanted {
    std::size_t count;
};

// The signal that an edit is about to come, committed before it.
struct announcement {
    signal_id id;
    utc_time at;
};
utc_time announce(soci::session& sql, protocol::namespace_id name_space, signal_id id, task_id task);
// Returns the number of announcements that this call took back: 0 if the master has given the edit up.
std::int64_t withdraw(soci::session& sql, signal_id announced);

// Replaces the definition of a task, takes back the planned firings that the new one does not have, and inserts those
// that it has before the line from which the master plans it. Throws `refused`, `ids_wanted`, or try_again.
class editing {
public:
    editing(soci::session& sql, protocol::namespace_id name_space, protocol::edit_planner planner, duration lead,
            edit_action action)
        : sql_(sql), name_space_(name_space), planner_(planner), lead_(lead), action_(action)
    {}

    void not_before(utc_time line) { not_before_ = line; }

    // The master has read the announcement before it fires anything from the line on, and does not count the edit as
    // given up. From here on the edit may take any time.
    void require(announcement const& told);

    // `spare`: ids for the firings that the edit inserts. Empty if more firings of the old definition are overdue than
    // one transaction takes: it has written the first of them, as a planner would have, and is to be repeated.
    std::optional<edit_result> run(task_id id, std::optional<int> seen, change_function const& change, signal_id signal,
                                   std::vector<execution_id> const& spare);

private:
    bool write(stored_task const& stored, std::vector<execution_id> const& spare);
    void advance(protocol::edit_plan const& plan);
    protocol::task_progress read_progress(stored_task const& stored);
    void insert(std::vector<utc_time> const& firings, task_record const& before,
                std::vector<execution_id> const& spare);
    void insert_skips(protocol::edit_plan const& plan, task_record const& before,
                      std::vector<execution_id> const& spare);
    std::int64_t cancel(std::vector<execution_id> const& rows, protocol::state in);
    int count_open();
    void remove();
    bool stops(protocol::task_definition const& before) const;
    void insert_stop(task_id id);
    std::string reason() const;
    void update(protocol::edit_plan const& plan, std::optional<int> since, std::optional<execution_id> waiting_for);

    soci::session& sql_;
    protocol::namespace_id name_space_;
    protocol::edit_planner planner_;
    duration lead_;
    edit_action action_;
    utc_time not_before_{duration::min()};
    utc_time now_;
    duration behind_{}; // the database's clock, which was set back, is so far behind what is fired already
    edit_result result_;
    std::vector<calendar_link> calendars_;
};

} // namespace baton::storage
