#include "libs/protocol/service_settings.hpp"

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
        std::string const why = wrong.what();
        throw invalid_input("defaults." + wrong.field(),
                            (why.starts_with(wrong.field()) ? "defaults." : "defaults: ") + why);
    }
    return value;
}

} // namespace

service_settings parse_service_settings(nlohmann::json const& value)
{
    strict_object object(value, "");
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
