#pragma once

#include "libs/base/id.hpp"
#include "trigger/delivery/local_master.hpp"
#include "trigger/election/term_log.hpp"
#include "trigger/master/assigner.hpp"
#include "trigger/master/attempts.hpp"
#include "trigger/master/broadcast_closer.hpp"
#include "trigger/master/broadcast_splitter.hpp"
#include "trigger/master/cancellations.hpp"
#include "trigger/master/client_directory.hpp"
#include "trigger/master/completion_queue.hpp"
#include "trigger/master/completions.hpp"
#include "trigger/master/deadlines.hpp"
#include "trigger/master/ends_elsewhere.hpp"
#include "trigger/master/execution_counter.hpp"
#include "trigger/master/execution_limits.hpp"
#include "trigger/master/execution_loader.hpp"
#include "trigger/master/fire_mark.hpp"
#include "trigger/master/homes.hpp"
#include "trigger/master/in_doubt_resolver.hpp"
#include "trigger/master/janitor.hpp"
#include "trigger/master/open_set.hpp"
#include "trigger/master/past_reader.hpp"
#include "trigger/master/paused_services.hpp"
#include "trigger/master/planner.hpp"
#include "trigger/master/run_loader.hpp"
#include "trigger/master/settings.hpp"
#include "trigger/master/settings_watch.hpp"
#include "trigger/master/signals.hpp"
#include "trigger/master/size_refusals.hpp"
#include "trigger/master/stopped_tasks.hpp"
#include "trigger/master/successor_tasks.hpp"
#include "trigger/master/suspect_line.hpp"
#include "trigger/master/sweeper.hpp"
#include "trigger/master/take_over.hpp"
#include "trigger/master/term_parts.hpp"
#include "trigger/master/term_scope.hpp"
#include "trigger/master/unreported_runs.hpp"
#include "trigger/master/unresponsive_handlers.hpp"
#include "trigger/master/zone_changes.hpp"

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
        storage::database& signals; // a session that only the reader of signals uses
        id_generator& ids;
        term_log& log;
    };

    master(master_settings const& settings, term const& term, dependencies deps, asio::any_io_executor loop);

    // Runs until it is cancelled. Returns by itself if the fence shows that the term is over; throws if a part failed
    // that cannot start again.
    awaitable<void> run();

    protocol::report_answer report(protocol::report_request const& report) override;
    void signal() override { signals_.wake(); }
    void client_gone(std::string const& instance) override;
    void roster_read(storage::roster const& roster, instant asked) override;
    std::size_t open() const override { return open_.size(); }
    std::vector<protocol::whereabouts> whereabouts(std::vector<execution_id> const& ids) override;
    bool note_what_is_out() override;
    std::optional<std::string> cannot_plan() override;
    std::vector<part_trouble> troubles() const override { return parts_.troubles(); }

private:
    awaitable<void> lead();
    awaitable<void> watch_planning(); // logs when the master is active and cannot plan
    awaitable<bool> begin();
    void add_parts();
    awaitable<void> load();
    awaitable<void> sweep();
    awaitable<void> log_begin();
    unreported_runs::steps steps_of_unreported();
    void undelivered(protocol::undelivered const& report, std::string const& node, open_execution& one);
    execution_loader::steps steps_of_loading();
    cancellations::steps steps_of_cancelling();
    unresponsive_handlers::listeners listeners_of_handlers();
    signal_reader::actions actions_on_signals();
    void edited(storage::defined_task const& task);
    open_execution* find_assigned(execution_id execution, int attempt);
    void add_lost(open_execution& one, std::string const& client); // to the executions in doubt
    void given_back(open_execution& one, std::int64_t number);
    open_execution* find_returned(protocol::undelivered const& one, std::string const& node);
    void correct_doubt(protocol::undelivered const& report);
    void tell_home(protocol::finished const& what, std::string const& recorder);
    std::size_t serving(open_execution const& one); // clients that serve it and do not drain

    term term_;
    dependencies deps_;
    open_set open_; // refers to credits_
    waker due_changed_;
    waker planned_;      // for log_begin
    waker loading_done_; // for sweep
    bool loaded_ = false;
    client_directory clients_;
    term_scope scope_;
    task_book book_;
    planning_watch watch_;
    pause_book pauses_;
    planner planner_;
    completion_queue queue_;
    suspect_line suspects_;
    attempts attempts_;
    admissions admissions_;
    paused_services paused_;
    settings_watch service_settings_;
    past_reader past_;
    credits credits_;
    ready_queue ready_;
    homes homes_;
    unresponsive_handlers unresponsive_;
    deadlines deadlines_;
    execution_limits limits_;
    in_doubt_resolver in_doubt_;
    unreported_runs unreported_;
    execution_loader loader_;
    run_loader runs_;
    fire_mark mark_;
    watermark out_;
    late_sends late_;
    take_over take_over_;
    assigner assigner_;
    size_refusals refusals_;
    completions completions_;
    ends_elsewhere far_ends_;
    broadcast_splitter splitter_;
    broadcast_closer closer_;
    successor_tasks successors_;
    sweeper sweeper_;
    cancellations cancellations_;
    signal_reader signals_;
    stopped_tasks stopped_;
    zone_changes zones_;
    execution_counter counter_;
    janitor janitor_;
    term_parts parts_;
};

} // namespace baton::trigger
