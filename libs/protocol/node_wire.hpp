#pragma once

#include "libs/protocol/client_wire.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

// Among nodes, and from web to a node. Header "Authorization: Bearer <secret of the called node's incarnation>": the
// secret lies in the node's row, so whoever may read the database may call, and nobody else.
namespace baton::protocol {

inline constexpr char path_assign[] = "/internal/v1/assign";
inline constexpr char path_report[] = "/internal/v1/report";
inline constexpr char path_signal[] = "/internal/v1/signal";
inline constexpr char path_stop[] = "/internal/v1/stop";
inline constexpr char path_announce[] = "/internal/v1/epoch";
inline constexpr char path_departed[] = "/internal/v1/departed";

// Master to slave: deliver these now. `work` is what the client will see; service and routing choose the client.
struct assignment {
    dispatch work;
    std::string service;
    std::string routing; // round_robin, random, failover, or "instance" for a shard that belongs to one client
    std::string instance;
};

// A message may come late or twice, after what it assigned has been delivered and forgotten. So each of a term to a
// slave has a number of its own, and names the lower ones that may still count: the others are void.
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
    std::int64_t execution = 0;
    int attempt = 1;
    std::string client; // instance that holds it
    int holds = 0;      // when not 0: not this attempt, but an earlier one, which still runs there
};

// `possibly_held`: the client named may have it although it did not say so (no answer, then gone).
struct undelivered {
    std::int64_t execution = 0;
    int attempt = 1;
    std::string client;
    std::string why;
};

struct finished {
    std::int64_t execution = 0;
    int attempt = 1;
    state status = state::succeeded; // as the client reported it, before any retry rule
    std::int64_t finished_at = 0;
};

// Slave to master: what happened since the last report. Hints only: the ledger is the truth.
struct report_request {
    std::string node; // incarnation
    std::int64_t epoch = 0;
    std::vector<protocol::delivered> delivered;
    std::vector<protocol::undelivered> undelivered;
    std::vector<protocol::finished> finished;
};

// No assignment with this number or a higher one speaks of what the report named as delivered.
struct report_answer {
    std::int64_t assigned = 0;
};

enum class signal_kind {
    task,   // a task was created, edited, enabled, disabled or deleted
    run,    // an execution was inserted by run now
    cancel, // an execution is to be cancelled
};
std::string_view to_string(signal_kind which);
signal_kind parse_signal_kind(std::string_view text);

// Web to master, after the row of the same content was committed: act on it now.
struct signal_request {
    std::int64_t id = 0; // of the row in `signal`
    std::string kind;
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

// The JSON text of what is sent by the thousand, without a tree of values in between. from_text throws invalid_input.
std::string to_text(assign_request const& message);
void from_text(std::string_view text, assign_request& message);
std::string to_text(report_request const& message);
void from_text(std::string_view text, report_request& message);

} // namespace baton::protocol
