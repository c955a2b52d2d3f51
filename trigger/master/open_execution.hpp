#pragma once

#include "libs/base/id.hpp"
#include "libs/protocol/node_wire.hpp"
#include "libs/storage/ledger.hpp"
#include "trigger/master/credits.hpp"
#include "trigger/master/due_queue.hpp"
#include "trigger/master/named_credit.hpp"
#include "trigger/master/task_book.hpp"

#include <memory>
#include <optional>
#include <string>

namespace baton::trigger {

// The place of an open execution, as far as the master knows.
enum class phase {
    waiting,  // for its due time, or for a client with room
    assigned, // given to the node in `where`, which has not reported yet
    held,     // the client in `where` has it
    // The client in `where` runs an earlier attempt, whose end is awaited: it had counted as gone and has returned.
    runs_earlier,
    in_doubt, // a client may have it: the clients must be asked
    opening,  // its next attempt is being opened
    parent,   // a broadcast whose shards are under way
};

// The state of one service in the open set.
struct open_service {
    std::size_t backlog = 0;
    due_queue::line due; // its executions that wait for their instant
};

// If the result of a failed execution is missing, the master asks its client again every 30 s
// (open_set::expect_result). The result is lost if the client still says so after this time: at the question after two
// minutes.
constexpr duration results_come_within = 110s;

struct open_execution {
    execution_id id;
    std::shared_ptr<known_task const> task;
    utc_time scheduled_at;
    utc_time due_at;
    utc_time queued_at;      // the instant for which it waits; the latest of all: it waits for another reason
    instant delayed_until{}; // the end of the pause before this attempt
    utc_time since_due;      // the due instant of its first attempt, from which its time limits count
    int attempt = 1;
    int max_attempts = 1;
    int deaths = 0;              // of its clients
    int lost = 0;                // attempts in this term, with a client or node
    bool ran = false;            // a client reported this attempt as running before this term
    bool lost_by_client = false; // its client had taken it and says that it does not have it
    bool given_back = false;     // its client had taken it and will not begin it
    bool begun = false;          // an attempt before this one may have begun
    bool sent = false;           // this attempt has been handed to a node, or may have been
    bool out = false;            // the ledger shows that this attempt may be at a client
    bool marking = false;        // late_sends marks it before it is sent
    bool ending = false;         // it is being ended, and no attempt of it goes out any more
    int asked_attempt = 0;       // clients were asked about this attempt, and those without it may refuse it since
    bool was_away = false;       // for so long that its task may have been stopped since
    instant checked_at{};        // sent first, or marked last: its task was not stopped then
    instant mark_kept_until{};   // while it waits with its mark
    trigger::phase phase = phase::waiting;
    std::string where;                      // node or client of the phase
    trigger::credit* credit = nullptr;      // that it uses while a node or client has it
    trigger::named_credit* named = nullptr; // likewise, of the client that is named
    int earlier_attempt = 0;                // of phase::runs_earlier: the attempt that runs
    std::string target;                     // the client that the master has chosen; empty: its home chooses
    std::string doubted;                    // the client that may have it, if it is in doubt and that is known
    std::string last_client;                // that had the last attempt, if that failed
    std::int64_t number = 0;                // of the last assignment that named it
    bool ready = false;                     // waits for a client with room
    protocol::attempt_cause next_cause = protocol::attempt_cause::take_over; // in doubt: of the next attempt
    instant since{};                                                         // of the phase
    bool cancel_requested = false;
    std::optional<storage::known_stop> stop{}; // that a term before this one has noted
    int failed_attempt = 0;                    // that has failed, as its client says without a result
    instant failed_since{};                    // when the client said so first
    int running_attempt = 0;                   // the attempt that its client has reported as running
    int timed_attempt = 0;                     // the attempt whose timeout `deadlines` watches
    instant report_by{};                       // its client is asked then whether it runs; zero: it is not
    int stopped_attempt = 0;                   // the attempt that its client is being asked to cancel
    bool noted = false;                        // `waiting` in the ledger
    bool limited = false;                      // its rate, its service or its project limits it
    bool has_waited = false;                   // for a limit, in this term
    std::optional<utc_time> admitted_at{};     // when the limit of its task let it go on
    bool scheduled = false;                    // a firing, which an edit may take back, and not a run now
    bool displaced = false;                    // asks for its place under a limit when it starts
    bool forced = false;                       // a run now by force; of a shard see open_set::is_forced
    std::optional<execution_id> parent;
    int shard_index = 0;
    int shard_total = 1;
    std::string shard_instance;
    std::optional<protocol::json_text> payload;             // in place of the task's own
    std::shared_ptr<storage::past_executions const> past{}; // of tasks whose handlers want it
    int past_attempt = 0;                                   // for which it was read
    open_service* service = nullptr;                        // set by open_set

    // A client may have begun it.
    bool has_begun() const { return begun || ran; }
    // A client has it, or runs an earlier attempt of it.
    bool at_client() const { return phase == trigger::phase::held || phase == trigger::phase::runs_earlier; }
    // This attempt may have begun, and then no other one may.
    bool is_last_if_begun() const { return task->definition.at_most_once() && out && !given_back; }
    // It is not to go out again when its handler was asked to stop, because its client stopped.
    bool fails_interrupted() const;
    // Its client says that this attempt has failed, and has sent no result for long.
    bool result_is_lost(instant now) const
    {
        return failed_attempt == attempt && now - failed_since >= results_come_within;
    }
    void note_failure_told(instant now);
    // The next death of its client would be its last.
    bool suspect() const { return protocol::last_before_failing(deaths, task->definition.max_deaths); }

    bool broadcast() const { return task->definition.routing == protocol::routing::broadcast && !is_shard(); }
    // Also of a broadcast that is run again alone.
    bool is_shard() const { return parent || !shard_instance.empty() || shard_total > 1; }
    // Among those that wait for the same.
    utc_time place_in_line() const { return protocol::place_in_line(since_due, task->definition.priority); }
    // The client that must run it; empty: any.
    std::string const& instance() const { return shard_instance.empty() ? target : shard_instance; }
};

open_execution make_open_execution(storage::open_execution_row const& row, std::shared_ptr<known_task const> task);
// A firing that this master inserts.
open_execution make_open_firing(storage::new_execution const& row, std::shared_ptr<known_task const> task);
// Of an execution that a client has, for its end without its handler.
storage::unresponsive_attempt make_unresponsive(open_execution const& one, protocol::state state, std::string reason);
protocol::assignment make_assignment(open_execution const& execution);

} // namespace baton::trigger
