#include "libs/protocol/task.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/invisible.hpp"
#include "libs/protocol/new_task.hpp"
#include "libs/protocol/schedule_spec.hpp"
#include "libs/protocol/strict.hpp"

#include <algorithm>
#include <cstdio>

namespace baton::protocol {

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
        if (text == "." || text == "..") // browsers take these parts out of an address
            throw invalid_input(field, std::string(field) + " must be another name than . and ..");
    };
    check(task.project, "project");
    check(task.name, "name");
    check(task.service, "service");
    check(task.handler, "handler");
}

void check_new_limits(task_definition const& task)
{
    auto const& total = task.limits.total;
    if (total > 0s && task.timeout > total)
        throw invalid_input("timeout_ms", "timeout_ms must not be above limits.total_ms (" +
                                              std::to_string(total / 1ms) +
                                              "), which ends all attempts before; lower it or leave it out");
}

invalid_input no_firing_ahead(schedule_spec const& spec)
{
    if (spec.kind == schedule_kind::once)
        return invalid_input("schedule.at",
                             "schedule.at lies in the past or too close ahead: this task would never fire");
    if (spec.end_at)
        return invalid_input("schedule.end_at", "this schedule has no firing from now until schedule.end_at");
    return invalid_input("schedule", "this schedule has no firing from now on");
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

constexpr char task_example[] = R"({"name": "close-day", "service": "billing", "handler": "close_day", )"
                                R"("schedule": {"kind": "cron", "cron": "0 2 * * 1-5"}})";

task_definition parse_task(nlohmann::json const& value)
{
    strict_object object(value, "", task_example);
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
        object.refuse_value("project", " must not be empty");
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
    task.retry_delay = object.millis("retry_delay_ms", 1s, 0s, longest_span);
    if (auto const* retry = object.find("retry"))
        task.retry = parse_retry(*retry);
    task.max_deaths = static_cast<int>(object.number("max_deaths", 3, 1, 1'000));
    task.timeout = object.millis("timeout_ms", 0s, 0s, longest_span);
    task.stop_grace = object.millis("stop_grace_ms", task.stop_grace, 0s, longest_stop_grace);
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
            {"schedule", to_json(task.schedule, stored)},
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

} // namespace baton::protocol
