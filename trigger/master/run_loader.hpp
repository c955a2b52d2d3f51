#pragma once

#include "trigger/master/attempts.hpp"
#include "trigger/master/execution_loader.hpp"
#include "trigger/master/quota.hpp"

namespace baton::trigger {

// Takes in the executions that signals name. A run now of a service that has more open executions than it may have is
// skipped, with the reason: nothing else bounds the number of these, and those of a service without clients would fill
// memory and disk. What a master has taken in stays, also after a take-over. Part of a term.
class run_loader {
public:
    run_loader(planner_settings settings, term_scope const& scope, execution_loader& loader, attempts& next)
        : settings_(settings), scope_(scope), loader_(loader), next_(next)
    {}

    void load(storage::open_execution_row const& row, open_set::reading const& seen);

private:
    planner_settings settings_;
    term_scope scope_;
    execution_loader& loader_;
    attempts& next_;
};

} // namespace baton::trigger
