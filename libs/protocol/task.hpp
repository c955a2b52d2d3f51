#pragma once
// A task as a person or a program registers it, and its JSON document.

#include "libs/base/time.hpp"
#include "libs/protocol/blocker.hpp"
#include "libs/protocol/calendar_spec.hpp"
#include "libs/protocol/concurrency.hpp"
#include "libs/protocol/cron_spec.hpp"
#include "libs/protocol/firing_rules.hpp"
#include "libs/protocol/firing_skips.hpp"
#include "libs/protocol/handler_context.hpp"
#include "libs/protocol/json_text.hpp"
#include "libs/protocol/labels.hpp"
#include "libs/protocol/misfire.hpp"
#include "libs/protocol/named_calendar.hpp"
#include "libs/protocol/names.hpp"
#include "libs/protocol/rate_limit.hpp"
#include "libs/protocol/retry_policy.hpp"
#include "libs/protocol/route.hpp"
#include "libs/protocol/task_origins.hpp"
#include "libs/protocol/time_limits.hpp"
#include "libs/protocol/wall_spec.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace baton::protocol {

class strict_object;

enum class schedule_kind {
    cron,        // at the times that an expression names in a time zone
    fixed_rate,  // at start_at (or the registration) + k * every, k = 0, 1, 2, ..., however long the runs take
    fixed_delay, // one period after the end of the previous run
    once,        // at one instant
    api,         // only on request ("run now")
    window,      // again and again within a part of the day
    calendar,    // on a day of every n-th day, week, month or year
    after,       // after each success of a firing of another task, for the same logical time
};
template <>
inline constexpr std::array<std::string_view, 8> names_of<schedule_kind>{"cron", "fixed_rate", "fixed_delay", "once",
                                                                         "api",  "window",     "calendar",    "after"};

// When a task is due. schedule::timetable computes the firings.
//   {"kind": "cron", "cron": "*/5 * * * *", "zone": "Europe/Berlin"}
//   {"kind": "cron", "cron": "0 0 2 L * ?", "dialect": "quartz", "gap": "shift", "overlap": "first"}
//   {"kind": "fixed_rate", "every_ms": 1000}
//   {"kind": "fixed_delay", "every_ms": 1000}
//   {"kind": "once", "at": "2026-12-24T18:00:00Z"}
//   {"kind": "api"}
//   {"kind": "window", "every_ms": 900000, "from": "09:00", "to": "17:30", "days": ["mon", "tue"], "zone": "UTC"}
//   {"kind": "calendar", "every": 3, "unit": "months", "time": "02:00", "on": 15, "roll": "next_business_day"}
//   {"kind": "after", "task": "extract"}
// Firings lie in [start_at, end_at).
struct schedule_spec {
    schedule_kind kind = schedule_kind::api;
    std::string cron{};           // cron: the expression, see libs/schedule/cron.hpp
    std::string zone = "UTC";     // cron, window, calendar: an IANA name
    duration every{};             // fixed_rate, fixed_delay, window
    std::optional<utc_time> at{}; // once
    std::optional<utc_time> start_at{};
    std::optional<utc_time> end_at{};
    protocol::window_spec window{};
    protocol::calendar_spec calendar{};
    protocol::cron_rules rules{};          // cron
    protocol::firing_rules firing{};       // not for once and api
    std::vector<calendar_use> calendars{}; // likewise
    std::string after{};                   // after: the name of the parent, a task of the same project
    std::vector<firing_skip> skips{};      // that people asked for, in order; only in the stored form
};

inline constexpr duration shortest_rate = 100ms;
inline constexpr duration shortest_delay = 1ms;
inline constexpr duration longest_stop_grace = 24h;
inline constexpr duration longest_span = std::chrono::days{366}; // of periods, delays and timeouts

// True for the kinds that fire again and again by the clock.
constexpr bool is_repeated(schedule_kind kind)
{
    return kind != schedule_kind::once && kind != schedule_kind::api && kind != schedule_kind::after;
}

// True for the kinds whose firings are known ahead.
constexpr bool has_known_firings(schedule_kind kind)
{
    return kind == schedule_kind::once || (is_repeated(kind) && kind != schedule_kind::fixed_delay);
}

// A task's definition, versioned as a whole: `task_version.definition` holds this JSON, and an execution names the
// version that it runs.
struct task_definition {
    std::string project = "default";
    std::string name;
    std::string description;
    std::string owner; // a team or a person; empty: not told
    protocol::labels labels;
    std::string service;
    std::string handler;
    json_text payload = json_text::checked("{}");
    schedule_spec schedule;
    misfire_policy misfire;
    concurrency_policy concurrency;
    rate_limit rate;  // of its attempts; a broadcast counts once
    int priority = 0; // among executions that wait, from -highest_priority to highest_priority; see priority_step
    protocol::routing routing = protocol::routing::round_robin;
    route_spec route;
    int max_attempts = 1;
    duration retry_delay = 1s;
    retry_policy retry;
    int max_deaths = 3; // deaths of its clients after which an execution fails; see pause_after_deaths
    duration timeout{}; // zero: none
    // From the request to stop (by the timeout or a cancel) to the end of the execution, if the handler has not
    // returned.
    duration stop_grace = 30s;
    time_limits limits;
    handler_context context;
    bool enabled = true;
    task_origins origins; // of its policies; only in the stored form

    // No attempt of an execution goes out once an earlier one may have begun without an end that its client reported.
    bool at_most_once() const { return max_deaths == 1; }
};

inline constexpr std::size_t longest_project = 64;

// Of a project, a service, a task or a handler; not empty. Throws invalid_input with the field.
void check_name(std::string const& text, char const* field);

inline constexpr std::size_t payload_limit = 64u << 10; // bytes of JSON text

// The member "payload", if there is one; null is a payload. Throws invalid_input when it is longer than payload_limit.
std::optional<json_text> read_payload(strict_object& object);

// Strict: throws invalid_input with the field for unknown keys, wrong types, values out of range and bad names.
// schedule::check_schedule checks the cron expression and the zone.
task_definition parse_task(nlohmann::json const& value);
nlohmann::json to_json(task_definition const& task);
// The same as text, as it is stored: with the contents of the schedule's calendars, its skips, and the origins of its
// policies. The payload is not looked into.
std::string to_text(task_definition const& task);

// Applies a JSON merge patch (RFC 7396) to a definition and parses the result as strictly. A patch with
// `schedule.kind` must carry the whole schedule, and one with `misfire`, `concurrency`, `rate`, `retry` or `route` the
// whole policy. A patch with another `routing` and no `route` keeps the tag of the route only.
task_definition patch_task(task_definition const& task, nlohmann::json const& patch);

} // namespace baton::protocol
