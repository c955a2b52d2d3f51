#pragma once

#include "libs/storage/run_times.hpp"
#include "trigger/master/term.hpp"

#include <set>
#include <vector>

namespace baton::trigger {

// Finds tasks that run slower than they used to and lists them in `slow_task`. It looks only at tasks with a run of a
// second or more, and at those that are listed. The execution counter calls it between its own pieces, in its share of
// the time. Part of a term.
class slow_watch {
public:
    slow_watch(term& term, storage::database& shared) : term_(term), table_(shared, term.name_space) {}

    // Notes tasks with a run of at least protocol::slow_margin. One whose runs are shorter cannot be slower by that.
    void note(std::vector<task_id> const& tasks);

    // Judges up to twenty of the tasks noted, each in its turn.
    awaitable<void> turn();

private:
    awaitable<void> judge(std::vector<task_id> tasks);

    term& term_;
    storage::run_times table_;
    std::set<task_id> noted_; // at most a few thousand: others come again with their next run
    task_id last_{};          // judged; those behind it are next
    instant list_at_{};       // when to look again at those that are listed
};

} // namespace baton::trigger
