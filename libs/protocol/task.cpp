#include "libs/protocol/task.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/invisible.hpp"
#include "libs/protocol/new_task.hpp"
#include "libs/protocol/strict.hpp"

#include <algorithm>
#include <cstdio>

namespace baton::protocol {

namespace {

std::string trimmed(std::string_view text)
{
    constexpr char blanks[] = " \t\r\n";
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return std::string(text.substr(0, text.find_last_not_of(blanks) + 1));
}

} // namespace

// Names appear in logs, URLs and tables: printable, without control characters or slashes.
void check_name(std::string const& text, char const* field)
{
    for (auto const c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '/' || c == '\\')
            throw invalid_input(field, std::string(field) + " must not contain control characters or slashes");
    if (text.starts_with(' ') || text.ends_with(' '))
        throw invalid_input(field, std::string(field) + " must not begin or end with a space");
}

namespace {

std::optional<utc_time> moment(strict_object& object, char const* key)
{
    if (object.find(key) == nullptr)
        return std::nullopt;
    auto const text = object.text(key, {}, 40);
    try {
        return from_rfc3339(text);
    } catch (std::invalid_argument const&) {
        throw invalid_input(object.path_of(key), object.path_of(key) +
                                                     " must be a time such as 2026-03-29T01:30:00Z, not " +
                                                     in_quotes(text));
    }
}

duration millis(strict_object& object, char const* key, std::int64_t fallback, std::int64_t least)
{
    return std::chrono::milliseconds{object.number(key, fallback, least, longest_span / 1ms)};
}

duration whole_seconds(strict_object& object, char const* key)
{
    auto const given = millis(object, key, 0, 1'000);
    if (given > 24h || given % 1s != 0s)
        throw invalid_input(object.path_of(key), object.path_of(key) + " of a window must be a number of whole seconds "
                                                                       "up to 86400000, such as 900000");
    return given;
}

} // namespace

schedule_spec parse_schedule(nlohmann::json const& value)
{
    strict_object object(value, "schedule");
    schedule_spec spec;
    if (object.find("kind") == nullptr)
        throw invalid_input("schedule.kind", "schedule.kind is required, one of " + list_names<schedule_kind>());
    spec.kind = parse<schedule_kind>(object.need_text("kind", 32), "schedule.kind");
    if (spec.kind == schedule_kind::cron) {
        spec.cron = read_cron(object);
        spec.rules = parse_cron_rules(object);
        spec.zone = object.text("zone", "UTC", 64);
    }
    if (spec.kind == schedule_kind::fixed_rate || spec.kind == schedule_kind::fixed_delay) {
        object.need("every_ms");
        spec.every = millis(object, "every_ms", 0,
                            (spec.kind == schedule_kind::fixed_rate ? shortest_rate : shortest_delay) / 1ms);
    }
    if (spec.kind == schedule_kind::window) {
        object.need("every_ms");
        spec.every = whole_seconds(object, "every_ms");
        spec.window = parse_window(object);
        spec.zone = object.text("zone", "UTC", 64);
    }
    if (spec.kind == schedule_kind::calendar) {
        spec.calendar = parse_calendar(object);
        spec.zone = object.text("zone", "UTC", 64);
    }
    if (spec.kind == schedule_kind::once) {
        object.need("at");
        spec.at = moment(object, "at");
    }
    if (spec.kind == schedule_kind::after) {
        spec.after = object.need_text("task", 190);
        check_name(spec.after, "schedule.task");
    }
    if (is_repeated(spec.kind)) {
        spec.start_at = moment(object, "start_at");
        spec.end_at = moment(object, "end_at");
        if (spec.start_at && spec.end_at && *spec.end_at <= *spec.start_at)
            throw invalid_input("schedule.end_at", "schedule.end_at must be after schedule.start_at");
        spec.firing = parse_firing_rules(object);
        spec.calendars = parse_calendar_uses(object);
    }
    if (has_known_firings(spec.kind))
        spec.skips = parse_skips(object);
    object.finish("of the kind " + std::string(to_string(spec.kind)));
    return spec;
}

namespace {

nlohmann::json schedule_json(schedule_spec const& spec, bool stored)
{
    nlohmann::json value{{"kind", to_string(spec.kind)}};
    if (spec.kind == schedule_kind::cron) {
        value["cron"] = spec.cron;
        write_cron_rules(value, spec.rules);
        value["zone"] = spec.zone;
    }
    if (spec.kind == schedule_kind::fixed_rate || spec.kind == schedule_kind::fixed_delay)
        value["every_ms"] = spec.every / 1ms;
    if (spec.kind == schedule_kind::window) {
        value["every_ms"] = spec.every / 1ms;
        write_window(value, spec.window);
        value["zone"] = spec.zone;
    }
    if (spec.kind == schedule_kind::calendar) {
        write_calendar(value, spec.calendar);
        value["zone"] = spec.zone;
    }
    if (spec.kind == schedule_kind::after)
        value["task"] = spec.after;
    if (spec.at)
        value["at"] = to_rfc3339(*spec.at);
    if (spec.start_at)
        value["start_at"] = to_rfc3339(*spec.start_at);
    if (spec.end_at)
        value["end_at"] = to_rfc3339(*spec.end_at);
    write_firing_rules(value, spec.firing);
    write_calendar_uses(value, spec.calendars, stored);
    if (stored)
        write_skips(value, spec.skips);
    return value;
}

} // namespace

void refuse_never_firing()
{
    throw invalid_input("schedule.calendars",
                        "with its calendars this schedule has no firing from now on: allow or exclude other times");
}

std::string read_cron(strict_object& object)
{
    auto text = trimmed(object.need_text("cron", 256));
    if (text.empty())
        throw invalid_input(object.path_of("cron"), object.path_of("cron") + " must not be empty");
    return text;
}

namespace {

std::string code_point(std::uint32_t character)
{
    char text[12];
    std::snprintf(text, sizeof text, "U+%04X", static_cast<unsigned>(character));
    return text;
}

} // namespace

void check_new_names(task_definition const& task)
{
    auto const check = [](std::string const& text, char const* field) {
        if (has_control(text))
            throw invalid_input(field, std::string(field) + " must not contain control characters");
        if (auto const found = first_invisible(text))
            throw invalid_input(field,
                                std::string(field) + " must not contain the invisible character " + code_point(*found));
    };
    check(task.project, "project");
    check(task.name, "name");
    check(task.service, "service");
    check(task.handler, "handler");
}

std::optional<json_text> read_payload(strict_object& object)
{
    auto const* const given = object.find("payload");
    if (given == nullptr)
        return std::nullopt;
    json_text payload(*given);
    if (payload.size() > payload_limit)
        throw invalid_input("payload", "payload is longer than " + std::to_string(payload_limit) + " bytes of JSON");
    return payload;
}

task_definition parse_task(nlohmann::json const& value)
{
    strict_object object(value, "");
    task_definition task;
    task.project = object.text("project", task.project, longest_project);
    task.name = object.need_text("name", 190);
    task.description = object.text("description", {}, 2'000);
    task.owner = object.text("owner", {}, longest_owner);
    check_owner(task.owner);
    if (auto const* given = object.find("labels"))
        task.labels = parse_labels(*given);
    task.service = object.need_text("service", 100);
    task.handler = object.need_text("handler", 150);
    if (task.project.empty())
        throw invalid_input("project", "project must not be empty");
    check_name(task.project, "project");
    check_name(task.name, "name");
    check_name(task.service, "service");
    check_name(task.handler, "handler");
    if (auto payload = read_payload(object))
        task.payload = std::move(*payload);
    task.schedule = parse_schedule(object.need("schedule"));
    if (auto const* misfire = object.find("misfire"))
        task.misfire = parse_misfire(*misfire);
    if (auto const* concurrency = object.find("concurrency"))
        task.concurrency = parse_concurrency(*concurrency);
    if (auto const* rate = object.find("rate"))
        task.rate = parse_rate(*rate, "rate");
    task.priority = static_cast<int>(object.number("priority", 0, -highest_priority, highest_priority));
    if (task.schedule.kind != schedule_kind::api)
        check_key(task.concurrency, task.payload);
    task.routing = parse<protocol::routing>(object.text("routing", "round_robin", 32), "routing");
    task.route = parse_route(object.find("route"), task.routing);
    if (task.schedule.kind != schedule_kind::api)
        check_key(task.route, task.payload);
    task.max_attempts = static_cast<int>(object.number("max_attempts", 1, 1, 1'000));
    task.retry_delay = millis(object, "retry_delay_ms", 1'000, 0);
    if (auto const* retry = object.find("retry"))
        task.retry = parse_retry(*retry);
    task.max_deaths = static_cast<int>(object.number("max_deaths", 3, 1, 1'000));
    task.timeout = millis(object, "timeout_ms", 0, 0);
    task.stop_grace =
        std::chrono::milliseconds{object.number("stop_grace_ms", task.stop_grace / 1ms, 0, longest_stop_grace / 1ms)};
    if (auto const* limits = object.find("limits"))
        task.limits = parse_time_limits(*limits);
    if (auto const* context = object.find("context"))
        task.context = parse_context(*context);
    task.enabled = object.flag("enabled", true);
    if (auto const* origins = object.find_unlisted("origins"))
        task.origins = parse_origins(*origins);
    object.finish();
    return task;
}

namespace {

nlohmann::json without_payload(task_definition const& task, bool stored)
{
    return {{"project", task.project},
            {"name", task.name},
            {"description", task.description},
            {"owner", task.owner},
            {"labels", task.labels},
            {"service", task.service},
            {"handler", task.handler},
            {"schedule", schedule_json(task.schedule, stored)},
            {"misfire", to_json(task.misfire)},
            {"concurrency", to_json(task.concurrency)},
            {"rate", to_json(task.rate)},
            {"priority", task.priority},
            {"routing", to_string(task.routing)},
            {"route", to_json(task.route, task.routing)},
            {"max_attempts", task.max_attempts},
            {"retry_delay_ms", task.retry_delay / 1ms},
            {"retry", to_json(task.retry)},
            {"max_deaths", task.max_deaths},
            {"timeout_ms", task.timeout / 1ms},
            {"stop_grace_ms", task.stop_grace / 1ms},
            {"limits", to_json(task.limits)},
            {"context", to_json(task.context)},
            {"enabled", task.enabled}};
}

} // namespace

nlohmann::json to_json(task_definition const& task)
{
    auto value = without_payload(task, false);
    value["payload"] = task.payload;
    return value;
}

std::string to_text(task_definition const& task)
{
    auto document = without_payload(task, true);
    if (!task.origins.empty())
        document["origins"] = to_json(task.origins);
    auto text = document.dump();
    text.pop_back(); // the brace
    return text.append(",\"payload\":").append(task.payload.view()).append("}");
}

namespace {

bool is_one_of(std::string const& key, std::initializer_list<std::string_view> keys)
{
    return std::ranges::find(keys, key) != keys.end();
}

// A null that stands for nothing would be ignored by the merge: a misspelt member, or one that cannot be removed.
void check_nulls(nlohmann::json const& patch)
{
    auto const check = [](nlohmann::json const& part, std::string const& path, auto const& removable) {
        for (auto const& [key, value] : part.items())
            if (value.is_null() && !removable(key))
                throw invalid_input(path + key, path + key + " cannot be removed");
    };
    check(patch, "", [](std::string const& key) {
        return is_one_of(key, {"project",    "description",   "owner",          "labels",   "payload",
                               "misfire",    "concurrency",   "rate",           "priority", "routing",
                               "route",      "max_attempts",  "retry_delay_ms", "retry",    "max_deaths",
                               "timeout_ms", "stop_grace_ms", "limits",         "context",  "enabled"});
    });
    for (auto const* policy : {"misfire", "concurrency", "rate", "retry", "route", "limits"})
        if (auto const given = patch.find(policy); given != patch.end() && given->is_object())
            check(*given, std::string(policy) + ".", [](std::string const&) { return false; });
    auto const schedule = patch.find("schedule");
    if (schedule == patch.end() || !schedule->is_object())
        return;
    auto const kind = schedule->contains("kind") ? schedule->at("kind") : nlohmann::json("any");
    auto const kind_text = kind.is_string() ? kind.get<std::string>() : "";
    bool const has_span = !is_one_of(kind_text, {"once", "api", "after"});
    check(*schedule, "schedule.", [&](std::string const& key) {
        return (has_span &&
                is_one_of(key, {"start_at", "end_at", "max_firings", "jitter_ms", "jitter_seed", "calendars"})) ||
               (is_one_of(key, {"zone", "days", "on", "roll", "dialect", "gap", "overlap", "hash_seed"}) &&
                kind == "any") ||
               (key == "zone" && is_one_of(kind_text, {"cron", "window", "calendar"})) ||
               (is_one_of(key, {"dialect", "gap", "overlap", "hash_seed"}) && kind_text == "cron") ||
               (key == "days" && kind_text == "window") ||
               (is_one_of(key, {"days", "on", "roll"}) && kind_text == "calendar");
    });
}

} // namespace

task_definition patch_task(task_definition const& task, nlohmann::json const& patch)
{
    if (!patch.is_object())
        throw invalid_input("", "a patch must be a JSON object");
    check_nulls(patch);
    auto value = to_json(task);
    if (auto const schedule = patch.find("schedule");
        schedule != patch.end() && schedule->is_object() && schedule->contains("kind"))
        value["schedule"] = nlohmann::json::object(); // the old kind's fields do not fit another kind
    for (auto const* policy : {"misfire", "concurrency", "rate", "retry", "route"})
        if (auto const given = patch.find(policy); given != patch.end() && given->is_object())
            value[policy] = nlohmann::json::object(); // likewise
    if (patch.contains("routing") && patch.at("routing") != value.at("routing") && !patch.contains("route"))
        value["route"] = {{"tag", task.route.tag}};
    value.merge_patch(patch);
    return parse_task(value);
}

} // namespace baton::protocol
