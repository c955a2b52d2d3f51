#pragma once

#include "trigger/master/open_set.hpp"
#include "trigger/master/task_book.hpp"

#include <cstddef>
#include <map>
#include <memory>

namespace baton::trigger {

// The rate and the concurrency limit that hold for executions of an older version of their task: those of its present
// version, because an edit of a limit holds at once. Knows the tasks that were edited while executions of them waited.
// On the loop only.
class present_limits {
public:
    explicit present_limits(open_set& open) : open_(open) {}

    // The present version of a task. Forgets a few tasks of which no execution waits, so that it knows about as many as
    // have executions that wait.
    void learn(std::shared_ptr<known_task const> present);

    // The later of the execution's own version and the present one: its limits hold for the execution.
    known_task const& holding(open_execution const& one) const;
    // The policy of the execution's own version, with the limit of holding().
    protocol::concurrency_policy concurrency(open_execution const& one) const;

    // True if a later version of the task was learned and is remembered. Otherwise each execution that waits has the
    // limits of its own version.
    bool knows(task_id task) const { return present_.contains(task); }

    std::size_t size() const { return present_.size(); }

private:
    void forget_some();

    open_set& open_;
    std::map<task_id, std::shared_ptr<known_task const>> present_;
    task_id looked_at_{};
};

// True if executions of the task wait whose own version has a rate or a concurrency limit.
bool has_limited_waiting(open_set& open, task_id task);

} // namespace baton::trigger
