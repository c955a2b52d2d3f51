#include "libs/protocol/service_settings.hpp"

#include "libs/protocol/new_task.hpp"
#include "libs/protocol/strict.hpp"
#include "libs/protocol/task.hpp"

namespace baton::protocol {

namespace {

std::string list_defaultable()
{
    std::string all;
    for (auto const& each : defaultable_members())
        all += (all.empty() ? "" : ", ") + each;
    return all;
}

invalid_input of_defaults(invalid_input const& wrong)
{
    std::string const why = wrong.what();
    return {"defaults." + wrong.field(), (why.starts_with(wrong.field()) ? "defaults." : "defaults: ") + why};
}

// Reads them as a task would.
nlohmann::json parse_defaults(nlohmann::json const& value)
{
    if (!value.is_object())
        throw invalid_input("defaults", R"(defaults must be an object such as {"max_attempts": 3})");
    nlohmann::json task{{"name", "t"}, {"service", "s"}, {"handler", "h"}, {"schedule", {{"kind", "api"}}}};
    for (auto const& [member, given] : value.items()) {
        if (!is_defaultable(member))
            throw invalid_input("defaults." + member,
                                "unknown field 'defaults." + member +
                                    "'; leave it out, the fields here are: " + list_defaultable());
        if (member != "zone")
            task[member] = given;
        else if (!given.is_string())
            throw invalid_input("defaults.zone", "defaults.zone must be text, such as Europe/Berlin");
    }
    if (value.contains("route") && !value.contains("routing"))
        throw invalid_input("defaults.route", "defaults.route needs defaults.routing, which it belongs to");
    try {
        (void)parse_task(task);
    } catch (invalid_input const& wrong) {
        throw of_defaults(wrong);
    }
    return value;
}

} // namespace

void check_new_defaults(service_settings const& settings)
{
    auto const& defaults = settings.defaults;
    task_definition task;
    task.timeout = std::chrono::milliseconds{defaults.value("timeout_ms", std::int64_t{0})};
    if (auto const limits = defaults.find("limits"); limits != defaults.end())
        task.limits = parse_time_limits(*limits);
    try {
        check_new_limits(task);
    } catch (invalid_input const& wrong) {
        throw of_defaults(wrong);
    }
}

service_settings parse_service_settings(nlohmann::json const& value)
{
    strict_object object(value, "", R"({"limits": {"concurrency": 20}})");
    service_settings settings;
    if (auto const* limits = object.find("limits"))
        settings.limits = parse_scope_limits(*limits, "limits");
    if (auto const* defaults = object.find("defaults"))
        settings.defaults = parse_defaults(*defaults);
    object.finish();
    return settings;
}

nlohmann::json to_json(service_settings const& settings)
{
    nlohmann::json value{{"limits", to_json(settings.limits)}};
    if (!settings.defaults.empty())
        value["defaults"] = settings.defaults;
    return value;
}

} // namespace baton::protocol
