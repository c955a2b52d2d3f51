#pragma once

#include "libs/base/id.hpp"
#include "libs/protocol/blocker.hpp"
#include "libs/protocol/outcome.hpp"
#include "libs/protocol/term_id.hpp"
#include "libs/storage/database.hpp"
#include "libs/storage/task_routes.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace baton::storage {

struct attempt_record {
    int attempt = 1;
    protocol::attempt_cause cause = protocol::attempt_cause::first;
    std::optional<std::string> node;
    std::optional<std::string> client;
    std::optional<utc_time> started_at;
    std::optional<utc_time> finished_at;
    std::optional<protocol::state> outcome;
    std::optional<int> progress;
    std::optional<std::string> result; // JSON text
    std::optional<std::string> error;
    bool interrupted = false; // it failed, because its client stopped
};

struct execution_record {
    execution_id id;
    std::string project;
    task_id task;
    std::string task_name; // of a deleted task: its last name that this execution knows
    int task_version = 0;
    utc_time scheduled_at;
    protocol::cause cause = protocol::cause::schedule;
    protocol::state state = protocol::state::planned;
    std::optional<utc_time> due_at;
    int attempt = 1;
    int max_attempts = 1;
    int deaths = 0;                       // of its clients, while it may have been running
    std::optional<execution_id> rerun_of; // the dead letter that it runs again
    std::optional<execution_id> parent;
    int shard_index = 0;
    int shard_total = 1;
    std::optional<utc_time> cancel_requested_at;
    std::optional<std::string> reason;
    utc_time created_at;
    std::optional<utc_time> started_at; // when a handler first began, of whichever attempt
    std::optional<utc_time> ended_at;
    attempt_record first;                  // of the first attempt
    std::optional<std::string> last_error; // of the present attempt; of the one before while it waits to be sent
    std::string service;                   // of the version that it runs, as is the handler; empty if unknown
    std::string handler;
};

// A place in the list of executions.
struct execution_place {
    utc_time at; // scheduled_at
    execution_id id;
    friend bool operator==(execution_place const&, execution_place const&) = default;
};

// A filter without states that has an error finds executions that failed or timed out.
struct execution_filter {
    std::optional<task_id> task{};
    std::optional<std::string> project{};
    std::optional<std::string> service{};  // of the task as it stands; none of a deleted task
    std::vector<protocol::state> states{}; // any of these; empty: all
    std::vector<protocol::cause> causes{}; // likewise
    std::optional<std::string> error{};    // a part of the error of the first or the last attempt, in any case
    std::optional<bool> open{};
    std::optional<bool> late{};      // that counts as late in storage::tally; a shard does not
    std::optional<utc_time> from{};  // scheduled_at >=
    std::optional<utc_time> until{}; // scheduled_at <
    std::optional<execution_id> parent{};
    // False: those whose time has come, by the database's clock. True: those that are only planned, the next one first.
    std::optional<bool> planned{};
    // Newest first by (scheduled_at, id), but what is only planned the other way round. Paging continues strictly
    // behind these.
    std::optional<utc_time> after_at{};
    execution_id after_id{};
    int limit = 50;
    int look = 20'000; // rows examined at most for one page, if no index covers the filter
};

struct execution_page {
    std::vector<execution_record> items;
    // Set if the search ended early: the last execution that was examined. The next page begins behind it.
    std::optional<execution_place> looked_to;
};

struct run_request {
    task_id task;
    std::optional<std::string> payload;         // JSON text instead of the task's own
    std::optional<std::string> idempotency_key; // the same key within a day names the same execution
    std::string fingerprint;                    // of the request, to tell a repetition from a misuse of the key
    bool force = false;                         // its cause is `forced` then
};

enum class run_outcome { created, repeated, key_reused, not_found };
struct run_result {
    run_outcome outcome = run_outcome::created;
    execution_id execution;
    signal_id signal;
};

// A handler that did not return after it was asked to stop, and may still run.
struct unresponsive_record {
    int attempt = 1;
    std::string client;
    utc_time since; // the end of its execution
};

// A request to stop the handler of an attempt.
struct stop_record {
    int attempt = 1;
    protocol::stop_cause why = protocol::stop_cause::timeout;
    utc_time requested_at;
};

// The report of a client about a handler whose execution had ended without it. It changes nothing.
struct late_report {
    int attempt = 1;
    protocol::state outcome = protocol::state::succeeded;
    std::string client;
    std::optional<utc_time> finished_at;
    utc_time reported_at;
    std::optional<std::string> result; // JSON text
    std::optional<std::string> error;
};

// A time of over a second for which a limit kept an execution back.
struct wait_record {
    protocol::blocker blocker = protocol::blocker::task_concurrency; // at its beginning
    utc_time since;
    std::optional<utc_time> until; // none: it waits, or has ended without going on
};

enum class cancel_outcome { requested, already_ended, not_found };
struct cancel_result {
    cancel_outcome outcome = cancel_outcome::requested;
    protocol::state state = protocol::state::planned;
    signal_id signal;
};

// Executions as web shows, starts and cancels them.
class executions {
public:
    explicit executions(database& shared, protocol::namespace_id name_space = protocol::first_namespace)
        : shared_(shared), name_space_(name_space)
    {}

    // Inserts an execution that is due at once (run_key = its own id) and the signal for the master.
    awaitable<run_result> run_now(run_request request, id_generator& ids);

    // Marks the execution; the master does the rest. Cancelling a broadcast marks its shards too.
    awaitable<cancel_result> request_cancel(execution_id id, id_generator& ids);

    awaitable<std::optional<execution_record>> find(execution_id id);
    // Nothing if the handler of the execution is not known to run on.
    awaitable<std::optional<unresponsive_record>> unresponsive(execution_id id);
    // The executions of these tasks whose handlers are known to run on, the oldest first: among the 1,000 oldest of all
    // tasks.
    awaitable<std::map<task_id, std::vector<execution_id>>> unresponsive_of(std::vector<task_id> tasks);
    awaitable<std::optional<late_report>> late(execution_id id);
    // JSON text that its handler gets: its own payload, that of its broadcast, or that of the version of its task.
    // Empty if that is not known.
    awaitable<std::optional<std::string>> payload(execution_id id);
    // By attempt.
    awaitable<std::vector<stop_record>> stops(execution_id id);
    // From now on its handler counts as ended. False if it did already.
    awaitable<bool> release(execution_id id);
    // For what these executions have waited, those without such a time left out.
    awaitable<std::map<execution_id, std::vector<wait_record>>> waits(std::vector<execution_id> ids);
    awaitable<std::vector<attempt_record>> attempts(execution_id id); // all of them, the first included
    awaitable<execution_page> list(execution_filter filter);
    // How these versions of tasks choose their clients.
    awaitable<storage::routes> routes(std::vector<task_at> which);

private:
    database& shared_;
    protocol::namespace_id name_space_; // whose executions it makes and finds
};

} // namespace baton::storage
