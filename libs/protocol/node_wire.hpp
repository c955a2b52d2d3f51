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

// How a slave chooses the client of one execution.
enum class client_choice {
    round_robin,
    random,
    failover,
    instance, // the one that is named: a shard of a broadcast
};
template <>
inline constexpr std::array<std::string_view, 4> names_of<client_choice>{"round_robin", "random", "failover",
                                                                         "instance"};
client_choice choice_for(routing task);

// Master to slave: deliver these now. `work` is what the client will see; service and routing choose the client.
struct assignment {
    dispatch work;
    std::string service;
    client_choice routing = client_choice::round_robin;
    std::string instance; // for client_choice::instance
};

// A message may come late or twice, after its executions have been delivered and forgotten. So each message of a term
// to a slave has a number, and names the lower numbers that may still count: all others are void.
struct assign_request {
    std::int64_t epoch = 0;
    std::string master; // incarnation
    std::int64_t number = 0;
    std::vector<std::int64_t> open; // numbers of those that the master still waits for
    std::vector<assignment> executions;
};

// 200: the first `accepted` of them were taken (fewer than sent when the slave's queue is full). 409 with epoch_message
// when the slave knows a higher epoch.
struct assign_answer {
    std::int64_t epoch = 0;
    int accepted = 0;
};

struct delivered {
    execution_id execution;
    int attempt = 1;
    std::string client; // instance that holds it
    int holds = 0;      // when not 0: not this attempt, but an earlier one, which still runs there
};

// An attempt that the slave will not deliver. With `client`: this instance, which is gone, may have it although it did
// not answer.
struct undelivered {
    execution_id execution;
    int attempt = 1;
    std::string client;
    std::string why;
};

struct finished {
    execution_id execution;
    int attempt = 1;
    state status = state::succeeded; // as the client reported it, before any retry rule
    std::int64_t finished_at = 0;
};

// Slave to master: the events since the last report. Hints only: the ledger is the truth.
struct report_request {
    std::string node; // incarnation
    std::int64_t epoch = 0;
    std::vector<protocol::delivered> delivered;
    std::vector<protocol::undelivered> undelivered;
    std::vector<protocol::finished> finished;
};

// No assignment with this number or a higher one names an attempt that the report named as delivered.
struct report_answer {
    std::int64_t assigned = 0;
};

enum class signal_kind {
    task,   // a task was created, edited, enabled, disabled or deleted
    run,    // an execution was inserted by run now
    cancel, // an execution is to be cancelled
};
template <>
inline constexpr std::array<std::string_view, 3> names_of<signal_kind>{"task", "run", "cancel"};

// Web to master, after the row of the same content was committed: act on it now.
struct signal_request {
    signal_id id; // of the row in `signal`
    signal_kind kind = signal_kind::task;
    std::int64_t subject = 0; // task or execution
};

struct departed_message { // a client or node is gone: send it nothing more
    std::string instance;
};

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
void to_json(nlohmann::json& out, departed_message const& in);
void from_json(nlohmann::json const& in, departed_message& out);

// The JSON text of messages that travel in thousands, without a tree of values. from_text throws invalid_input.
std::string to_text(assign_request const& message);
void from_text(std::string_view text, assign_request& message);
std::string to_text(report_request const& message);
void from_text(std::string_view text, report_request& message);

} // namespace baton::protocol
