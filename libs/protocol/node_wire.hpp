#pragma once
// Messages among nodes, and from web to a node. Header "Authorization: Bearer <secret of the called node's
// incarnation>". The secret is in the node's row, so only a process that can read the database can call.

#include "libs/protocol/client_wire.hpp"
#include "libs/protocol/task.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace baton::protocol {

inline constexpr char path_assign[] = "/internal/v1/assign";
inline constexpr char path_report[] = "/internal/v1/report";
inline constexpr char path_signal[] = "/internal/v1/signal";
inline constexpr char path_stop[] = "/internal/v1/stop";
inline constexpr char path_announce[] = "/internal/v1/epoch";
inline constexpr char path_departed[] = "/internal/v1/departed";
inline constexpr char path_ask[] = "/internal/v1/ask";
inline constexpr char path_cancel_at[] = "/internal/v1/cancel";
inline constexpr char path_ended[] = "/internal/v1/ended";

// How a slave chooses the client of one execution.
enum class client_choice {
    round_robin,
    random,
    least_loaded, // the one with the most free slots
    skip_busy,    // the first by name that has a free slot
    instance,     // the one that is named: a shard of a broadcast, or the client that the master has chosen
};
template <>
inline constexpr std::array<std::string_view, 5> names_of<client_choice>{"round_robin", "random", "least_loaded",
                                                                         "skip_busy", "instance"};
// The choice of a client that this routing asks for. A shard of a broadcast without a client of its own: round robin.
client_choice choice_for(routing task);
// Does the master choose the client, which needs a view of the whole service?
bool is_chosen_by_master(routing task);

// How many executions a node can take for its clients that serve one set of handlers of a service: the slots, and the
// slots and queue places together, of those that it can call. A level and not an increment: the master subtracts what
// it has assigned there and has not ended.
struct handler_capacity {
    std::vector<std::string> handlers; // and tags (offers.hpp), in order
    int slots = 0;
    int places = 0;
    bool operator==(handler_capacity const&) const = default;
};

// Replaces what the node said of this service before; without classes the node has no client that it can call.
struct service_capacity {
    std::string project = "default";
    std::string service;
    std::vector<handler_capacity> classes;
    bool operator==(service_capacity const&) const = default;
};

// The slots and places of one client that the master has chosen before. A level, too.
struct client_places {
    std::string instance;
    int places = 0;
};

// A node numbers these upwards, so that a late one does not replace a newer one.
struct capacity_message {
    std::int64_t number = 0;
    std::vector<service_capacity> services;
    std::vector<client_places> named = {}; // of which that has changed
};

// Master to slave: deliver these now. `work` is what the client will see; service and routing choose the client.
struct assignment {
    dispatch work;
    std::string project = "default"; // of the task
    std::string service;
    client_choice routing = client_choice::round_robin;
    std::string instance; // for client_choice::instance
    std::string tag{};    // only clients with this tag; empty: all
    // It may begin at most once: it goes to a free slot only, and in one dispatch only.
    bool once = false;
};

// A message may come late or twice, after its executions have been delivered and forgotten. So each message of a term
// to a slave has a number, and names the lower numbers that may still count: all others are void.
struct assign_request {
    term_id term;
    std::string master; // incarnation
    std::int64_t number = 0;
    std::vector<std::int64_t> open; // numbers of those that the master still waits for
    std::vector<assignment> executions;
};

// 200: the first `accepted` of them were taken (fewer than sent when the slave's queue is full). 409 with epoch_message
// when the slave knows a higher epoch of the namespace, 421 when the slave has another namespace, 503 when the lock row
// does not show the epoch to the slave: send it again.
struct assign_answer {
    term_id term;
    int accepted = 0;
};

struct delivered {
    execution_id execution;
    int attempt = 1;
    std::string client;      // instance that holds it
    int holds = 0;           // when not 0: not this attempt, but an earlier one, which still runs there
    std::int64_t number = 0; // of the last assignment that the node knows of; 0: not told
};

// Why a slave does not deliver an attempt.
enum class return_cause {
    no_room,     // no client of the node can take it, and none has it: the same attempt may go elsewhere
    impossible,  // `client` will not take it, because of its size; without `client`: no client ever will
    client_gone, // `client` may have it, and is gone
    in_doubt,    // `client` may have it, and has another home now
    lost,        // `client` had taken it, and does not run it any more
    given_back,  // `client` had taken it, and has given it back before it began: the same attempt may go elsewhere
};
template <>
inline constexpr std::array<std::string_view, 6> names_of<return_cause>{"no_room",  "impossible", "client_gone",
                                                                        "in_doubt", "lost",       "given_back"};

struct undelivered {
    execution_id execution;
    int attempt = 1;
    return_cause cause = return_cause::no_room;
    std::string client;
    std::string why;
    // Of the assignment: no_room counts only while that is the latest one, and given_back only if no later one has
    // named the attempt.
    std::int64_t number = 0;
};

struct finished {
    execution_id execution;
    int attempt = 1;
    state status = state::succeeded; // as the client reported it, before any retry rule
    std::int64_t finished_at = 0;
    bool final = false;       // failed, and no further attempt is to be made
    bool interrupted = false; // failed, because its client stopped
};

// Slave to master: the events since the last report. Hints only: the ledger is the truth.
struct report_request {
    std::string node; // incarnation
    term_id term;
    std::vector<protocol::delivered> delivered;
    std::vector<protocol::undelivered> undelivered;
    std::vector<protocol::finished> finished;
    std::vector<attempt_key> started; // clients have run them for about a second
    capacity_message capacity;        // of the services whose capacity has changed
};

// No assignment with this number or a higher one names an attempt that the report named as delivered.
struct report_answer {
    std::int64_t assigned = 0;
    // How often this master has forgotten what the node can take, because the node counted as gone. After a number that
    // it has not seen in this term the node tells of all its services again.
    int forgotten = 0;
};

// The answer to the announcement of an epoch: the capacity of all services of the node.
struct announce_answer {
    term_id term;
    capacity_message capacity;
};

// Master to the home node of these clients: which of them has which of the executions? (See query_request.)
struct ask_request {
    term_id term;
    std::vector<std::string> instances;
    std::vector<execution_id> executions;
    std::vector<int> attempts;
};

struct client_held {
    std::string instance;
    std::vector<held_execution> held;
};

// The clients that have answered. The node may not be the home of the others any more, or they were silent.
struct ask_answer {
    term_id term;
    std::vector<client_held> answered;
};

// Master to the home node of this client: tell it to cancel these. The answer does not wait for the client.
struct cancel_at_request {
    term_id term;
    std::string instance;
    std::vector<execution_id> executions;
};

// Master to the home node of clients that have sent results to other nodes: the ends of these are recorded.
struct ended_request {
    term_id term;
    std::vector<attempt_key> executions;
};

enum class signal_kind {
    task,     // a task was created, edited, enabled, disabled or deleted
    run,      // an execution was inserted, by run now or by an edit
    cancel,   // an execution is to be cancelled
    edit,     // a task is about to be edited: committed before the edit, which removes it
    pause,    // a service or project was paused or resumed
    settings, // the settings of a service or project were changed
};
template <>
inline constexpr std::array<std::string_view, 6> names_of<signal_kind>{"task", "run",   "cancel",
                                                                       "edit", "pause", "settings"};

// Web to master, after the row of the same content was committed: act on it now.
struct signal_request {
    signal_id id; // of the row in `signal`
    signal_kind kind = signal_kind::task;
    std::int64_t subject = 0; // task or execution
};

struct departed_client {
    std::string instance;
    std::string home;            // incarnation of the node that it is registered with now; empty: it is gone
    std::int64_t generation = 0; // of that registration
};
struct departed_message { // these clients are gone, or have another home: send them nothing more
    std::vector<departed_client> clients;
};

void to_json(nlohmann::json& out, handler_capacity const& in);
void from_json(nlohmann::json const& in, handler_capacity& out);
void to_json(nlohmann::json& out, service_capacity const& in);
void from_json(nlohmann::json const& in, service_capacity& out);
void to_json(nlohmann::json& out, client_places const& in);
void from_json(nlohmann::json const& in, client_places& out);
void to_json(nlohmann::json& out, capacity_message const& in);
void from_json(nlohmann::json const& in, capacity_message& out);
void to_json(nlohmann::json& out, announce_answer const& in);
void from_json(nlohmann::json const& in, announce_answer& out);
void to_json(nlohmann::json& out, ask_request const& in);
void from_json(nlohmann::json const& in, ask_request& out);
void to_json(nlohmann::json& out, client_held const& in);
void from_json(nlohmann::json const& in, client_held& out);
void to_json(nlohmann::json& out, ask_answer const& in);
void from_json(nlohmann::json const& in, ask_answer& out);
void to_json(nlohmann::json& out, cancel_at_request const& in);
void from_json(nlohmann::json const& in, cancel_at_request& out);
void to_json(nlohmann::json& out, ended_request const& in);
void from_json(nlohmann::json const& in, ended_request& out);
void to_json(nlohmann::json& out, assignment const& in);
void from_json(nlohmann::json const& in, assignment& out);
void to_json(nlohmann::json& out, assign_request const& in);
void from_json(nlohmann::json const& in, assign_request& out);
void to_json(nlohmann::json& out, assign_answer const& in);
void from_json(nlohmann::json const& in, assign_answer& out);
void to_json(nlohmann::json& out, delivered const& in);
void from_json(nlohmann::json const& in, delivered& out);
void to_json(nlohmann::json& out, undelivered const& in);
void from_json(nlohmann::json const& in, undelivered& out);
void to_json(nlohmann::json& out, finished const& in);
void from_json(nlohmann::json const& in, finished& out);
void to_json(nlohmann::json& out, report_request const& in);
void from_json(nlohmann::json const& in, report_request& out);
void to_json(nlohmann::json& out, report_answer const& in);
void from_json(nlohmann::json const& in, report_answer& out);
void to_json(nlohmann::json& out, signal_request const& in);
void from_json(nlohmann::json const& in, signal_request& out);
void to_json(nlohmann::json& out, departed_client const& in);
void from_json(nlohmann::json const& in, departed_client& out);
void to_json(nlohmann::json& out, departed_message const& in);
void from_json(nlohmann::json const& in, departed_message& out);

// The JSON text of messages that travel in thousands, without a tree of values. from_text throws invalid_input.
std::string to_text(assign_request const& message);
void from_text(std::string_view text, assign_request& message);
std::string to_text(report_request const& message);
void from_text(std::string_view text, report_request& message);

} // namespace baton::protocol
