#pragma once

#include "libs/protocol/outcome.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

// Between nodes and clients (docs/protocol.md). Paths carry the version. Unknown fields are ignored, missing ones have
// the defaults below, so that both sides can be newer than the other; what stands in a list of executions, results or
// keys is written without the fields that have their default. All times are microseconds since the Unix epoch.
namespace baton::protocol {

// --- client to node; header "Authorization: Bearer <shared token>" where one is configured ---------------------------
inline constexpr char path_register[] = "/client/v1/register";
inline constexpr char path_heartbeat[] = "/client/v1/heartbeat";
inline constexpr char path_leave[] = "/client/v1/leave";
inline constexpr char path_results[] = "/client/v1/results";

struct register_request {
    std::string service;
    std::string instance; // unique in the cluster, new at every start
    std::string address;  // "http://10.0.0.7:41234": where the node reaches this client
    std::string secret;   // of this incarnation; every call to the client carries it
    std::vector<std::string> handlers;
    int slots = 1;       // executions that it runs side by side
    int queue = 0;       // executions that it accepts beyond those
    std::string version; // of the SDK
    std::int64_t epoch = 0;
};

struct heartbeat_request {
    std::string instance;
    int free_slots = 0;
    std::int64_t epoch = 0; // the highest seen
    bool draining = false;
};

// To a registration and to a heartbeat. 404 from heartbeat: this node has not heard of the client, which then registers
// with it. 410 from registration: the instance counts as gone, for good; the client takes a new name.
struct heartbeat_answer {
    std::int64_t epoch = 0;
    int heartbeat_ms = 5'000; // how often to beat
    int ttl_ms = 0;           // silent for so long the client counts as gone; 0: three heartbeats
};

struct leave_request {
    std::string instance;
};

struct result_report {
    std::int64_t execution = 0;
    int attempt = 1;
    state status = state::succeeded; // running, succeeded, failed, timed_out or cancelled
    std::int64_t started_at = 0;
    std::int64_t finished_at = 0; // 0 while running
    int progress = 0;             // percent, for running
    nlohmann::json value;         // what the handler returned; null if nothing
    std::string error;            // why it failed
};

struct results_request {
    std::string instance;
    std::vector<result_report> results; // at most 500
};

struct attempt_key {
    std::int64_t execution = 0;
    int attempt = 1;
};

// What is named here is durable (or was already settled otherwise) and may be forgotten. A node takes results from
// clients that are registered with another node, too.
struct results_answer {
    std::int64_t epoch = 0;
    std::vector<attempt_key> recorded;
};

// --- node to client; header "Authorization: Bearer <secret of the incarnation>" --------------------------------------
inline constexpr char path_dispatch[] = "/baton/v1/dispatch";
inline constexpr char path_cancel[] = "/baton/v1/cancel";
inline constexpr char path_query[] = "/baton/v1/query";
inline constexpr char path_epoch[] = "/baton/v1/epoch";

struct dispatch {
    std::int64_t execution = 0; // with `attempt` the idempotency key
    int attempt = 1;
    std::int64_t task = 0;
    std::string task_name;
    std::string handler;
    nlohmann::json payload;
    std::int64_t scheduled_at = 0;
    std::int64_t timeout_us = 0; // 0: none
    int shard_index = 0;
    int shard_total = 1;
    bool operator==(dispatch const&) const = default;
};

// A node sends a client one of these at a time, and numbers them: the client answers one that comes twice as it did the
// first time and takes nothing from one that was overtaken, since what it refused then may be elsewhere by now.
struct dispatch_request {
    std::int64_t epoch = 0;
    std::vector<dispatch> executions;
    std::string node = {};   // incarnation
    std::int64_t number = 0; // 0: not told
};

// How a client answers for one execution. Only the first three mean that it has it.
enum class ack {
    accepted,   // taken now
    running,    // already has it, queued or running: this attempt or another one (`holds` tells)
    finished,   // ended this or a later attempt, or succeeded in any, within the last ten minutes
    busy,       // slots and queue, or the buffer of results, are full
    draining,   // stops soon
    no_handler, // does not serve this handler
    invalid,    // cannot be read: sending it again will not help
};
std::string_view to_string(ack which);

struct dispatch_ack {
    std::int64_t execution = 0;
    int attempt = 1; // as asked
    ack answer = ack::accepted;
    // With `running` and `finished` the attempt that it has, under which its result was or will be reported. It differs
    // from `attempt` when that one came while an earlier one still ran here, and was therefore not started.
    int holds = 0;
};

// With status 200; 409 with only `epoch` when the request's epoch is lower than the highest that the client has seen.
struct dispatch_answer {
    std::int64_t epoch = 0;
    int free = 0; // executions that it would still accept
    std::vector<dispatch_ack> executions;
};

// Cancel. Answered by a query_answer: what still runs or has ended.
struct executions_request {
    std::int64_t epoch = 0;
    std::vector<std::int64_t> executions;
};

// Which of these does the client have? `attempts` has one for each execution (or is empty: none in particular): what
// the client does not have it must refuse from then on up to that attempt, because the next one goes out elsewhere.
struct query_request {
    std::int64_t epoch = 0;
    std::vector<std::int64_t> executions;
    std::vector<int> attempts;
};

struct held_execution {
    std::int64_t execution = 0;
    int attempt = 1;
    bool finished = false;
    bool succeeded = false; // finished, and with success: no further attempt is wanted
};

// The asked ones that this client runs, has queued, or has finished within the last ten minutes.
struct query_answer {
    std::int64_t epoch = 0;
    std::vector<held_execution> held;
};

struct epoch_message { // announcement, and the body of 409 answers
    std::int64_t epoch = 0;
};

void to_json(nlohmann::json& out, state const& in);
void from_json(nlohmann::json const& in, state& out);
void to_json(nlohmann::json& out, ack const& in);
void from_json(nlohmann::json const& in, ack& out);
void to_json(nlohmann::json& out, register_request const& in);
void from_json(nlohmann::json const& in, register_request& out);
void to_json(nlohmann::json& out, heartbeat_request const& in);
void from_json(nlohmann::json const& in, heartbeat_request& out);
void to_json(nlohmann::json& out, heartbeat_answer const& in);
void from_json(nlohmann::json const& in, heartbeat_answer& out);
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
void to_json(nlohmann::json& out, held_execution const& in);
void from_json(nlohmann::json const& in, held_execution& out);
void to_json(nlohmann::json& out, query_answer const& in);
void from_json(nlohmann::json const& in, query_answer& out);
void to_json(nlohmann::json& out, epoch_message const& in);
void from_json(nlohmann::json const& in, epoch_message& out);

// The JSON text of what is sent by the thousand, without a tree of values in between. from_text throws invalid_input.
std::string to_text(heartbeat_request const& message);
void from_text(std::string_view text, heartbeat_request& message);
std::string to_text(heartbeat_answer const& message);
void from_text(std::string_view text, heartbeat_answer& message);
std::string to_text(results_request const& message);
void from_text(std::string_view text, results_request& message);
std::string to_text(results_answer const& message);
void from_text(std::string_view text, results_answer& message);
std::string to_text(dispatch_request const& message);
void from_text(std::string_view text, dispatch_request& message);
std::string to_text(dispatch_answer const& message);
void from_text(std::string_view text, dispatch_answer& message);

} // namespace baton::protocol
