#pragma once
// The rows that the ledger reads and writes.

#include "libs/base/id.hpp"
#include "libs/protocol/blocker.hpp"
#include "libs/protocol/json_text.hpp"
#include "libs/protocol/outcome.hpp"
#include "libs/protocol/service_key.hpp"
#include "libs/protocol/task.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace baton::storage {

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
    protocol::service_key service{};
};

// A place among the due tasks, which are in the order of their next instants, of their services, and of their ids.
// A page begins strictly after it.
struct due_cursor {
    utc_time next_fire_at{duration::min()};
    protocol::service_key service{};
    task_id id{};

    auto operator<=>(due_cursor const&) const = default;
};

inline due_cursor cursor_of(due_task const& task)
{
    return {task.next_fire_at, task.service, task.id};
}

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

// The outcome of planning a page.
struct planned_page {
    bool done = false;
    std::set<task_id> locked{};     // by other transactions: left out
    std::set<execution_id> taken{}; // not inserted, because their firings have rows

    explicit operator bool() const { return done; }
};

// Tasks that were taken back.
struct unparked_tasks {
    std::vector<utc_time> instants; // in order
    bool more = false;              // others are still parked, or were locked
};

// The outcome of skipping executions.
struct ended_runs {
    std::vector<execution_id> ended{};  // by this transaction, or by an earlier one of the same call
    std::vector<execution_id> locked{}; // left out, because another transaction has locked them
};

struct skipped_runs {
    std::optional<utc_time> first_again{}; // the earliest next_fire_at of the tasks that fire again because of it
    std::vector<execution_id> left{};      // out, because another transaction has locked them or their tasks
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
    std::optional<std::string> payload; // instead of the task's own, or of the parent's; JSON text
    std::optional<utc_time> due_at{};   // if it is later than scheduled_at
};

// A firing of the task at `scheduled_at`, with everything that its row takes from the task's definition. For an
// execution of another cause the caller sets the members that differ.
new_execution make_execution(execution_id id, task_id task, int version, protocol::task_definition const& definition,
                             utc_time scheduled_at);
// The same, due after the jitter of the task's schedule.
new_execution make_firing(execution_id id, task_id task, int version, protocol::task_definition const& definition,
                          utc_time scheduled_at);

// The request to stop an attempt.
struct known_stop {
    int attempt = 1;
    protocol::stop_cause why = protocol::stop_cause::timeout;
    utc_time at;
};

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
    int deaths = 0;         // of its clients
    bool out = false;       // this attempt is marked: it may be at a client
    bool begun = false;     // an attempt before this one may have begun
    std::int64_t epoch = 0; // of the fence when the row was made; 0: not known
    bool cancel_requested = false;
    std::optional<execution_id> parent;
    int shard_index = 0;
    int shard_total = 1;
    std::string shard_instance;
    std::string last_client; // that had the last attempt which has ended; empty: none, or not known
    std::optional<protocol::json_text> payload{}; // instead of the task's own; shards of one broadcast share the text
    std::string definition;                       // of the version that it runs
    utc_time created_at;
    std::string unreadable; // why cause or state cannot be read; empty when they can
    std::optional<known_stop> stop{};

    bool runs() const { return state == protocol::state::running || state == protocol::state::stopping; }
    // A run now.
    bool asked_for() const { return cause == protocol::cause::manual || cause == protocol::cause::forced; }
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
    bool died = false;  // counts a death of its client
    bool begun = false; // the present attempt may have begun
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

// An attempt whose handler is asked to stop, or was so long ago.
struct stop_request {
    execution_id id;
    int attempt = 1;
    protocol::stop_cause why = protocol::stop_cause::timeout;
    duration ago{};
};

// An attempt whose handler did not return after it was asked to stop.
struct unresponsive_attempt {
    execution_id id;
    int attempt = 1;
    std::string client;                                 // that has it
    protocol::state state = protocol::state::timed_out; // or cancelled
    std::string reason{};
    int running = 0; // the attempt that its client runs, if that is an earlier one
    int runs() const { return running == 0 ? attempt : running; }
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
    utc_time read_at; // by the database's clock, like ended_at
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
    bool final = false;       // failed, and no further attempt is to be made
    bool interrupted = false; // failed, because its client stops
};

} // namespace baton::storage
