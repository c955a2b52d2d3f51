#pragma once

#include "libs/base/loop.hpp"
#include "libs/storage/signals.hpp"
#include "trigger/master/assigner.hpp"
#include "trigger/master/completion_queue.hpp"
#include "trigger/master/execution_loader.hpp"
#include "trigger/master/planner.hpp"
#include "trigger/master/settings.hpp"
#include "trigger/master/sweeper.hpp"
#include "trigger/master/term_scope.hpp"

#include <set>

namespace baton::trigger {

// Reads the signals of the web (edits, runs, cancellations): at once when told, and a few times a second anyway.
//
// A reading that found no further signal allows firing up to half of edit_lead beyond its beginning. An edit is
// committed within the first half of its lead. So a firing that an edit took back cannot go out before this master has
// read of the edit. Part of a term.
class signal_reader {
public:
    struct dependencies {
        trigger::planner& planner;
        trigger::assigner& assigner;
        execution_loader& loader;
        completion_queue& completions;
        trigger::sweeper& sweeper;
    };
    signal_reader(planner_settings settings, term_scope const& scope, storage::database& shared, dependencies deps)
        : settings_(settings), scope_(scope), table_(shared), deps_(deps), bell_(scope.loop)
    {}

    awaitable<void> run();
    void wake() { bell_.wake(); }

private:
    awaitable<bool> round(); // true: there may be more
    awaitable<void> reload_tasks(std::set<task_id> tasks);

    planner_settings settings_;
    term_scope scope_;
    storage::signals table_;
    dependencies deps_;
    waker bell_;
};

} // namespace baton::trigger
