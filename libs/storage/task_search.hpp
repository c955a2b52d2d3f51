#pragma once
// How a page of tasks is found: the index that leads to it, and how far a search for rare ones goes. For .cpp files of
// this folder.

#include "libs/storage/statement.hpp"
#include "libs/storage/tasks.hpp"

namespace baton::storage {

// The index along which a page is read, in the order of ids.
enum class task_way {
    all,
    label,
    owner,
    service_of_project,
    service, // of any project
    state,
};

// Pure.
task_way way_of(task_filter const& filter);

// True if the index does not show which tasks meet the filter, so that a page must end after `filter.look` rows. Pure.
bool must_bound(task_filter const& filter, task_way way);

// The rows of a page: the FROM clause and the conditions.
class task_search {
public:
    // Asks the database how far the page may look.
    task_search(soci::session& sql, protocol::namespace_id name_space, task_filter filter);

    void from(statement& ask) const;  // " FROM task"
    void where(statement& ask) const; // " WHERE ..."
    void order(statement& ask) const; // " ORDER BY ... LIMIT "

    // The last task that the page may look at; nothing if the filter leads past no others.
    std::optional<task_id> const& end() const { return end_; }

private:
    fragment key() const;
    void keep_place(statement& ask) const;
    void keep_rest(statement& ask) const;
    void keep_state(statement& ask) const;
    std::optional<task_id> find_end() const;

    soci::session& sql_;
    protocol::namespace_id name_space_;
    task_filter filter_;
    task_way way_;
    std::optional<task_id> end_;
};

} // namespace baton::storage
