#pragma once
// Messages between nodes and clients (docs/protocol.md). Paths carry the version. Unknown fields are ignored and
// missing ones have the defaults below, so that either side may be newer. Registrations and items of lists (executions,
// results, keys) are written without the fields that have their default. A member `term` is the fields "namespace"
// (left out if it is 1) and "epoch" of its message. All times are microseconds since the Unix epoch.

#include "libs/base/id.hpp"
#include "libs/base/time.hpp"
#include "libs/protocol/handler_schemas.hpp"
#include "libs/protocol/json_text.hpp"
#include "libs/protocol/outcome.hpp"
#include "libs/protocol/term_id.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace baton::protocol {

// --- client to node; header "Authorization: Bearer <clients' token>" where one is configured ------------------------
inline constexpr char path_register[] = "/client/v1/register";
inline constexpr char path_heartbeat[] = "/client/v1/heartbeat";
inline constexpr char path_leave[] = "/client/v1/leave";
inline constexpr char path_watch[] = "/client/v1/watch";
inline constexpr char path_results[] = "/client/v1/results";

// How the calls of its home reach a client.
enum class delivery_way {
    push,  // the home calls the client's address
    fetch, // the client has no address, and fetches the calls (fetch_wire.hpp)
};
template <>
inline constexpr std::array<std::string_view, 2> names_of<delivery_way>{"push", "fetch"};

// How the ids in messages to a client are written. A node reads both. JavaScript rounds numbers over 2^53.
enum class id_form { number, text };
template <>
inline constexpr std::array<std::string_view, 2> names_of<id_form>{"number", "text"};

struct attempt_key {
    execution_id execution;
    int attempt = 1;
    bool operator==(attempt_key const&) const = default;
};

struct register_request {
    int revision = 0; // wire_revision (revision.hpp) of the client
    std::string project = "default";
    std::string service;  // of the project
    std::string instance; // unique in the cluster, new at every start
    std::string address;  // "http://10.0.0.7:41234": where the node reaches this client; empty for one that fetches
    std::string secret;   // of this incarnation; every call to the client carries it
    std::vector<std::string> handlers;
    std::vector<std::string> tags; // by which tasks choose among the clients of a service
    // Counts the registrations of this client, upwards from 1: each has its own. A message or a write for an earlier
    // one does nothing.
    std::int64_t generation = 0;
    int slots = 1;              // executions that the client runs at the same time
    int queue = 0;              // executions that it accepts beyond those
    std::string version;        // of the SDK
    std::vector<term_id> terms; // the highest epoch of each namespace that the client has heard of
    std::vector<std::string>
        unreachable_from; // names of the nodes that have asked it to try another one (watch_answer)
    delivery_way delivery = delivery_way::push;
    std::vector<handler_schema> schemas; // of some of its handlers (handler_schemas.hpp has the limits)
    // The attempts that it has given back in the last minute (recall_answer). Its former home may have died with the
    // answer.
    std::vector<attempt_key> given_back;
    // The attempts that it has, running ones first; at most most_held_told count.
    std::vector<attempt_key> held;
    id_form ids = id_form::number; // in all calls to this client
};
inline constexpr std::size_t most_held_told = 1'000;

// Can the client's home call it? `pending`: the address has not proved itself yet, and has not failed to.
enum class reach { pending, reachable, unreachable };
template <>
inline constexpr std::array<std::string_view, 3> names_of<reach>{"pending", "reachable", "unreachable"};

struct heartbeat_request {
    std::string instance;
    std::int64_t generation = 0; // of the registration that this node took
    std::string ticket;          // of the answer to it
    int free_slots = 0;
    std::vector<term_id> terms; // as in register_request
    bool draining = false;
    std::int64_t clock_ms = 0; // the client's wall clock as it sends this, in unix milliseconds; 0: not told
};

// The answer to a registration and to a heartbeat. 404 to a heartbeat: this node does not know the client, which then
// registers with it. 410 to a registration: the instance counts as gone, for good; the client takes a new name.
struct heartbeat_answer {
    std::vector<term_id> terms; // the highest epoch of each namespace that the node knows
    int heartbeat_ms = 5'000;   // the interval between heartbeats
    int ttl_ms = 0;             // a client that is silent for so long counts as gone; 0: three heartbeats
    std::string node;           // name of the home
    protocol::reach reach = protocol::reach::pending;
    std::string why;    // the home cannot reach the client: the reason, for people
    std::string ticket; // in answers to registrations: opaque; every later call repeats it
    // The home cannot call the client and has questions or cancels for it: the client is to fetch them
    // (fetch_wire.hpp).
    bool fetch = false;
};

// To the home node, which holds the request for `watch_hold`. So a client learns at once that its home has died (the
// connection breaks) or that it should register with another node (`move`).
inline constexpr duration watch_hold = 25s;

struct watch_request {
    std::string instance;
    std::string ticket;
};

struct watch_answer {
    bool move = false;
    std::string to;     // the address of a node that the client may know; empty: any other
    std::string why;    // not empty: because the home cannot reach the client
    bool fetch = false; // as in heartbeat_answer
};

struct leave_request {
    std::string instance;
    std::int64_t generation = 0; // of the last registration
    std::string ticket;
    std::string secret; // proves the client to a node that is not its home
};

struct result_report {
    execution_id execution;
    int attempt = 1;
    state status = state::succeeded; // running, succeeded, failed, timed_out or cancelled
    std::int64_t started_at = 0;
    std::int64_t finished_at = 0; // 0 while running
    int progress = 0;             // percent, for running
    json_text value;              // the handler's return value; null for none
    std::string error;            // why it failed
    bool final = false;           // failed: no further attempt is to be made
    bool interrupted = false;     // failed: because it was asked to stop when its client stopped
    std::string receipt;          // of the dispatch that brought the attempt
    bool operator==(result_report const&) const = default;
};

struct results_request {
    std::string instance;
    std::string ticket;                 // of the last registration; only the home can check it
    std::vector<result_report> results; // at most 500
    id_form ids = id_form::number;      // in the answer
};

// The results named here are durable (or were settled otherwise), so the client may forget them. A node also takes
// results from clients that are registered with another node.
struct results_answer {
    term_id term;
    std::vector<attempt_key> recorded;
    std::vector<attempt_key> refused; // their receipts are wrong: they are not recorded, and never will be
};

// --- node to client; header "Authorization: Bearer <secret of the incarnation>" --------------------------------------
inline constexpr char path_dispatch[] = "/baton/v1/dispatch";
inline constexpr char path_cancel[] = "/baton/v1/cancel";
inline constexpr char path_query[] = "/baton/v1/query";
inline constexpr char path_recall[] = "/baton/v1/recall";
inline constexpr char path_probe[] = "/baton/v1/probe"; // without the secret

// An earlier execution of the same task, for the handler.
struct past_execution {
    execution_id execution; // 0: there is none
    std::int64_t scheduled_at = 0;
    std::int64_t ended_at = 0; // 0: it has not ended
    protocol::state state = protocol::state::planned;
    bool operator==(past_execution const&) const = default;
};

struct dispatch {
    execution_id execution; // with `attempt` the idempotency key
    int attempt = 1;
    task_id task;
    std::string task_name;
    std::string handler;
    json_text payload;
    std::int64_t scheduled_at = 0;
    std::int64_t timeout_us = 0; // 0: none
    int shard_index = 0;
    int shard_total = 1;
    std::string receipt = {};                   // opaque; the result repeats it
    std::vector<std::string> final_errors = {}; // a failure of one of these classes is to be reported as final
    past_execution previous = {};               // of tasks that ask for it, as is the last success
    past_execution last_success = {};
    bool operator==(dispatch const&) const = default;
};

// A node sends a client one of these at a time, and numbers them. The client answers a repeated number as it did the
// first time. It takes nothing from a number that a higher one has overtaken: the node may have sent those executions
// elsewhere by now.
struct dispatch_request {
    term_id term;
    std::vector<dispatch> executions;
    std::string node = {};   // incarnation
    std::int64_t number = 0; // 0: not told
    // Of the registration that the node took; 0: not told. A client that has registered again since takes nothing new.
    std::int64_t generation = 0;
};

// A client's answer for one execution. Only the first three mean that the client has it.
enum class ack {
    accepted,   // taken now
    running,    // already has it, queued or running: this attempt or another one (`holds` tells)
    finished,   // ended this or a later attempt, or succeeded in any, within the last ten minutes
    busy,       // slots and queue, or the buffer of results, are full
    draining,   // stops soon
    no_handler, // does not serve this handler
    invalid,    // cannot be read: sending it again will not help
    moved,      // has registered again since: the node is not its home
};
template <>
inline constexpr std::array<std::string_view, 8> names_of<ack>{"accepted", "running",    "finished", "busy",
                                                               "draining", "no_handler", "invalid",  "moved"};

struct dispatch_ack {
    execution_id execution;
    int attempt = 1; // as asked
    ack answer = ack::accepted;
    // With `running` and `finished` the attempt that the client has, whose result it reported or will report. It
    // differs from `attempt` when an earlier attempt was still running there; the later one was then not started.
    int holds = 0;
};

// With status 200. 409 with epoch_message when the request's epoch is lower than the highest that the client has seen
// in the request's namespace. `term` is that highest one.
struct dispatch_answer {
    term_id term;
    int free = -1; // executions that it would still accept; -1: not told
    std::vector<dispatch_ack> executions;
};

// Cancel. Answered by a query_answer: the executions that still run or have ended.
struct executions_request {
    term_id term;
    std::vector<execution_id> executions;
};

// Which of these does the client have? `attempts` has one for each execution (or is empty: none in particular). The
// client must refuse an execution that it does not have from then on up to that attempt, because the next attempt goes
// out elsewhere.
struct query_request {
    term_id term;
    std::vector<execution_id> executions;
    std::vector<int> attempts;
};

struct held_execution {
    execution_id execution;
    int attempt = 1;
    bool finished = false;
    bool succeeded = false;  // finished, and with success: no further attempt is wanted
    std::int64_t run_ms = 0; // for how long its handler has run; 0: it has not begun, or has ended
};

// Of the executions asked for, those that this client runs, has queued, or has finished within the last ten minutes.
struct query_answer {
    term_id term;
    std::vector<held_execution> held;
};

// The home asks for executions back that the client has not begun. `attempts` has one for each execution. Numbered like
// a dispatch, and by the same counter: a dispatch with a lower number takes nothing from then on.
struct recall_request {
    term_id term;
    std::string node; // incarnation
    std::int64_t number = 0;
    std::vector<execution_id> executions;
    std::vector<int> attempts;
};

// Those that the client has not begun, and will not begin unless they are dispatched again; also those that it gave
// back before.
struct recall_answer {
    term_id term;
    std::vector<attempt_key> given_back;
};

// Is the client that has registered this address the one that listens there? Any caller may ask, so the message has no
// secret. `proof`: proof_of (proof.hpp).
struct probe_request {
    std::string nonce; // new for each probe
};

struct probe_answer {
    std::string instance;
    std::string proof;
};

struct epoch_message { // the body of 409 answers; between nodes also the announcement of a term
    term_id term;
};

void to_json(nlohmann::json& out, register_request const& in);
void from_json(nlohmann::json const& in, register_request& out);
void to_json(nlohmann::json& out, heartbeat_request const& in);
void from_json(nlohmann::json const& in, heartbeat_request& out);
void to_json(nlohmann::json& out, heartbeat_answer const& in);
void from_json(nlohmann::json const& in, heartbeat_answer& out);
void to_json(nlohmann::json& out, watch_request const& in);
void from_json(nlohmann::json const& in, watch_request& out);
void to_json(nlohmann::json& out, watch_answer const& in);
void from_json(nlohmann::json const& in, watch_answer& out);
void to_json(nlohmann::json& out, leave_request const& in);
void from_json(nlohmann::json const& in, leave_request& out);
void to_json(nlohmann::json& out, result_report const& in);
void from_json(nlohmann::json const& in, result_report& out);
void to_json(nlohmann::json& out, results_request const& in);
void from_json(nlohmann::json const& in, results_request& out);
void to_json(nlohmann::json& out, attempt_key const& in);
void from_json(nlohmann::json const& in, attempt_key& out);
void to_json(nlohmann::json& out, results_answer const& in);
void from_json(nlohmann::json const& in, results_answer& out);
void to_json(nlohmann::json& out, past_execution const& in);
void from_json(nlohmann::json const& in, past_execution& out);
void to_json(nlohmann::json& out, dispatch const& in);
void from_json(nlohmann::json const& in, dispatch& out);
void to_json(nlohmann::json& out, dispatch_request const& in);
void from_json(nlohmann::json const& in, dispatch_request& out);
void to_json(nlohmann::json& out, dispatch_ack const& in);
void from_json(nlohmann::json const& in, dispatch_ack& out);
void to_json(nlohmann::json& out, dispatch_answer const& in);
void from_json(nlohmann::json const& in, dispatch_answer& out);
void to_json(nlohmann::json& out, executions_request const& in);
void from_json(nlohmann::json const& in, executions_request& out);
void to_json(nlohmann::json& out, query_request const& in);
void from_json(nlohmann::json const& in, query_request& out);
void to_json(nlohmann::json& out, recall_request const& in);
void from_json(nlohmann::json const& in, recall_request& out);
void to_json(nlohmann::json& out, recall_answer const& in);
void from_json(nlohmann::json const& in, recall_answer& out);
void to_json(nlohmann::json& out, held_execution const& in);
void from_json(nlohmann::json const& in, held_execution& out);
void to_json(nlohmann::json& out, query_answer const& in);
void from_json(nlohmann::json const& in, query_answer& out);
void to_json(nlohmann::json& out, probe_request const& in);
void from_json(nlohmann::json const& in, probe_request& out);
void to_json(nlohmann::json& out, probe_answer const& in);
void from_json(nlohmann::json const& in, probe_answer& out);
void to_json(nlohmann::json& out, epoch_message const& in);
void from_json(nlohmann::json const& in, epoch_message& out);

// The JSON text of messages that travel in thousands, without a tree of values. from_text throws invalid_input.
std::string to_text(heartbeat_request const& message);
void from_text(std::string_view text, heartbeat_request& message);
std::string to_text(heartbeat_answer const& message);
void from_text(std::string_view text, heartbeat_answer& message);
std::string to_text(results_request const& message);
void from_text(std::string_view text, results_request& message);
std::string to_text(results_answer const& message, id_form ids = id_form::number);
void from_text(std::string_view text, results_answer& message);
std::string to_text(dispatch_request const& message);
void from_text(std::string_view text, dispatch_request& message);
std::string to_text(dispatch_answer const& message);
void from_text(std::string_view text, dispatch_answer& message);

// Writes the body of a call to a client anew with its ids as text. The body of a call without ids stays as it is.
// Throws invalid_input if the body cannot be read.
std::string with_ids_as_text(std::string_view path, std::string text);

} // namespace baton::protocol
