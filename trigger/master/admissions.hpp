#pragma once

#include "libs/base/loop.hpp"
#include "trigger/master/attempts.hpp"
#include "trigger/master/concurrency_gate.hpp"
#include "trigger/master/limit_tree.hpp"
#include "trigger/master/present_limits.hpp"
#include "trigger/master/term_scope.hpp"
#include "trigger/master/write_group.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace baton::trigger {

// Keeps the limits of tasks, services and projects: a due execution goes to a client only if it is admitted. First it
// needs a place under the concurrency limit of its task (concurrency_gate), then one under its rate and under the
// limits of its service and project (limit_tree). One that waits longer than a second is noted in the ledger, for
// people: late_sends ends the note before it is sent. Part of a term.
class admissions {
public:
    admissions(term_scope const& scope, attempts& next);

    // False for an execution without any limit, which may be sent without asking.
    bool concerns(open_execution const& one) const;
    // True if this due execution may be sent. Otherwise it waits here until a limit lets it go on, or is skipped.
    bool admit(open_execution& one);
    // A client has room, and the execution is about to be sent: takes its tokens. False if a limit keeps it back by
    // now; then it waits here.
    bool start(open_execution& one);

    // The execution may have been under way before this term began.
    void under_way(open_execution const& one);
    // The execution of this handler has ended, and the handler may still run.
    void still_runs(storage::unresponsive_row const& row, known_task const& task);
    // The same for an execution that has ended in this term.
    void runs_on(execution_id id);
    // No client has it, though it may have been sent.
    void absent(open_execution& one);
    // No client of a node has taken it.
    void returned(open_execution const& one);
    // Its client has given it back before it began.
    void given_back(open_execution& one);
    void ended(execution_id id);

    // The settings of services and projects have changed.
    void limit(std::vector<protocol::scope_settings> const& all);

    // True if executions of the task may wait for its rate or its concurrency limit, or for a pause before that.
    bool limits(task_id task) const;
    // This is the present version of the task: its rate and its concurrency limit hold at once.
    void edited(std::shared_ptr<known_task const> task);
    // Reads the present versions of the tasks with limits of which this term has found executions, and calls `learn`
    // with each. Call it after the take-over.
    awaitable<void> read_edits(std::function<void(storage::defined_task const&)> learn);

    // Reads what the last master recorded of the rate limits, before the term acts. Throws `unavailable`.
    awaitable<void> read();
    // All open executions are in memory. Before that nothing with a limit is admitted, since an execution that is under
    // way may not be known yet.
    void all_loaded();

    awaitable<void> run();

private:
    concurrency_gate::candidate candidate(open_execution const& one, bool may_skip) const;
    limit_tree::member member(open_execution const& one) const;
    std::vector<task_id> limited_behind(task_id& last) const;
    std::optional<task_id> next_task(task_id last) const;
    awaitable<std::vector<storage::defined_task>> present_versions(std::vector<task_id> const& tasks);
    bool pass_gate(open_execution& one);
    bool enter_gate(open_execution& one);
    bool pass_tree(open_execution& one);
    bool must_write(open_execution const& one) const;
    void wait_here(open_execution& one);
    void go_on(open_execution& one);
    void send(open_execution& one);
    void admitted(std::vector<execution_id> const& ids);
    void give_way(open_execution& one);
    bool has_moved_on(open_execution const& one) const;
    void make_room(open_execution const& one);
    void take_back_place(open_execution& one);
    open_execution* find_unsent_holder(open_execution const& asking,
                                       std::function<bool(open_execution const&)> const& which);
    void displace(open_execution& one);
    void unblock_line(open_execution& holder);
    std::size_t release_former_service(concurrency_gate::place const& where, concurrency_gate::waiting_one& last);
    void look_at_lines();
    void carry_out(concurrency_gate::ruling const& ruling);
    bool wake_tree(execution_id asking = {});
    void step_back();
    bool waits(execution_id id) const;
    void give_back(open_execution& one, bool begun);
    void let_in_early();
    bool has_let_in() const;
    void enter_early(execution_id id);
    open_execution* find_waiting(execution_id id);

    // Cluster time when the term began, and from then on by the boot clock: tokens come whatever happens to cluster
    // time.
    utc_time rate_time() const { return began_ + (scope_.term.time.now() - began_at_); }

    static constexpr duration promise_holds = 100ms; // if no client has room meanwhile

    instant next_look() const;
    void look_in_time();
    awaitable<void> round();
    awaitable<void> cancel_replaced();
    awaitable<void> learn_unsure();
    awaitable<void> note();
    awaitable<void> let_go();
    void take_to_note();

    term_scope scope_;
    attempts& next_;
    utc_time began_;
    instant began_at_;
    concurrency_gate gate_;
    limit_tree tree_;
    present_limits present_;
    bool loaded_ = false;
    bool all_loaded_ = false;                                // and are let in
    std::deque<std::pair<utc_time, execution_id>> early_;    // were due before all were loaded; by place in line
    std::deque<std::pair<execution_id, bool>> absent_early_; // no client has them, as was known before that; begun?
    std::deque<execution_id> ask_again_;                     // were due early, and stand in line
    std::deque<std::pair<instant, execution_id>> not_noted_; // wait since then
    std::deque<std::pair<instant, execution_id>> promised_;  // may be sent since then
    std::vector<storage::kept_back> to_note_;                // waited for over a second
    std::set<concurrency_gate::place> edited_lines_;         // edited tasks, each with the first key not looked at
    // Lines whose members may wait for their clients instead, each with the last member that was looked at.
    std::map<concurrency_gate::place, concurrency_gate::waiting_one> lines_to_look_at_;
    std::deque<execution_id> to_let_go_; // once the states of their slow rates are in the ledger
    std::deque<execution_id> to_cancel_;
    locked_items<execution_id> locked_to_cancel_;
    std::function<void(storage::defined_task const&)> learn_; // see read_edits
    std::set<task_id> unsure_;          // tasks that may have been edited before an execution of them was read
    instant looks_at_ = instant::min(); // when run() looks the next time by itself
    waker bell_;
};

} // namespace baton::trigger
