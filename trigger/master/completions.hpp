#pragma once

#include "libs/base/id.hpp"
#include "libs/storage/ledger.hpp"
#include "trigger/master/attempts.hpp"
#include "trigger/master/completion_queue.hpp"
#include "trigger/master/planner.hpp"
#include "trigger/master/task_book.hpp"
#include "trigger/master/term_scope.hpp"

#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace baton::trigger {

// Does what depends on the end of an execution: opens the next attempt after a failure, and plans the next firing of a
// fixed-delay task. Hints start this at once; a look at a part of the ledger once a second makes up for lost hints.
// Part of a term.
class completions {
public:
    struct dependencies {
        completion_queue& queue;
        attempts& next;
        trigger::planner& planner;
        task_book& book;
    };
    completions(term_scope const& scope, dependencies deps) : scope_(scope), deps_(deps) {}

    // An attempt ended with the status that the client reported.
    void finished(protocol::finished const& what);
    // Called before the end of an execution that an earlier attempt has done, while a client runs the present one.
    void on_outlived(std::function<void(storage::unresponsive_attempt)> watcher) { outlived_ = std::move(watcher); }

    awaitable<void> run();

private:
    void interrupted(open_execution& one);
    void done_earlier(open_execution const& one, int attempt);
    awaitable<void> round();
    awaitable<void> resume();
    awaitable<void> resume_missed();
    awaitable<void> resume(awaitable<std::vector<storage::delayed_task>> reading);
    awaitable<void> write(std::vector<storage::advance> const& all);
    std::vector<execution_id> take_paused();
    bool pauses(storage::delayed_task const& row, utc_time& next);
    utc_time end_of(storage::delayed_task const& row);
    static void date_by_estimate(storage::delayed_task& row, utc_time asked);
    void replan();
    std::optional<storage::advance> after_completion(storage::delayed_task const& row);

    term_scope scope_;
    dependencies deps_;
    std::function<void(storage::unresponsive_attempt)> outlived_;
    instant looked_at_{};        // last look at the ledger
    execution_id looked_up_to_;  // of those that fixed-delay tasks wait for; 0: begin again
    bool looked_at_all_ = false; // once in this term
    std::set<task_id> told_;     // the log says that they are refused
    // The executions whose fixed delays pass while cluster time stands still, and when each delay is over.
    std::map<execution_id, instant> pauses_;
    std::set<std::pair<instant, execution_id>> over_next_; // those that are to be looked at then
};

} // namespace baton::trigger
