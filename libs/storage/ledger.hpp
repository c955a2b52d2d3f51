#pragma once

#include "libs/protocol/client_wire.hpp"
#include "libs/protocol/pause.hpp"
#include "libs/protocol/service_settings.hpp"
#include "libs/protocol/term_id.hpp"
#include "libs/storage/database.hpp"
#include "libs/storage/ledger_rows.hpp"
#include "libs/storage/past_executions.hpp"
#include "libs/storage/skipped.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace baton::storage {

class successors;
class zones;

// The fire ledger and the tasks' cursors: every decision of a master, and all results. It uses two databases, because
// the decisions go through one session of their own; the fence serialises them anyway.
//
// Each method with a fence is one transaction that first touches the fence's row. It throws not_master, and changes
// nothing, when the row has another epoch.
class ledger {
public:
    ledger(database& deciding, database& shared, protocol::namespace_id name_space = protocol::first_namespace)
        : deciding_(deciding), shared_(shared), name_space_(name_space)
    {}

    // Raises the fence to the epoch (creates the row if absent). False when a higher epoch stands there. Behind a
    // master that did not keep to the watermark, the watermark falls to the beginning of time.
    awaitable<bool> raise(fence mine);

    // Records the edit_lead of this master, which edits must not undercut. Returns that of the last one; 0 if none did.
    awaitable<duration> set_edit_lead(fence mine, duration lead);

    // Nothing that is due later may be fired before this has been called. The mark never falls, so a successor knows
    // what may have been fired, even if the database's clock has stepped back since.
    awaitable<void> mark_fired(fence mine, utc_time until);
    // The mark of all terms so far.
    awaitable<utc_time> fired_until(std::string name_space);

    // Of all terms so far: an execution that is due at or below it and whose attempt is not marked as out has never
    // been handed to a node.
    awaitable<utc_time> watermark(std::string name_space);
    // Marks attempts as out before they are handed to a node: those that are open, planned or waiting, and not to be
    // cancelled, and whose task has not been disabled or deleted since (a task that was stopped lets run on what has
    // begun). What waited is planned again. Returns those that are marked now, without any that another transaction has
    // locked.
    awaitable<std::vector<execution_id>> mark_before_sending(fence mine,
                                                             std::vector<protocol::attempt_key> const& attempts);
    // Marks attempts that have been handed to a node, and then raises the watermark to `raise_to`, if it is given.
    // Waits for no row that another transaction has locked: returns the attempts that are open and could not be marked
    // for that, and does not raise the watermark if there are any.
    awaitable<std::vector<protocol::attempt_key>>
    mark_sent(fence mine, std::vector<protocol::attempt_key> const& attempts, std::optional<utc_time> raise_to);
    // These are not at a client, and will be marked again before they are sent. One that another transaction has locked
    // keeps its mark.
    awaitable<void> unmark(fence mine, std::vector<protocol::attempt_key> const& attempts);

    // Tasks with next_fire_at < until that are not parked, in (next_fire_at, id) order behind the cursor.
    awaitable<std::vector<due_task>> due(utc_time until, due_cursor after, int limit);

    // The earliest next_fire_at of the tasks that are not parked, if it is before `until`.
    awaitable<std::optional<utc_time>> first_due(utc_time until);

    // The number of tasks that are not parked with from <= next_fire_at < until, but no more than `most`.
    awaitable<int> count_due(utc_time from, utc_time until, int most);

    // Advances the tasks and inserts the executions and the skipped firings. Not done, with nothing changed, when a
    // task has changed since it was read or an id is taken: the caller reads the due tasks again. A firing that has its
    // row already is passed over, and the rest of the page is planned. Tasks that another transaction has locked are
    // left out of the page; they are still due.
    awaitable<planned_page> plan(fence mine, std::vector<advance> const& tasks,
                                 std::vector<new_execution> const& executions,
                                 std::vector<skipped_firings> const& skipped = {});

    // Parks tasks: due() does not read them until they are unparked or edited. A task that has changed since it was
    // read, or that another transaction has locked, stays as it is.
    awaitable<void> park(fence mine, std::vector<parked_task> const& tasks);
    // Takes back up to `limit` tasks of the service, those with the earliest firings first, but for those that another
    // transaction has locked.
    awaitable<unparked_tasks> unpark(fence mine, protocol::service_key service, int limit);
    // The services that have parked tasks.
    awaitable<std::vector<protocol::service_key>> parked_services();

    // Open executions with due_at <= until in (due_at, id) order behind the cursor.
    awaitable<std::vector<open_execution_row>> open(utc_time until, open_cursor after, int limit);
    awaitable<std::vector<open_execution_row>> open_among(std::vector<execution_id> const& ids);
    // Those of the ids that are open.
    awaitable<std::vector<execution_id>> still_open(std::vector<execution_id> const& ids);
    // The present versions of these tasks, without those that are deleted.
    awaitable<std::vector<defined_task>> definitions(std::vector<task_id> const& tasks);

    // The same executions in brief.
    awaitable<std::vector<open_key>> open_keys(utc_time until, open_cursor after, int limit);
    awaitable<std::vector<open_key>> open_keys_among(std::vector<execution_id> const& ids);

    // For each question the executions of the task that came before: no shards, and only the latest past_looked_at.
    awaitable<std::vector<past_executions>> past(std::vector<past_question> const& questions);

    // Opens the next attempt of each that is still at `attempt` and has not ended or been asked to cancel; returns
    // those that this call moved to attempt + 1. A cause that replaces a lost attempt raises
    // max_attempts by one, so that it does not count against the task's own attempts, and opens none if the failure of
    // the attempt is recorded. One that another transaction has locked is not opened, as if it had changed.
    awaitable<std::vector<execution_id>> begin_attempts(fence mine, std::vector<next_attempt> const& attempts);

    // Ends open executions as cancelled. Executions that have ended meanwhile are not changed. This and the following
    // return the executions that they left out because another transaction has locked them.
    awaitable<std::vector<execution_id>> cancel(fence mine, std::vector<execution_id> const& ids, std::string reason);

    // Ends executions that have not been sent as skipped: those that are open and of which no attempt may have begun.
    // They do not count for the maximum of firings of their tasks; if another transaction has locked such a task, its
    // executions are left out.
    awaitable<skipped_runs> skip(fence mine, std::vector<execution_id> const& ids, std::string reason);

    // Asks for the cancelling of open executions, as a person may: what fails from now on ends as cancelled.
    awaitable<std::vector<execution_id>> request_cancel(fence mine, std::vector<execution_id> const& ids,
                                                        std::string reason);

    // Turns planned executions into waiting ones, unless they are marked as out by now, and notes for what they wait.
    awaitable<std::vector<execution_id>> keep_back(fence mine, std::vector<kept_back> const& executions);
    // Records the states of slow rates from which executions are about to take tokens.
    awaitable<void> record_limit_states(fence mine, std::vector<limit_state> const& states);
    // Those in which tokens are missing.
    awaitable<std::vector<limit_state>> limit_states();

    // Ends executions without a client, each in its state and with its reason in `error` and `reason`, and makes them
    // dead letters.
    awaitable<std::vector<execution_id>> fail(fence mine, std::vector<undeliverable> const& executions);

    // Turns executions that are still under way at that attempt into stopping ones, and notes why and since when. A
    // further request for an attempt changes nothing.
    awaitable<std::vector<execution_id>> note_stops(fence mine, std::vector<stop_request> const& requests);

    // Ends executions without their handlers, those that are still open at that attempt: in its state, with its reason,
    // and as dead letters if they timed out. Their rows in `unresponsive` stay, with the attempt that runs.
    awaitable<ended_runs> end_unresponsive(fence mine, std::vector<unresponsive_attempt> const& attempts);
    // Notes such attempts of executions that have ended already.
    awaitable<void> note_unresponsive(fence mine, std::vector<unresponsive_attempt> const& attempts);
    // All whose end is not known.
    awaitable<std::vector<unresponsive_row>> unresponsive();
    // Those of the ids that still have a row: a person may have released the others.
    awaitable<std::vector<execution_id>> still_unresponsive(std::vector<execution_id> const& ids);
    // Their handlers have returned, or their clients are gone.
    awaitable<void> forget_unresponsive(fence mine, std::vector<execution_id> const& ids);

    // The pauses in force, and those that skipped firings and have ended within this time.
    awaitable<std::vector<protocol::pause>> pauses(duration back);
    // The settings of all services and projects that have some.
    awaitable<std::vector<protocol::scope_settings>> settings();

    // The tasks that were disabled or deleted with a line up to `until`: at most `limit` in order of line, task and
    // version, behind `after` if it is given.
    awaitable<std::vector<stopped_task>> stopped_tasks(utc_time until, std::optional<stopped_task> after, int limit);
    // Their executions are cancelled.
    awaitable<void> forget_stopped(fence mine, std::vector<stopped_task> const& tasks);

    // Inserts the shards of a broadcast and marks the parent as running. Idempotent: if the parent already has shards,
    // nothing is inserted and false returned.
    awaitable<bool> expand(fence mine, execution_id parent, std::vector<new_execution> const& shards);

    // Ends each of the given broadcasts whose shards have all ended: as succeeded when all succeeded, as cancelled when
    // that was requested, else as failed. It also cancels a broadcast that has no shards yet. One of `ended_by_any`
    // ends as succeeded as soon as one of its shards has; it is requested then that its other shards are cancelled.
    // Returns the ended ones. One that another transaction has locked stays open: call it again.
    awaitable<std::vector<execution_id>> close_parents(fence mine, std::vector<execution_id> const& parents,
                                                       std::set<execution_id> const& ended_by_any = {});

    // Fixed-delay tasks that wait for one of these executions, if it has ended and its handler does not run on
    // (unresponsive).
    awaitable<std::vector<delayed_task>> delayed_ready(std::vector<execution_id> const& ended);
    // The same of all that wait, in the order of the executions: looks at `limit` tasks behind the cursor, and moves it
    // behind them, or back to the beginning when there are no more.
    awaitable<std::vector<delayed_task>> delayed_ready(execution_id& after, int limit);
    // Moves them on, and returns those that another transaction has locked, which stay as they are.
    // advance::waiting_for: the execution that the task waited for.
    awaitable<std::set<task_id>> resume_delayed(fence mine, std::vector<advance> const& tasks);

    // Commits results in one transaction, each only if its execution is open and at that attempt. The success of an
    // earlier attempt ends an open execution as well.
    // Failures with attempts left become `retrying` with due_at = now + retry_delay (protocol::after_attempt);
    // never so when the failure is final, or when cancellation was requested, which turns any failure into cancelled.
    // Executions that end as failed or timed out are dead letters from then on, but for broadcasts. Results that match
    // nothing (repeated, superseded) are settled already. `node` is the node that received them.
    awaitable<void> record(std::vector<result_row> const& results, std::string node);

    // Removes announcements of edits. An edit whose announcement is gone is not committed; waits for one that is just
    // being committed.
    awaitable<void> give_up_edits(std::vector<signal_id> const& announced);

    // The tables of tasks that run after others, of the same databases and namespace.
    successors successor_tables() const;

    // The tables of zone databases, likewise.
    zones zone_tables() const;

    // The database's clock.
    awaitable<utc_time> now();

private:
    database& deciding_;
    database& shared_;
    protocol::namespace_id name_space_; // whose tasks and open executions it finds
};

} // namespace baton::storage
