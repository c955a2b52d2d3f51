#include "web/waiting.hpp"

#include "libs/base/characters.hpp"
#include "libs/protocol/offers.hpp"
#include "web/pause_view.hpp"

#include <algorithm>
#include <set>

namespace baton::web {

namespace {

using std::ranges::all_of;
using storage::execution_record;

// A master assigns a due execution within milliseconds if a client has room, and after a take-over or the death of a
// client within a second or two.
constexpr auto assigned_within = 2s;

constexpr auto clocks_apart = 1s; // those of web and of the database, usually

constexpr std::size_t longest_line = 200;

bool waits(execution_record const& one)
{
    return one.due_at && (one.state == protocol::state::planned || one.state == protocol::state::retrying);
}

bool is_due(execution_record const& one, utc_time now)
{
    return waits(one) && *one.due_at <= now + clocks_apart;
}

std::string first_line(std::string_view text)
{
    text = text.substr(0, text.find_first_of("\r\n"));
    auto line = shortened(std::string(text), longest_line);
    return line.size() < text.size() ? line + "…" : line;
}

std::optional<std::string> line_of_error(execution_record const& one)
{
    auto line = first_line(one.last_error.value_or(""));
    return line.empty() ? std::nullopt : std::optional(std::move(line));
}

std::string next_attempt(execution_record const& one)
{
    auto const error = line_of_error(one);
    return "waits for retry at " + to_rfc3339(*one.due_at) + (error ? ": " + *error : "");
}

std::vector<storage::clients::alike const*> of_service(execution_record const& one, cluster_view const& seen)
{
    std::vector<storage::clients::alike const*> found;
    for (auto const& each : seen.clients)
        if (each.service.project == one.project && each.service.service == one.service)
            found.push_back(&each);
    return found;
}

// Since when nothing but a client is missing: its time, or the end of the last wait for a limit.
utc_time ready_since(execution_record const& one, cluster_view const& seen)
{
    auto since = *one.due_at;
    if (auto const found = seen.waits.find(one.id); found != seen.waits.end())
        for (auto const& wait : found->second)
            since = std::max(since, wait.until.value_or(since));
    return since;
}

std::optional<std::string> why_paused(execution_record const& one, cluster_view const& seen)
{
    auto const* pause = pause_of(seen.pauses, protocol::service_of(one));
    bool const forced = one.cause == protocol::cause::forced;
    return pause == nullptr || forced ? std::nullopt : std::optional(to_text(*pause));
}

protocol::whereabouts const* place_of(execution_record const& one, cluster_view const& seen)
{
    auto const found = seen.places.find(one.id);
    return found == seen.places.end() ? nullptr : &found->second;
}

std::string why_not_begun_at_client(protocol::whereabouts const& place)
{
    if (place.running_there)
        return "waits at client " + place.name + ", where execution " + to_string(place.running_there) + " runs";
    return "is with client " + place.name + ", which has not reported that it began";
}

std::string why_not_begun_elsewhere(protocol::whereabouts const& place)
{
    if (place.kind == protocol::place_kind::in_doubt)
        return "a client may already have it; the clients are being asked";
    return "node " + place.name + " delivers it to a client";
}

std::optional<std::string> why_waiting(execution_record const& one, cluster_view const& seen)
{
    if (seen.has_master == false)
        return "no master";
    if (one.service.empty()) // its version is unknown
        return std::nullopt;
    if (auto paused = why_paused(one, seen))
        return paused;
    auto const* place = place_of(one, seen);
    if (place != nullptr && place->kind == protocol::place_kind::at_client)
        return why_not_begun_at_client(*place);
    auto const service = to_text(protocol::service_of(one));
    auto clients = of_service(one, seen);
    if (clients.empty())
        return "no client of service " + service;
    std::erase_if(clients, [&](auto const* each) {
        return std::ranges::find(each->handlers, one.handler) == each->handlers.end();
    });
    if (clients.empty())
        return "no client of " + service + " serves handler " + one.handler;
    auto const route = seen.routes.find({one.task, one.task_version});
    if (route != seen.routes.end() && !route->second.tag.empty()) {
        std::erase_if(clients, [&](auto const* each) {
            return std::ranges::find(each->handlers, protocol::tag_offer(route->second.tag)) == each->handlers.end();
        });
        if (clients.empty())
            return "no client of " + service + " that serves " + one.handler + " has the tag " + route->second.tag;
    }
    if (route != seen.routes.end() && !route->second.instance.empty() && !route->second.instance_is_there)
        return "no client of " + service + " has the name " + route->second.instance;
    std::erase_if(clients, [](auto const* each) { return each->state == storage::client_state::draining; });
    bool const some = !clients.empty();
    std::erase_if(clients, [](auto const* each) { return each->drained; });
    if (clients.empty() && some)
        return "the clients of " + service + " are drained by a person";
    if (clients.empty())
        return "the clients of " + service + " are stopping";
    if (all_of(clients, [](auto const* each) { return each->reach == protocol::reach::unreachable; }))
        return "clients of " + service + " cannot be reached";
    if (place != nullptr)
        return why_not_begun_elsewhere(*place);
    if (seen.now - ready_since(one, seen) > assigned_within)
        return route != seen.routes.end() && route->second.names_client ? "its client of " + service + " takes no more"
                                                                        : service + " has no free slot";
    return std::nullopt;
}

// The last time for which a limit kept it back, once the ledger has that.
storage::wait_record const* last_wait(execution_record const& one, cluster_view const& seen)
{
    auto const found = seen.waits.find(one.id);
    return found == seen.waits.end() || found->second.empty() ? nullptr : &found->second.back();
}

protocol::blocker blocker_of(storage::wait_record const* wait)
{
    return wait == nullptr ? protocol::blocker::task_concurrency : wait->blocker;
}

// The pause, which holds also what the limit would let go; or the limit, with the time at which it began to keep it
// back.
std::string why_kept_back(execution_record const& one, cluster_view const& seen)
{
    if (auto paused = why_paused(one, seen))
        return *paused;
    auto const* last = last_wait(one, seen);
    auto const blocker = blocker_of(last);
    bool const by_handler = one.cause == protocol::cause::forced || !kept_back_by(one, seen).empty();
    if (by_handler && blocker == protocol::blocker::task_concurrency)
        return "a handler of its task has not returned, though its execution has ended (baton executions release)";
    return to_text(blocker) + (last == nullptr ? std::string() : "; it waits since " + to_rfc3339(last->since));
}

} // namespace

std::vector<execution_id> held_by_limits(std::vector<execution_record> const& executions, utc_time now)
{
    std::vector<execution_id> ids;
    for (auto const& one : executions)
        if (one.state == protocol::state::waiting || is_due(one, now))
            ids.push_back(one.id);
    return ids;
}

std::vector<execution_id> not_begun(std::vector<execution_record> const& executions, utc_time now)
{
    std::vector<execution_id> ids;
    for (auto const& one : executions)
        if (waits(one) && now - *one.due_at > assigned_within)
            ids.push_back(one.id);
    return ids;
}

std::vector<execution_id> kept_back_by(execution_record const& one, cluster_view const& seen)
{
    auto const found = seen.unresponsive.find(one.task);
    bool const waits_for_task = one.state == protocol::state::waiting &&
                                blocker_of(last_wait(one, seen)) == protocol::blocker::task_concurrency;
    return waits_for_task && found != seen.unresponsive.end() ? found->second : std::vector<execution_id>();
}

std::vector<protocol::service_key> awaited_services(std::vector<execution_record> const& executions, utc_time now)
{
    std::set<protocol::service_key> services;
    for (auto const& one : executions)
        if (is_due(one, now))
            services.insert({one.project, one.service});
    return {services.begin(), services.end()};
}

std::vector<storage::task_at> awaited_routes(std::vector<execution_record> const& executions, utc_time now)
{
    std::set<storage::task_at> versions;
    for (auto const& one : executions)
        if (is_due(one, now))
            versions.emplace(one.task, one.task_version);
    return {versions.begin(), versions.end()};
}

std::optional<std::string> reason_of(execution_record const& one, cluster_view const& seen)
{
    if (one.reason)
        return one.reason;
    if (!one.due_at)
        return one.state == protocol::state::succeeded ? std::nullopt : line_of_error(one);
    if (one.state == protocol::state::waiting)
        return why_kept_back(one, seen);
    if (!waits(one))
        return std::nullopt;
    if (*one.due_at <= seen.now)
        return why_waiting(one, seen);
    return one.attempt > 1 || one.state == protocol::state::retrying ? std::optional(next_attempt(one)) : std::nullopt;
}

} // namespace baton::web
