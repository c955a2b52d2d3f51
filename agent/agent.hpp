#pragma once
// baton::agent: a client whose handlers are commands, from its own configuration or from a crontab that it reads. A
// task names a handler and gives it a payload, never a command line.

#include "agent/settings.hpp"
#include "libs/base/time.hpp"

#include <baton/client/service.hpp>

namespace baton::agent {

// A handler for each command and crontab line of the settings, by name. A command gets the payload as JSON on standard
// input, and in the environment BATON_PAYLOAD, BATON_EXECUTION, BATON_ATTEMPT, BATON_TASK, BATON_SCHEDULED_AT (RFC
// 3339), BATON_SHARD_INDEX and BATON_SHARD_TOTAL, and, if its task asks for them (docs/schedules.md), BATON_PREVIOUS_
// and BATON_LAST_SUCCESS_ with EXECUTION, SCHEDULED_AT, ENDED_AT and STATE; a crontab's line gets its own input. The
// exit status decides; the result is
// {"exit": 0, "stdout": "...", "stderr": "..."}. Throws invalid_input when a crontab cannot be read or a name comes
// twice. `time` must outlive the handlers.
std::map<std::string, client::service::handler> make_handlers(settings const& chosen, time_source const& time);

// The options of the service of these settings: its commands are told to stop so early in the grace that `kill_after`
// passes, and their results are recorded, before it ends. Logs a warning if the grace is too short for that.
client::service_options options_of(settings const& chosen);

// Registers the handlers with `service`.
void install(client::service& service, settings const& chosen, time_source const& time);

} // namespace baton::agent
