#pragma once

#include "libs/storage/successors.hpp"
#include "trigger/master/quota.hpp"
#include "trigger/master/settings.hpp"
#include "trigger/master/task_book.hpp"
#include "trigger/master/term_scope.hpp"
#include "trigger/master/write_group.hpp"

#include <map>
#include <set>
#include <vector>

namespace baton::trigger {

// Starts the tasks that run after the success of another one, for the same logical time. It looks at the parents whose
// firings have not been followed, a bounded number at a time, because a hint of an end may be lost. An execution of a
// service that has as many open as it may have is skipped, with the reason. Part of a term.
class successor_tasks {
public:
    successor_tasks(planner_settings const& settings, term_scope const& scope, task_book& book, id_generator& ids)
        : settings_(settings), scope_(scope), table_(scope.ledger.successor_tables()), book_(book), ids_(ids)
    {}

    awaitable<void> run();

private:
    // The rows of one transaction, and the parents that it ends.
    struct started {
        std::vector<storage::follower> rows;
        std::vector<open_execution> open;
        std::vector<execution_id> over;
    };
    using children = std::multimap<task_id, storage::successor_task>; // by parent
    awaitable<void> look();
    awaitable<children> children_of(std::vector<storage::ended_parent> const& ended);
    awaitable<void> write(started& some, std::set<execution_id>& again);
    awaitable<storage::followed> follow(started const& some, std::set<execution_id>& again);
    awaitable<void> follow_in_halves(started const& some, std::set<execution_id>& again, storage::followed& done);
    void start(storage::ended_parent const& parent, storage::successor_task const& child, page_room& room,
               started& into);

    planner_settings settings_;
    term_scope scope_;
    storage::successors table_;
    task_book& book_;
    id_generator& ids_;
    execution_id looked_up_to_;
    bool idle_ = false; // the last look found no firing to follow, or the database refused all that it found
    refused_groups refusals_;
};

} // namespace baton::trigger
