#pragma once

#include "libs/base/id.hpp"
#include "trigger/delivery/local_master.hpp"
#include "trigger/election/term_log.hpp"
#include "trigger/master/assigner.hpp"
#include "trigger/master/attempts.hpp"
#include "trigger/master/completion_queue.hpp"
#include "trigger/master/completions.hpp"
#include "trigger/master/execution_loader.hpp"
#include "trigger/master/in_doubt_resolver.hpp"
#include "trigger/master/janitor.hpp"
#include "trigger/master/open_set.hpp"
#include "trigger/master/planner.hpp"
#include "trigger/master/settings.hpp"
#include "trigger/master/signals.hpp"
#include "trigger/master/sweeper.hpp"
#include "trigger/master/term_scope.hpp"

namespace baton::trigger {

// Everything that a node does for one term of mastership: takes over the open executions, plans, fires and follows them
// to their ends. Made anew for each term, so that nothing of an older term can survive in it. On the loop only.
//
// The members are the composition of a term, in the order in which they use each other.
class master final : public local_master {
public:
    // All of it lives as long as the process.
    struct dependencies {
        node_parts node;
        storage::ledger& ledger;
        storage::database& shared;
        id_generator& ids;
        term_log& log;
    };

    master(master_settings const& settings, term const& term, dependencies deps, asio::any_io_executor loop);

    // Runs until it is cancelled. Returns by itself if the fence shows that the term is over.
    awaitable<void> run();

    protocol::report_answer report(protocol::report_request const& report) override;
    void signal() override { signals_.wake(); }
    void client_gone(std::string const& instance) override { sweeper_.client_gone(instance); }
    void nodes_changed() override { sweeper_.nodes_changed(); }
    std::size_t open() const override { return open_.size(); }

private:
    awaitable<bool> begin();
    awaitable<void> take_over();
    awaitable<void> log_begin();
    open_execution* find_assigned(execution_id execution, int attempt);

    term term_;
    dependencies deps_;
    open_set open_;
    waker due_changed_;
    waker planned_; // for log_begin
    term_scope scope_;
    task_book book_;
    planner planner_;
    completion_queue queue_;
    attempts attempts_;
    in_doubt_resolver in_doubt_;
    execution_loader loader_;
    assigner assigner_;
    completions completions_;
    sweeper sweeper_;
    signal_reader signals_;
    janitor janitor_;
    int replayed_ = 0; // past-due executions that the take-over found
};

} // namespace baton::trigger
