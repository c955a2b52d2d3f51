#include "web/view.hpp"

#include "libs/base/log.hpp"
#include "libs/protocol/document.hpp"
#include "libs/schedule/schedule.hpp"
#include "libs/schedule/skips.hpp"
#include "libs/schedule/time_zone.hpp"
#include "web/next_firing.hpp"
#include "web/node_state.hpp"
#include "web/task_defaults.hpp"

#include <algorithm>
#include <cstdlib>

namespace baton::web {

namespace {

using nlohmann::json;

json moment(utc_time at)
{
    return to_rfc3339(at);
}

json moment(std::optional<utc_time> const& at)
{
    return at ? json(to_rfc3339(*at)) : json();
}

json text(std::optional<std::string> const& value)
{
    return value ? json(*value) : json();
}

// A result is checked to be JSON before it is stored. Text that is not, after damage, is still shown, and so is the
// text of one whose numbers would be rounded here.
json stored_json(std::optional<std::string> const& value)
{
    if (!value)
        return nullptr;
    auto parsed = json::parse(*value, nullptr, false);
    return parsed.is_discarded() || protocol::rounds_numbers(*value) ? json(*value) : parsed;
}

json schedule_text(storage::task_record const& task)
{
    try {
        return schedule::describe(task.definition.schedule);
    } catch (invalid_input const& wrong) { // a zone that this machine's database does not know
        log::warn("web", "the schedule of a task cannot be described, showing the task without a description",
                  {log::reason(wrong.what()), {"task", to_string(task.id)}});
        return "";
    }
}

// Those from `from` on.
json show_skips(storage::task_record const& task, utc_time from)
{
    auto list = json::array();
    try {
        for (auto const& skip : schedule::skips_from(task.definition.schedule, task.created_at, from))
            list.push_back({{"firing", moment(skip.firing)},
                            {"asked_at", moment(skip.asked_at)},
                            {"by", skip.by},
                            {"reason", skip.reason}});
    } catch (invalid_input const&) { // a zone that this machine does not know
    }
    return list;
}

std::string with_offset(schedule::local_time shown, std::chrono::seconds offset)
{
    auto text = to_rfc3339(utc_time{shown.time_since_epoch()}).substr(0, 19);
    auto const shift = std::abs(offset / 1min); // in minutes
    auto const two = [](auto number) { return std::to_string(100 + number).substr(1); };
    return text + (offset < 0s ? '-' : '+') + two(shift / 60) + ':' + two(shift % 60);
}

} // namespace

json show(storage::task_record const& task, utc_time from)
{
    auto value = protocol::to_json(task.definition);
    value["id"] = to_string(task.id);
    value["version"] = task.version;
    value["schedule_text"] = schedule_text(task);
    value["next_at"] = moment(next_firing(task, from));
    value["next_fire_at"] = moment(task.next_fire_at);
    value["firings"] = task.definition.schedule.firing.max_firings != 0 ? json(task.firings) : json();
    value["origins"] = protocol::to_json(effective_origins(task.definition));
    value["skips"] = show_skips(task, from);
    value["parked_at"] = task.parked ? moment(task.parked->since) : json();
    value["parked_reason"] = task.parked ? json(task.parked->reason) : json();
    value["created_at"] = moment(task.created_at);
    value["updated_at"] = moment(task.updated_at);
    return value;
}

json show(storage::task_version_record const& version)
{
    return {{"version", version.version},
            {"action", version.action},
            {"valid_from", moment(version.valid_from)},
            {"created_at", moment(version.created_at)},
            {"definition", protocol::to_json(version.definition)}};
}

json show(storage::deleted_task const& task)
{
    return {{"id", to_string(task.id)},
            {"project", task.project},
            {"name", task.name},
            {"version", task.version},
            {"deleted_at", moment(task.deleted_at)}};
}

json show(storage::skipped_range const& range)
{
    return {{"first_at", moment(range.first)}, {"last_at", moment(range.last)},
            {"firings", range.firings},        {"task_version", range.version},
            {"reason", range.reason},          {"created_at", moment(range.created_at)}};
}

std::vector<std::string> const& read_only_members()
{
    static std::vector<std::string> const members{"id",           "version",         "schedule_text", "next_at",
                                                  "next_fire_at", "firings",         "parked_at",     "parked_reason",
                                                  "paused",       "created_at",      "updated_at",    "valid_from",
                                                  "cancelled",    "master_notified", "notes",         "skips",
                                                  "skipped",      "restored",        "origins"};
    return members;
}

json show(storage::attempt_record const& attempt)
{
    auto const outcome_text = [&](protocol::state which) {
        return attempt.interrupted ? std::string_view(protocol::interrupted) : protocol::to_string(which);
    };
    return {{"attempt", attempt.attempt},
            {"cause", protocol::to_string(attempt.cause)},
            {"node", text(attempt.node)},
            {"client", text(attempt.client)},
            {"started_at", moment(attempt.started_at)},
            {"finished_at", moment(attempt.finished_at)},
            {"outcome", or_null(attempt.outcome, outcome_text)},
            {"progress", attempt.progress ? json(*attempt.progress) : json()},
            {"result", stored_json(attempt.result)},
            {"error", text(attempt.error)}};
}

json show(storage::unresponsive_record const& handler)
{
    return {{"attempt", handler.attempt}, {"client", handler.client}, {"since", moment(handler.since)}};
}

json show(storage::stop_record const& stop)
{
    return {{"attempt", stop.attempt},
            {"cause", protocol::to_string(stop.why)},
            {"requested_at", moment(stop.requested_at)}};
}

json show(storage::late_report const& report)
{
    return {{"attempt", report.attempt},
            {"outcome", protocol::to_string(report.outcome)},
            {"client", report.client},
            {"finished_at", moment(report.finished_at)},
            {"reported_at", moment(report.reported_at)},
            {"result", stored_json(report.result)},
            {"error", text(report.error)}};
}

json show(storage::wait_record const& wait, std::optional<utc_time> ended_at)
{
    auto const until = wait.until ? wait.until : ended_at;
    return {{"for", protocol::to_string(wait.blocker)},
            {"reason", to_text(wait.blocker)},
            {"since_at", moment(wait.since)},
            {"until_at", moment(until)}};
}

json show(storage::execution_record const& execution)
{
    return {{"id", to_string(execution.id)},
            {"project", execution.project},
            {"task", to_string(execution.task)},
            {"task_name", execution.task_name.empty() ? json() : json(execution.task_name)},
            {"task_version", execution.task_version},
            {"service", execution.service.empty() ? json() : json(execution.service)},
            {"scheduled_at", moment(execution.scheduled_at)},
            {"cause", protocol::to_string(execution.cause)},
            {"state", protocol::to_string(execution.state)},
            {"due_at", moment(execution.due_at)},
            {"attempt", execution.attempt},
            {"max_attempts", execution.max_attempts},
            {"deaths", execution.deaths},
            {"rerun_of", or_null(execution.rerun_of, [](execution_id id) { return to_string(id); })},
            {"parent", or_null(execution.parent, [](execution_id id) { return to_string(id); })},
            {"shard_index", execution.shard_index},
            {"shard_total", execution.shard_total},
            {"cancel_requested_at", moment(execution.cancel_requested_at)},
            {"reason", text(execution.reason)},
            {"created_at", moment(execution.created_at)},
            {"started_at", moment(execution.started_at)},
            {"ended_at", moment(execution.ended_at)},
            {"first_attempt", show(execution.first)}};
}

json show(storage::dead_letter const& letter)
{
    auto const& execution = letter.execution;
    return {{"execution", to_string(execution.id)},
            {"project", execution.project},
            {"task", to_string(execution.task)},
            {"task_name", execution.task_name.empty() ? json() : json(execution.task_name)},
            {"task_version", execution.task_version},
            {"scheduled_at", moment(execution.scheduled_at)},
            {"state", protocol::to_string(execution.state)},
            {"attempt", execution.attempt},
            {"error", text(execution.last_error ? execution.last_error : execution.reason)},
            {"died_at", moment(letter.died_at)},
            {"resolution", protocol::to_string(letter.resolution)},
            {"resolved_at", moment(letter.resolved_at)},
            {"rerun", or_null(letter.rerun, [](execution_id id) { return to_string(id); })}};
}

json show(storage::bounded_count const& count)
{
    return {{"count", count.count}, {"more", count.more}};
}

json show(storage::node_record const& node, std::optional<lease::lease_row> const& lease)
{
    // The role in the node's row is that of its last heartbeat, so a dead master would be shown beside its successor.
    bool const leads = lease && lease->owner == node.incarnation && !lease->expired;
    auto const health = json::parse(node.health, nullptr, false);
    auto const heartbeat = heartbeat_of(health);
    return {{"incarnation", node.incarnation},
            {"name", node.name},
            {"address", node.address},
            {"role", leads ? "master" : "slave"},
            {"master", leads},
            {"epoch", leads ? json(lease->epoch) : json()},
            {"version", node.version},
            {"revision", node.revision},
            {"load", node.load_permille / 1000.0},
            {"clients", node.clients},
            {"loops", health.is_object() ? health.value("loops", json::array()) : json::array()},
            {"cannot_plan", health.is_object() ? health.value("cannot_plan", json()) : json()},
            {"failed_parts", failed_parts_of(health)},
            {"contact", contact_of(health)},
            {"zones", health.is_object() ? health.value("zones", json()) : json()},
            {"clock_offset_ms", health.is_object() ? health.value("clock_offset_ms", json()) : json()},
            {"draining", node.draining},
            {"alive", node.alive()},
            {"silent", is_silent(node)},
            {"heartbeat_ms", heartbeat},
            {"age_ms", node.age / 1ms},
            {"ttl_ms", node.ttl / 1ms},
            {"started_at", moment(node.started_at)},
            {"heartbeat_at", moment(node.heartbeat_at)}};
}

json show(lease::lease_row const& lease)
{
    auto const left = lease.owner && !lease.expired ? std::max(lease.ttl - lease.age, duration{}) : duration{};
    return {{"owner", text(lease.owner)}, {"address", lease.owner ? json(lease.owner_addr) : json()},
            {"epoch", lease.epoch},       {"age_ms", lease.age / 1ms},
            {"ttl_ms", lease.ttl / 1ms},  {"seconds_left", static_cast<double>(left / 1ms) / 1000.0},
            {"expired", lease.expired}};
}

json show(storage::term_record const& term)
{
    return {{"epoch", term.epoch},
            {"owner", term.owner},
            {"node", term.node},
            {"how", term.how},
            {"began_at", moment(term.began_at)},
            {"acting_at", moment(term.acting_at)},
            {"gap_ms", or_null(term.gap, [](duration gap) { return gap / 1ms; })},
            {"ended_at", moment(term.ended_at)},
            {"why_ended", text(term.why_ended)},
            {"replayed", term.replayed}};
}

json show_failover(std::vector<storage::term_record> const& latest)
{
    if (latest.empty() || !latest[0].gap)
        return nullptr;
    auto const& now = latest[0];
    auto const* const before = latest.size() > 1 ? &latest[1] : nullptr;
    return {{"epoch", now.epoch}, {"from", before ? json(before->node) : json()},
            {"to", now.node},     {"at", moment(now.acting_at)},
            {"how", now.how},     {"why", before ? text(before->why_ended) : json()}};
}

json show_firing(utc_time at, std::string const& zone, utc_time before)
{
    schedule::time_zone const clock(zone);
    auto const period = clock.at(at);
    return {{"at", moment(at)},
            {"local", with_offset(period.local(at), period.offset)},
            {"clock_changed", period.offset != clock.at(before).offset}};
}

} // namespace baton::web
