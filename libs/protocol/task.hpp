#pragma once

#include "libs/base/time.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace baton::protocol {

enum class schedule_kind { cron, fixed_rate, fixed_delay, once, api };
std::string_view to_string(schedule_kind which);

// When a task is due, as people write it. libs/schedule gives it meaning.
//   {"kind": "cron", "cron": "*/5 * * * *", "zone": "Europe/Berlin"}
//   {"kind": "fixed_rate", "every_ms": 1000}       from start to start, counted from start_at or the registration
//   {"kind": "fixed_delay", "every_ms": 1000}      from an end to the next start
//   {"kind": "once", "at": "2026-12-24T18:00:00Z"}
//   {"kind": "api"}                                only by run now
struct schedule_spec {
    schedule_kind kind = schedule_kind::api;
    std::string cron;
    std::string zone = "UTC";
    duration every{};
    std::optional<utc_time> at;
    std::optional<utc_time> start_at; // no firing before
    std::optional<utc_time> end_at;   // no firing at or after
};

// How a slave chooses among the live clients that serve the handler.
enum class routing {
    round_robin,
    random,
    failover,  // always the first by instance name; the next ones only when it cannot be reached
    broadcast, // all of them: one shard each
};
std::string_view to_string(routing which);

// Everything that a person registers. It is versioned as a whole: `task_version.definition` holds this JSON, and an
// execution names the version that it ran.
struct task_definition {
    std::string project = "default";
    std::string name;
    std::string description;
    std::string service;
    std::string handler;
    nlohmann::json payload = nlohmann::json::object();
    schedule_spec schedule;
    protocol::routing routing = protocol::routing::round_robin;
    int max_attempts = 1;
    duration retry_delay = 1s;
    duration timeout{}; // zero: none
    bool enabled = true;
};

inline constexpr std::size_t payload_limit = 64u << 10; // bytes of JSON text

// Strict: throws invalid_input naming the field for unknown keys, wrong types, out-of-range values, bad names. Whether
// the cron expression and the zone mean something is for libs/schedule to say.
task_definition parse_task(nlohmann::json const& value);
nlohmann::json to_json(task_definition const& task);

// A JSON merge patch (RFC 7396) applied to a definition, and read again as strictly. A patch that changes
// `schedule.kind` must carry the whole schedule.
task_definition patch_task(task_definition const& task, nlohmann::json const& patch);

} // namespace baton::protocol
