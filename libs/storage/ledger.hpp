#pragma once

#include "libs/base/id.hpp"
#include "libs/protocol/blocker.hpp"
#include "libs/protocol/outcome.hpp"
#include "libs/protocol/pause.hpp"
#include "libs/protocol/service_key.hpp"
#include "libs/protocol/service_settings.hpp"
#include "libs/protocol/task.hpp"
#include "libs/protocol/term_id.hpp"
#include "libs/storage/database.hpp"
#include "libs/storage/past_executions.hpp"
#include "libs/storage/skipped.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace baton::storage {

class successors;
class zones;

// The proof of mastership in each transaction: the row of lock_fence must still carry this epoch.
struct fence {
    std::string name_space = "master";
    std::int64_t epoch = 0;
};

struct due_task {
    task_id id;
    int version = 0;
    utc_time next_fire_at; // when the planner looks at it
    utc_time created_at;
    std::string definition;   // JSON, protocol::parse_task
    utc_time cursor{};        // the first firing that is not planned, or shortly before: next_fire_at without a jitter
    std::int64_t firings = 0; // that count for its maximum
};

// Where the next page of due tasks begins: strictly after this (time, id).
struct due_cursor {
    utc_time next_fire_at{duration::min()};
    task_id id{};
};

// The state of a task with a maximum of firings or a jitter, besides its next instant.
struct firing_state {
    std::optional<utc_time> cursor; // if it differs from `next`
    std::optional<utc_time> resume;
    std::int64_t added = 0; // firings that count for the maximum
};

// A task moved on: from the version and instant that were read to the next instant, or to none. `waiting_for` names the
// execution whose end decides the next instant (fixed delay).
struct advance {
    task_id id;
    int version = 0;
    utc_time seen;
    std::optional<utc_time> next;
    std::optional<execution_id> waiting_for;
    std::optional<firing_state> state{};
};

// A due task whose firings are not planned, because its service has as many open executions as it may have. The task
// stands as it was read: at this version and instant.
struct parked_task {
    task_id id;
    int version = 0;
    utc_time seen;
    protocol::service_key service;
    std::string reason; // for people
};

struct new_execution {
    execution_id id;
    std::string project;
    task_id task;
    int version = 0;
    utc_time scheduled_at;
    protocol::cause cause = protocol::cause::schedule;
    int max_attempts = 1;
    duration retry_delay{};
    std::optional<execution_id> parent; // for a shard, with its place:
    int shard_index = 0;
    int shard_total = 1;
    std::string shard_instance;
    std::optional<std::string> payload; // instead of the task's own; JSON text
    std::optional<utc_time> due_at{};   // if it is later than scheduled_at
};

// A firing of the task at `scheduled_at`, with everything that its row takes from the task's definition. For an
// execution of another cause the caller sets the members that differ.
new_execution make_execution(execution_id id, task_id task, int version, protocol::task_definition const& definition,
                             utc_time scheduled_at);
// The same, due after the jitter of the task's schedule.
new_execution make_firing(execution_id id, task_id task, int version, protocol::task_definition const& definition,
                          utc_time scheduled_at);

// An open execution, with everything that its delivery needs.
struct open_execution_row {
    execution_id id;
    task_id task;
    int version = 0;
    utc_time scheduled_at;
    utc_time due_at;
    protocol::cause cause = protocol::cause::schedule;
    protocol::state state = protocol::state::planned;
    int attempt = 1;
    int max_attempts = 1;
    int deaths = 0; // of its clients
    bool cancel_requested = false;
    std::optional<execution_id> parent;
    int shard_index = 0;
    int shard_total = 1;
    std::string shard_instance;
    std::string last_client;            // that had the last attempt which has ended; empty: none, or not known
    std::optional<std::string> payload; // instead of the task's own; JSON text
    std::string definition;             // of the version that it runs
    utc_time created_at;
    std::string unreadable; // why cause or state cannot be read; empty when they can

    // Due from the instant of its creation, and not at an instant that was planned.
    bool at_once() const { return cause != protocol::cause::schedule && attempt == 1; }
};

struct open_cursor {
    utc_time due_at{duration::min()};
    execution_id id{};
};

// An open execution in brief, for comparing the ledger with the memory of the master.
struct open_key {
    execution_id id;
    int attempt = 1;
    bool retrying = false; // its state
    utc_time due_at;
    bool cancel_requested = false;
};

// The next attempt of an execution, conditional on the present one.
struct next_attempt {
    execution_id id;
    int attempt = 1; // present
    utc_time due_at;
    protocol::attempt_cause cause = protocol::attempt_cause::retry;
    bool died = false; // counts a death of its client
    // If that attempt was lost with a client: its instance, and since when it had the attempt.
    std::string client{};
    std::optional<utc_time> since{};
};

struct undeliverable {
    execution_id id;
    std::string reason;
    bool died = false;                               // counts the last death of its client
    protocol::state state = protocol::state::failed; // or timed_out
};

// An attempt whose handler did not return after it was asked to stop.
struct unresponsive_attempt {
    execution_id id;
    int attempt = 1;
    std::string client;                                 // that has it
    protocol::state state = protocol::state::timed_out; // or cancelled
    std::string reason{};
};

// Such an attempt whose end is not known yet, with what its concurrency limit needs.
struct unresponsive_row {
    execution_id id;
    int attempt = 1;
    std::string client;
    task_id task;
    int version = 0;
    utc_time scheduled_at;
    std::optional<std::string> payload; // instead of the task's own; JSON text
    std::string definition;
};

// An execution that has waited for over a second, and for which limit.
struct kept_back {
    execution_id id;
    protocol::blocker blocker = protocol::blocker::task_concurrency;
    utc_time since;
};

// A rate limit of less than a token a second: of a task, or without one of a service, or of a project.
struct limit_state {
    task_id task{};
    protocol::service_key of{};
    utc_time full_at; // all tokens are there from then on
};

// A task that was disabled or deleted. Its executions of versions below `version` that no client has by `line` are to
// be cancelled with the reason.
struct stopped_task {
    task_id task;
    int version = 0;
    utc_time line;
    std::string reason;
};

// The present version of a task.
struct defined_task {
    task_id id;
    int version = 0;
    std::string definition;
};

// A fixed-delay task whose execution has ended.
struct delayed_task {
    task_id id;
    int version = 0;
    execution_id execution;
    utc_time ended_at;
    utc_time created_at;
    std::string definition;
    std::int64_t firings = 0; // that count for its maximum
};

// A result as a client reported it. The node that received it commits it, without the fence.
struct result_row {
    execution_id id;
    int attempt = 1;
    protocol::state outcome = protocol::state::succeeded; // running is allowed too
    std::string client;
    std::optional<utc_time> started_at;
    std::optional<utc_time> finished_at;
    int progress = 0;
    std::optional<std::string> value; // JSON text
    std::string error;
    bool final = false; // failed, and no further attempt is to be made
};

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

    // Raises the fence to the epoch (creates the row if absent). False when a higher epoch stands there.
    awaitable<bool> raise(fence mine);

    // Records the edit_lead of this master, which edits must not undercut. Returns that of the last one; 0 if none did.
    awaitable<duration> set_edit_lead(fence mine, duration lead);

    // Nothing that is due later may be fired before this has been called. The mark never falls, so a successor knows
    // what may have been fired, even if the database's clock has stepped back since.
    awaitable<void> mark_fired(fence mine, utc_time until);
    // The mark of all terms so far.
    awaitable<utc_time> fired_until(std::string name_space);

    // Tasks with next_fire_at < until that are not parked, in (next_fire_at, id) order behind the cursor.
    awaitable<std::vector<due_task>> due(utc_time until, due_cursor after, int limit);

    // The earliest next_fire_at of the tasks that are not parked, if it is before `until`.
    awaitable<std::optional<utc_time>> first_due(utc_time until);

    // The number of tasks that are not parked with from <= next_fire_at < until, but no more than `most`.
    awaitable<int> count_due(utc_time from, utc_time until, int most);

    // Advances the tasks and inserts the executions and the skipped firings. Returns false, with nothing changed, when
    // a task has changed since it was read or an id is taken. Returns false as well when a firing has its row already;
    // then the rest of the page is planned. In both cases the caller reads the due tasks again.
    awaitable<bool> plan(fence mine, std::vector<advance> const& tasks, std::vector<new_execution> const& executions,
                         std::vector<skipped_firings> const& skipped = {});

    // Parks tasks: due() does not read them until they are unparked or edited. A task that has changed since it was
    // read stays as it is.
    awaitable<void> park(fence mine, std::vector<parked_task> const& tasks);
    // Takes back up to `limit` tasks of the service, those with the earliest firings first. Returns their instants, in
    // order; fewer than `limit` if none remains.
    awaitable<std::vector<utc_time>> unpark(fence mine, protocol::service_key service, int limit);
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
    // max_attempts by one, so that it does not count against the task's own attempts.
    awaitable<std::vector<execution_id>> begin_attempts(fence mine, std::vector<next_attempt> const& attempts);

    // Ends open executions as cancelled. Executions that have ended meanwhile are not changed.
    awaitable<void> cancel(fence mine, std::vector<execution_id> const& ids, std::string reason);

    // Ends executions that have not been sent as skipped: those that are open and at their first attempt. They do not
    // count for the maximum of firings: returns the earliest next_fire_at of the tasks that fire again because of it.
    awaitable<std::optional<utc_time>> skip(fence mine, std::vector<execution_id> const& ids, std::string reason);

    // Asks for the cancelling of open executions, as a person may: what fails from now on ends as cancelled.
    awaitable<void> request_cancel(fence mine, std::vector<execution_id> const& ids, std::string reason);

    // Turns planned executions into waiting ones, and notes for what they wait.
    awaitable<void> keep_back(fence mine, std::vector<kept_back> const& executions);
    // Turns waiting executions into planned ones, and records the states of the limits from which they take tokens.
    awaitable<void> let_go(fence mine, std::vector<execution_id> const& ids, std::vector<limit_state> const& states);
    // Those in which tokens are missing.
    awaitable<std::vector<limit_state>> limit_states();

    // Ends executions without a client, each in its state and with its reason in `error` and `reason`, and makes them
    // dead letters.
    awaitable<void> fail(fence mine, std::vector<undeliverable> const& executions);

    // Ends executions without their handlers, those that are still open at that attempt: in its state, with its reason,
    // and as dead letters if they timed out. Returns those that this call or an earlier one of
    // the same ended. Their rows in `unresponsive` stay.
    awaitable<std::vector<execution_id>> end_unresponsive(fence mine,
                                                          std::vector<unresponsive_attempt> const& attempts);
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
    // Returns the ended ones.
    awaitable<std::vector<execution_id>> close_parents(fence mine, std::vector<execution_id> const& parents,
                                                       std::set<execution_id> const& ended_by_any = {});

    // Fixed-delay tasks that wait for one of these executions, if it has ended.
    awaitable<std::vector<delayed_task>> delayed_ready(std::vector<execution_id> const& ended);
    // The same of all that wait and whose handlers do not run on (unresponsive), in the order of the executions: looks
    // at `limit` tasks behind the cursor, and moves it behind them, or back to the beginning when there are no more.
    awaitable<std::vector<delayed_task>> delayed_ready(execution_id& after, int limit);
    // Moves them on. advance::waiting_for: the execution that the task waited for.
    awaitable<void> resume_delayed(fence mine, std::vector<advance> const& tasks);

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
