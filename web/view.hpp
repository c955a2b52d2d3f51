#pragma once
// Rows as REST shows them, one function for each thing: ids as decimal strings, times as RFC 3339, spans in
// milliseconds, no secrets.

#include "libs/lease/lease_store.hpp"
#include "libs/storage/bounded_count.hpp"
#include "libs/storage/clients.hpp"
#include "libs/storage/dead_letters.hpp"
#include "libs/storage/executions.hpp"
#include "libs/storage/nodes.hpp"
#include "libs/storage/tasks.hpp"
#include "libs/storage/terms.hpp"
#include "web/live_figures.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace baton::web {

template <class Value, class Show>
nlohmann::json or_null(std::optional<Value> const& value, Show show)
{
    return value ? nlohmann::json(show(*value)) : nlohmann::json();
}

// The definition, and beside it id, version, schedule_text, next_at, next_fire_at, created_at and updated_at. `from`:
// the first instant at which its next firing may be.
nlohmann::json show(storage::task_record const& task, utc_time from);

// One version of a task, with its definition.
nlohmann::json show(storage::task_version_record const& version);
nlohmann::json show(storage::deleted_task const& task);
nlohmann::json show(storage::skipped_range const& range);

// The members of show(task) that are not part of the definition, and the members that an edit's answer adds.
std::vector<std::string> const& read_only_members();

nlohmann::json show(storage::execution_record const& execution);
nlohmann::json show(storage::attempt_record const& attempt);
nlohmann::json show(storage::unresponsive_record const& handler);
nlohmann::json show(storage::stop_record const& stop);
nlohmann::json show(storage::late_report const& report);
// `ended_at`: of the execution, which may have ended while it waited.
nlohmann::json show(storage::wait_record const& wait, std::optional<utc_time> ended_at);
// Its execution in brief, the error of the last attempt, and what has become of it.
nlohmann::json show(storage::dead_letter const& letter);
nlohmann::json show(storage::client_record const& client, told_figures const& told);
nlohmann::json show(storage::bounded_count const& count);

// `lease`: the lock row, if it could be read. It names the master and its epoch.
nlohmann::json show(storage::node_record const& node, std::optional<lease::lease_row> const& lease);
nlohmann::json show(lease::lease_row const& lease);

nlohmann::json show(storage::term_record const& term);
// The latest change of masters: `latest` are the newest terms, the newest first. Null while there was none.
nlohmann::json show_failover(std::vector<storage::term_record> const& latest);

// A firing: the instant in UTC and on the wall clock of `zone`, and whether that clock was changed since `before`.
nlohmann::json show_firing(utc_time at, std::string const& zone, utc_time before);

} // namespace baton::web
