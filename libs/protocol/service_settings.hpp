#pragma once
// The settings of a service, or of a whole project: what holds for all of its tasks. A JSON document of its own.

#include "libs/protocol/rate_limit.hpp"
#include "libs/protocol/service_key.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace baton::protocol {

//   {"limits": {"concurrency": 20, "rate": {"limit": 100, "per_ms": 1000}}}
//   {"defaults": {"max_attempts": 3, "misfire": {"action": "skip"}, "zone": "Europe/Berlin"}}
struct service_settings {
    scope_limits limits;
    // Members of a task's definition that a task without its own takes when it is saved; see task_origins.hpp.
    nlohmann::json defaults = nlohmann::json::object();

    friend bool operator==(service_settings const&, service_settings const&) = default;
};

// As they stand for a service, or with an empty service for its project.
struct scope_settings {
    service_key of;
    int version = 0; // 0: they were never set
    service_settings settings;

    friend bool operator==(scope_settings const&, scope_settings const&) = default;
};

// Strict: throws invalid_input with the field ("limits.rate.limit"), and for an unknown one with those that there are.
service_settings parse_service_settings(nlohmann::json const& value);
// As check_new_limits (new_task.hpp), of the defaults. Throws invalid_input("defaults.timeout_ms").
void check_new_defaults(service_settings const& settings);
nlohmann::json to_json(service_settings const& settings);

} // namespace baton::protocol
