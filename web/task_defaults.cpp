#include "web/task_defaults.hpp"

#include "libs/base/characters.hpp"

#include <algorithm>

namespace baton::web {

namespace {

using nlohmann::json;
using protocol::origin;
using protocol::task_definition;
using protocol::task_origins;

std::string text_member(json const& document, char const* key, std::string otherwise)
{
    if (!document.is_object() || !document.contains(key) || !document.at(key).is_string())
        return otherwise;
    return document.at(key).get<std::string>();
}

bool has_zone(json const& schedule)
{
    auto const kind = text_member(schedule, "kind", "");
    return kind == "cron" || kind == "window" || kind == "calendar";
}

// Those with a member of their own in the document: all but the zone and the route, which goes with the routing.
bool stands_alone(std::string const& member)
{
    return member != "zone" && member != "route" && member != "routing";
}

json value_of(json const& definition, std::string const& member)
{
    if (member == "zone")
        return definition.at("schedule").value("zone", json());
    if (member == "routing")
        return {definition.at("routing"), definition.at("route")};
    return definition.at(member);
}

// Its policies as JSON; a payload may be long and is none of them.
json policies_of(task_definition task)
{
    task.payload = protocol::json_text::checked("{}");
    return protocol::to_json(task);
}

void set(task_origins& origins, std::string const& member, origin from)
{
    if (from == origin::built_in)
        origins.erase(member);
    else
        origins[member] = from;
}

} // namespace

protocol::service_key named_service(json const& document, task_definition const* before)
{
    task_definition const none;
    auto const& present = before != nullptr ? *before : none;
    return {text_member(document, "project", present.project), text_member(document, "service", present.service)};
}

task_defaults::task_defaults(std::vector<protocol::scope_settings> const& settings)
{
    for (auto const& each : settings)
        (each.of.service.empty() ? project_ : service_) = each.settings.defaults;
}

task_defaults::entry task_defaults::find(std::string const& member) const
{
    if (auto const own = service_.find(member); own != service_.end())
        return {&*own, origin::service};
    if (auto const wide = project_.find(member); wide != project_.end())
        return {&*wide, origin::project};
    return {};
}

// Puts the default of `member`, if there is one, into the document under `key`.
void task_defaults::take(json& document, std::string const& key, std::string const& member, task_origins& origins) const
{
    auto const found = find(member);
    if (found.value != nullptr) // whole: a patch would merge the limits
        document[key] =
            member == "limits" ? protocol::to_json(protocol::parse_time_limits(*found.value)) : *found.value;
    set(origins, member, found.from);
}

// The route is that of the scope whose routing is taken.
void task_defaults::take_route(json& document, task_origins& origins) const
{
    auto const routing = find("routing");
    take(document, "routing", "routing", origins);
    if (routing.value == nullptr)
        return;
    auto const& scope = routing.from == origin::service ? service_ : project_;
    document["route"] = scope.value("route", json::object());
}

filled_document task_defaults::fill(json document) const
{
    filled_document out;
    if (document.is_object()) {
        for (auto const& member : protocol::defaultable_members()) {
            if (!stands_alone(member))
                continue;
            if (document.contains(member))
                out.origins[member] = origin::task;
            else
                take(document, member, member, out.origins);
        }
        if (document.contains("routing") || document.contains("route"))
            out.origins["routing"] = origin::task;
        else
            take_route(document, out.origins);
        if (document.contains("schedule") && has_zone(document["schedule"])) {
            auto& schedule = document["schedule"];
            if (schedule.contains("zone"))
                out.origins["zone"] = origin::task;
            else
                take(schedule, "zone", "zone", out.origins);
        }
    }
    out.document = std::move(document);
    return out;
}

filled_document task_defaults::fill_patch(json patch, task_definition const& before) const
{
    filled_document out;
    out.origins = before.origins;
    if (patch.is_object()) {
        for (auto const& member : protocol::defaultable_members()) {
            if (!stands_alone(member) || !patch.contains(member))
                continue;
            if (patch.at(member).is_null())
                take(patch, member, member, out.origins);
            else
                out.origins[member] = origin::task;
        }
        if (patch.contains("routing") && patch.at("routing").is_null())
            take_route(patch, out.origins);
        else if (patch.contains("routing") || patch.contains("route"))
            out.origins["routing"] = origin::task;
        if (patch.contains("schedule") && patch["schedule"].is_object()) {
            auto& schedule = patch["schedule"];
            bool const given = schedule.contains("zone") && !schedule.at("zone").is_null();
            if (given)
                out.origins["zone"] = origin::task;
            else if (schedule.contains("zone") || has_zone(schedule))
                take(schedule, "zone", "zone", out.origins);
        }
    }
    out.document = std::move(patch);
    return out;
}

void keep_origins(task_definition& after, task_definition const& before, origins_kept which)
{
    auto const now = policies_of(after);
    auto const then = policies_of(before);
    for (auto const& member : protocol::defaultable_members()) {
        auto const found = after.origins.find(member);
        bool const own = found != after.origins.end() && found->second == origin::task;
        if (!own || value_of(now, member) != value_of(then, member))
            continue;
        auto const kept = before.origins.find(member);
        if (kept == before.origins.end())
            after.origins.erase(member);
        else if (which == origins_kept::all)
            after.origins[member] = kept->second;
    }
}

task_origins effective_origins(task_definition const& task)
{
    task_definition plain;
    plain.schedule = task.schedule;
    plain.schedule.zone = protocol::schedule_spec{}.zone;
    auto const values = policies_of(task);
    auto const built_in = policies_of(plain);
    task_origins origins;
    for (auto const& member : protocol::defaultable_members()) {
        if (member == "route" || (member == "zone" && !values.at("schedule").contains("zone")))
            continue;
        auto const known = task.origins.find(member);
        if (known != task.origins.end())
            origins[member] = known->second;
        else // saved before there were defaults, or not named by anybody
            origins[member] = value_of(values, member) == value_of(built_in, member) ? origin::built_in : origin::task;
    }
    return origins;
}

invalid_input explained(invalid_input const& wrong, task_origins const& origins, protocol::service_key const& service)
{
    auto const& field = wrong.field();
    std::vector<std::string> about{field.substr(0, field.find('.'))};
    if (field == "schedule.zone")
        about = {"zone"};
    if (field == "route" || field.starts_with("route."))
        about = {"routing"};
    if (field == "timeout_ms") // which the limits may be below
        about = {"timeout_ms", "limits"};
    if (field == "payload") // which has nothing where a key points
        about = {"concurrency", "routing"};
    std::string hints;
    for (auto const& member : about) {
        auto const found = origins.find(member);
        if (found == origins.end() || found->second == origin::task)
            continue;
        auto const of_service = found->second == origin::service;
        hints += "; its " + member + " is the default of " + (of_service ? "service " : "project ") +
                 in_quotes(of_service ? service.service : service.project) + ": give the task a value of its own";
    }
    return {field, wrong.what() + hints};
}

} // namespace baton::web
